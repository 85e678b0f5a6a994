"""Cases of the command line: progress lines on a terminal, and work that Ctrl-C abandons."""

import os
import pty
import re
import select
import signal
import subprocess
import time

from program import case, expect, state_hash, text_of, write

LEFT = rb"\d+ (min|h|d|s)[ \dminhds]* left"


def on_terminal(tri, *arguments, stop_at=None, took=None):
    """Runs with a terminal as standard error; returns the exit code and its output. `stop_at`: what must appear
    there before Ctrl-C is sent. `took`, a list: receives the seconds from there to the end."""
    here, there = pty.openpty()
    process = subprocess.Popen([tri.path, *arguments], stdout=subprocess.DEVNULL, stderr=there)
    os.close(there)
    seen = b""
    while select.select([here], [], [], 60)[0]:
        try:
            piece = os.read(here, 4096)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        seen += piece
        if stop_at is not None and stop_at in seen:
            begin = time.monotonic()
            process.send_signal(signal.SIGINT)
            stop_at = None
    os.close(here)
    code = process.wait(timeout=60)
    if took is not None and stop_at is None:
        took.append(time.monotonic() - begin)
    return code, seen


def points(path, n):
    write(path, "".join(f"{i * 7919 % n},{i * 104729 % n},{i}\n" for i in range(n)))


@case
def progress(tri):
    """On a terminal a line with the time left; on a pipe nothing."""
    arguments = ["run", "plummer:n=200", "--steps", "100000000", "--walltime", "1.5s", "-o", "end.hdf5", "--backend", "cpu"]
    code, seen = on_terminal(tri, *arguments)
    expect(code == 0, seen)
    expect(re.search(rb"\x1b\[Kstep [\d,]+ of 100,000,000 \(0 %\), [\d.e+]+ steps/s, " + LEFT, seen), seen)
    _, err = tri.run(*arguments)
    expect("left" not in err and "\r" not in err, err)
    code, seen = on_terminal(tri, "bench", "--backend", "cpu", "--kernel", "gravity", "--n", "512,1024", "--samples", "30",
                             "--map", "bb,lambda", "--threads", "1")
    expect(code == 0, seen)
    expect(re.search(rb"\x1b\[Kgravity n = 1,024: round \d+ of 30 \(group 2 of 2, " + LEFT + rb"\)", seen), seen)
    code, seen = on_terminal(tri, "verify", "--quick", "--backend", "cpu")
    expect(code == 0 and re.search(rb"\x1b\[K\d+ of \d+: [^\r]+, " + LEFT, seen), seen)


@case
def progress_of_files(tri):
    """Slow reading has a progress line, even if the size is unknown; an error starts on a new line."""
    os.mkfifo("slow.tab")
    end = time.monotonic() + 1.6
    here, there = pty.openpty()
    process = subprocess.Popen([tri.path, "convert", "slow.tab", "out.npy"], stderr=there)
    os.close(there)
    with open("slow.tab", "wb") as f:
        while time.monotonic() < end:
            f.write(b"1 2 3 4 5 6 7\n" * 100000)
            f.flush()
            time.sleep(0.1)
        f.write(b"1 2 3 4 5 6 seven\n")
    expect(process.wait(timeout=60) == 6, process.returncode)
    seen = os.read(here, 1 << 16)
    os.close(here)
    expect(re.search(rb"\x1b\[Kreading slow.tab: [\d.]+ Mbytes", seen), seen)
    expect(re.search(rb"\r\x1b\[Kerror: 'slow.tab', line \d+, column 7 \(vz\): 'seven' is not a number", seen), seen)
    expect(not os.path.exists("out.npy"), "an incomplete file was left")


