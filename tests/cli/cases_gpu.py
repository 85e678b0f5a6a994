"""Cases of the command line on a GPU: kernels that are compiled at run time, and how commands with them end. A compiler
or a thread that is left when main() returns is a crash after right output, so each command starts without kept kernels,
and again with them."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

from harness import case, expect, read_npy, state_hash

PAIR = "energy = 0.5*mi*mj*log(r^2 + 0.01)"
TRIPLE = "k/(a*b*c); k = 0.1"
MAP = '''name = "line"
domain = "pairs"
launch = ["m*(m + 1)/2"]
tile = """
  row = (isqrt(8*w + 1) - 1)/2
  col = w - row*(row + 1)/2
"""
'''


def twice(tri, *words, code=0):
    """Without kept kernels, and with those of the first time; returns the outputs of the second."""
    folder = os.path.abspath(f"cache{len([name for name in os.listdir('.') if name.startswith('cache')])}")
    for _ in range(2):
        seen = tri.run(*words, "--backend", "cuda", code=code, env={"TRI_CACHE": folder})
    return seen


def near(tri, output, *words, limit):
    """The same numbers as on a cpu."""
    twice(tri, *words, "-o", output)
    got = read_npy(output)[1]
    tri.run(*words, "-o", output, "--backend", "cpu")
    want = read_npy(output)[1]
    scale = max(map(abs, want))
    expect(max(abs(a - b) for a, b in zip(got, want)) < limit * scale, words)


def files_of_the_cases():
    Path("c.csv").write_text("m,x,y,z,r\n1,0,0,0,0.6\n2,1,0,0,0.6\n3,0,1,0.5,0.6\n4,1,2,1,0.6\n")
    Path("line.toml").write_text(MAP)


@case
def typed_laws_on_a_gpu(tri):
    """Every command with a typed law ends with its own exit code, after right output and after an error."""
    tri.on_gpu()
    files_of_the_cases()
    for precision, limit in (("fp32", 1e-5), ("fp64", 1e-12)):
        near(tri, "f.npy", "compute", "forces", "c.csv", "--law", PAIR, "--precision", precision, limit=limit)
    near(tri, "f.npy", "compute", "forces", "c.csv", "--law", PAIR, "--triple-law", TRIPLE, limit=1e-5)
    for accumulate in ("fast", "ordered"):
        out, _ = twice(tri, "run", "plummer:n=1024", "--law", PAIR, "--steps", "3", "--accumulate", accumulate)
        state_hash(out)
    state_hash(twice(tri, "run", "argon-droplet:n=20,nu=0", "--triple-law", TRIPLE, "--steps", "3")[0])
    twice(tri, "run", "plummer:n=64", "--law", PAIR, "--steps", "3", "-o", "s.hdf5")
    state_hash(twice(tri, "run", "--restart", "s.hdf5", "--steps", "2")[0])
    twice(tri, "bench", "--law", PAIR, "--n", "500", "--map", "bb,lambda", "--samples", "6", "--warmup", "0")
    tri.run("law", PAIR)
    # What ends with an error has begun to compile, too.
    for code, words in ((6, ["compute", "forces", "c.csv", "--law", PAIR, "-o", "none/f.npy"]),
                        (2, ["compute", "forces", "c.csv", "--law", "qi*qj/r", "-o", "f.npy"]),
                        (2, ["run", "plummer:n=100", "--law", PAIR, "--steps", "1", "--block", "7"]),
                        (6, ["run", "plummer:n=100", "--law", PAIR, "--steps", "1", "-o", "none/s.csv"]),
                        (4, ["run", "plummer:n=100", "--law", PAIR, "--steps", "2", "--dt", "10", "--energy-limit", "1e-9"])):
        _, err = twice(tri, *words, code=code)
        expect(err.startswith("error: ") or "error: " in err, err)


@case
def verified_laws_on_a_gpu(tri):
    """verify of a typed law, in seconds."""
    tri.on_gpu()
    begin = time.monotonic()
    found = json.loads(tri.run("verify", "--law", "k*(r - d)^2/2; k = 3; d = 1", "--backend", "cuda", "--json")[0])
    expect(found["passed"] and found["checks"] >= 6, found)
    print(f"verify --law: {time.monotonic() - begin:.1f} s")


@case
def typed_maps_on_a_gpu(tri):
    """Every command with a map file."""
    tri.on_gpu()
    files_of_the_cases()
    state_hash(twice(tri, "run", "plummer:n=1024", "--map", "line.toml", "--steps", "3")[0])
    state_hash(twice(tri, "run", "plummer:n=1024", "--map", "line.toml", "--law", PAIR, "--steps", "3")[0])
    state_hash(twice(tri, "run", "gas:n=500", "--map", "line.toml", "--steps", "3")[0])
    near(tri, "d.npy", "compute", "distances", "c.csv", "--map", "line.toml", limit=1e-6)
    twice(tri, "compute", "collisions", "c.csv", "-o", "p.npy", "--map", "line.toml", "--broad-phase", "all-pairs")
    twice(tri, "bench", "--kernel", "dummy,edm,gravity", "--n", "500", "--map", "bb,line.toml", "--samples", "6",
          "--warmup", "0")
    tri.run("verify", "map", "line.toml")


@case
def interrupted_compilers(tri):
    """Ctrl-C while a law is compiled, or soon after."""
    tri.on_gpu()
    for attempt in range(8):
        env = dict(os.environ, TRI_CACHE=os.path.abspath(f"cache{attempt}"))
        process = subprocess.Popen([tri.path, "run", "plummer:n=1024", "--law", PAIR, "--steps", "1000000000", "--backend",
                                    "cuda"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
        time.sleep(0.2 * (attempt + 1))
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        took = time.monotonic() - begin
        expect(process.returncode == 130 and "interrupted" in err, (attempt, process.returncode, err))
        expect(took < 3, f"Ctrl-C after {0.2 * (attempt + 1):.1f} s took {took:.1f} s")
