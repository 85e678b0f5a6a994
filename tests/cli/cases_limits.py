"""Limits of a session (ulimit): whatever one leaves, a command ends with 0, or with a code and a sentence of its own. None ends by
a signal."""

import os
import re
import resource
import subprocess

from harness import case, expect, skip

MIB = 1 << 20
SENTENCES = {5: "memory|threads|limit", 6: "", 7: ""}  # exit codes that a limit may give, and words of their sentences

COMMANDS = [("run", "plummer:n=2000", "--steps", "2", "-o", "end.h5"),
            ("run", "first.h5", "--steps", "1"),
            ("compute", "forces", "first.csv", "--law", "-mi*mj/sqrt(r^2+1)", "-o", "f.npy"),
            ("compute", "distances", "first.csv", "-o", "d.npy"),
            ("compute", "collisions", "first.csv", "-o", "c.csv"),
            ("compute", "triplets", "few.csv", "-o", "t.csv", "--bins", "0:9:3"),
            ("verify", "map", "lambda", "--n", "1..8"),
            ("law", "-mi*mj/r"), ("info",), ("list", "scenes"),
            ("bench", "--kernel", "dummy", "--n", "1024", "--samples", "1", "-o", "b.json"),
            ("view", "plummer:n=200", "--exit-after", "2"),
            ("render", "plummer:n=200", "-o", "p.png", "--size", "64x48")]


def files(tri):
    tri.run("run", "plummer:n=500", "--steps", "0", "-o", "first.csv")
    tri.run("run", "plummer:n=500", "--steps", "0", "-o", "first.h5")
    tri.run("run", "plummer:n=30", "--steps", "0", "-o", "few.csv")


def ends_well(tri, words, what, limit):
    """Runs it below this limit; the way in which it ended, as a code."""
    name = {value: key for key, value in vars(resource).items() if key.startswith("RLIMIT_")}[what]
    env = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    if words[0] in ("run", "compute", "bench", "view", "render"):
        words = (*words, "--backend", "cpu", "--threads", "2")
    done = subprocess.run([tri.path, *words], capture_output=True, text=True, env=env, timeout=120,
                          preexec_fn=lambda: resource.setrlimit(what, (limit, limit)))
    said = f"{name} {limit}: {words}: {done.returncode}\n{done.stderr[-1500:]}"
    if 127 == done.returncode or "error while loading shared libraries" in done.stderr:
        return None  # not this program: its loader has no room
    expect(done.returncode == 0 or done.returncode in SENTENCES, said)
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1:] or [""]
        expect("error: " in done.stderr and last[0].rstrip().endswith((".", ")")), said)
        expect(re.search(SENTENCES[done.returncode], done.stderr), said)
    return done.returncode


def sweep(tri, commands, what, limits):
    for words in commands:
        codes = [ends_well(tri, words, what, limit) for limit in limits]
        expect(any(code is not None for code in codes), words)


def refuse_sanitizers():
    if "TRI_SANITIZED" in os.environ:
        skip("the sanitizers take more memory than any limit leaves")


@case
def limit_of_memory(tri):
    refuse_sanitizers()
    files(tri)
    sweep(tri, COMMANDS, resource.RLIMIT_AS, [MIB * m for m in (40, 70, 100, 140, 180, 240, 320, 420, 600, 900)])


@case
def limit_of_data(tri):
    refuse_sanitizers()
    files(tri)
    sweep(tri, COMMANDS, resource.RLIMIT_DATA, [MIB * m for m in (2, 8, 16, 30, 60, 120)])


@case
def limit_of_files(tri):
    refuse_sanitizers()
    files(tri)
    sweep(tri, COMMANDS, resource.RLIMIT_NOFILE, (3, 4, 5, 6, 8, 12, 20))
    sweep(tri, COMMANDS, resource.RLIMIT_FSIZE, (0, 1, 1000, 50000))
    sweep(tri, COMMANDS, resource.RLIMIT_STACK, (64 << 10, 256 << 10, MIB))