@case
def interrupted_jobs(tri):
    """Ctrl-C stops convert and compute: no output, no temporary file, an existing file unchanged, exit 130."""
    points("p.csv", 9000)
    write("t.csv", "an earlier result\n")
    for bins in ("0,500,1000,16000", "0:16000:800"):  # one by one, as products
        arguments = ["compute", "triplets", "p.csv", "-o", "t.csv", "--bins", bins, "--backend", "cpu"]
        one_by_one = ("--block", "32") if "," in bins else ()
        code, seen = on_terminal(tri, *arguments, *one_by_one, stop_at=b"triples of 9,000 points: ")
        expect(code == 130, seen)
        expect(re.search(rb"triples of 9,000 points: \d+ %, " + LEFT, seen), seen)
        expect(b"interrupted while computing triples of 9,000 points; nothing was written." in seen, seen)
    expect(text_of("t.csv") == "an earlier result\n", "the earlier file was overwritten")
    os.mkfifo("many.tab")
    process = subprocess.Popen([tri.path, "convert", "many.tab", "many.vtp"], stderr=subprocess.PIPE)
    try:
        with open("many.tab", "wb") as f:
            f.write(b"1 2 3 4 5 6 7\n" * 200000)
            process.send_signal(signal.SIGINT)
            while process.poll() is None:
                f.write(b"1 2 3 4 5 6 7\n" * 200000)
    except BrokenPipeError:
        pass
    _, err = process.communicate(timeout=60)
    expect(process.returncode == 130 and b"interrupted while reading many.tab; nothing was written." in err, err)
    expect(sorted(os.listdir(".")) == ["many.tab", "p.csv", "t.csv"], os.listdir("."))


def long_jobs(tri):
    """Commands that take many seconds, with what each of them is doing after the wait."""
    points("p.csv", 9000)
    write("big.json",
          '{"format": "triangulum-bench", "results": [' + ",".join(["[1.25,2,3,4,5,6,7,8]"] * 2500000) + "]}")
    cpu = ("--backend", "cpu")
    yield 1.0, ("compute", "triplets", "p.csv", "-o", "t.csv", "--bins", "0:16000:800", *cpu)
    yield 1.0, ("compute", "triplets", "p.csv", "-o", "t.csv", "--bins", "0,500,1000,16000", "--block", "2048", *cpu)
    yield 0.3, ("compute", "distances", "p.csv", "-o", "d.csv", *cpu)
    yield 1.0, ("bench", "--kernel", "triplet", "--n", "1100", "--map", "plain", "--baseline", "plain", *cpu)
    yield 1.0, ("bench", "--kernel", "gravity", "--n", "60000", "--map", "bb", "-o", "b.json", "--format", "json", *cpu)
    yield 1.0, ("verify", "--full", *cpu)
    yield 0.3, ("plot", "big.json", "-o", "p.svg")
    yield 0.4, ("run", "gasket-3d:r=13,temperature=2", "--steps", "9", *cpu)
    yield 0.5, ("run", "sphere-box:n=2000000", "--steps", "1", *cpu)
    yield 0.7, ("run", "plummer:n=5000000", "--steps", "1", *cpu)


@case
def interrupted_soon(tri):
    """Half a second after Ctrl-C every long job is over, in whatever it was stuck, and leaves no unfinished file."""
    patience = 0.5 * (6 if os.environ.get("TRI_SANITIZED") else 1)
    for wait, arguments in long_jobs(tri):
        process = subprocess.Popen([tri.path, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(wait)
        expect(process.poll() is None, f"{arguments} ended before it was interrupted")
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        took = time.monotonic() - begin
        expect(process.returncode == 130 and "interrupted" in err, f"{arguments}: {process.returncode} {err}")
        expect(took < patience, f"{arguments} took {took:.2f} s to end")
        expect(not [name for name in os.listdir(".") if ".tmp-" in name], os.listdir("."))
    # A step of some seconds is not taken; the state before it is saved.
    bodies = ("run", "plummer:n=40000", "--precision", "fp64", "--threads", "1", "--backend", "cpu")
    before, _ = tri.run(*bodies, "--steps", "0")
    for k, scheme in enumerate((("--integrator", "yoshida4", "--accumulate", "ordered"), ("--integrator", "hermite"))):
        took = []
        code, seen = on_terminal(tri, *bodies, *scheme, "--steps", "3", "--save-every", "9", "--snapshot",
                                 f"{k}_{{step}}.hdf5", stop_at=b"step 1: ", took=took)
        expect(code == 130 and f"after step 0 of 3; what was done is written. Go on with --restart {k}_0.hdf5".encode()
               in seen, seen)
        expect(took[0] < patience, f"{scheme}: a step took {took[0]:.2f} s to end")
        saved, _ = tri.run("run", "--restart", f"{k}_0.hdf5", "--steps", "0")
        expect(state_hash(saved) == state_hash(before), f"{scheme}: {saved}")
