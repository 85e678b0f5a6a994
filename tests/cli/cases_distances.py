"""Cases of the command line: matrices of distances that are streamed to disk, and go on after any end."""

import glob
import os
import random
import re
import resource
import shlex
import signal
import subprocess
import sys
import time

from harness import bytes_of, case, expect, read_npy, skip, write


def part():
    """The file with what is done of d.npy; its state is beside it."""
    found = [name for name in glob.glob("d.npy.part-*") if not name.endswith("-state")]
    return found[0] if found else "none"


def state_file():
    return part() + "-state"


def cloud(n, name="p.csv"):
    random.seed(n)
    write(name, "".join(f"{random.random()!r},{random.random()!r},{random.random()!r}\n" for _ in range(n)))


def distances(*more, output="d.npy"):
    return ["compute", "distances", "p.csv", "-o", output, "--backend", "cpu", *more]


@case
def streamed_distances(tri):
    """Blocks of rows give the bytes of the whole; little memory is enough; a finished run leaves nothing else."""
    cloud(400)
    for layout in ("condensed", "square", "lower", "blocks"):
        for name in ("d.npy", "d.csv", "d.h5"):
            tri.run(*distances("--layout", layout, output=name))
            whole = bytes_of(name)
            for rows in ("32", "64", "320", "6400") if layout == "blocks" else ("1", "7", "333", "5000"):
                os.remove(name)
                _, err = tri.run(*distances("--layout", layout, "--rows-at-once", rows, output=name))
                expect(err == "" and bytes_of(name) == whole, (name, layout, rows, err))
    out, _ = tri.run(*distances("--layout", "square", "--rows-at-once", "50", output="-"))
    expect(sum(line.count(",") for line in out.splitlines()[:400]) == 400 * 399, out[:100])
    expect(sorted(os.listdir(".")) == ["d.csv", "d.h5", "d.npy", "p.csv"], os.listdir("."))
    if "TRI_SANITIZED" not in os.environ:
        # 800 MB of values with far less memory than that: the program's own peak, not that of the page cache.
        cloud(10000)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        tri.run(*distances("--layout", "square", "--rows-at-once", "300"))
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        expect(os.path.getsize("d.npy") > 8e8 and (peak < 400e3 or peak == before), f"{peak} KiB")


@case
def streamed_hdf5(tri):
    """What h5py reads of the HDF5 output."""
    script = """
import h5py, numpy
a = h5py.File("d.h5")["distances"]
b = numpy.load("d.npy")
if b.ndim == 3:
    b = b.reshape(-1, 1024)
assert a.chunks and a.shape == b.shape and a.dtype == b.dtype, (a, b)
assert a.attrs["points"] == 700, dict(a.attrs)
assert a.attrs["layout"].decode() in ("condensed", "square", "lower", "blocks"), dict(a.attrs)
assert numpy.array_equal(a[...], b)
"""
    python = os.environ.get("TRI_PYTHON", sys.executable)
    if subprocess.run([python, "-c", "import h5py"], stderr=subprocess.DEVNULL).returncode != 0:
        skip("there is no h5py")
    cloud(700)
    for layout in ("condensed", "square", "lower", "blocks"):
        for precision in ("fp32", "fp64"):
            options = ["--layout", layout, "--precision", precision, "--rows-at-once", "64"]
            tri.run(*distances(*options, output="d.h5"))
            tri.run(*distances(*options))
            done = subprocess.run([python, "-c", script], capture_output=True, text=True)
            expect(done.returncode == 0, (layout, precision, done.stderr))


def start(tri, *arguments):
    return subprocess.Popen([tri.path, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def rows_kept(state):
    with open(state) as f:
        return int(next(line for line in f if line.startswith("done ")).split()[1])


@case
def killed_distances(tri):
    """kill -9 at any moment: the same command goes on, and gives the bytes of a run that nothing ended."""
    cloud(6000)
    for name in ("d.npy", "d.h5"):
        arguments = distances("--layout", "square", "--rows-at-once", "40", "--threads", "1", output=name)
        tri.run(*arguments)
        whole = bytes_of(name)
        os.remove(name)
        kills, gone_on = 0, 0
        for attempt in range(40):
            process = start(tri, *arguments)
            try:
                process.wait(timeout=0.05 + 0.03 * attempt)
                out, err = process.communicate()
                gone_on += "goes on after" in err
                break
            except subprocess.TimeoutExpired:
                process.kill()
                _, err = process.communicate()
                kills += 1
                gone_on += "goes on after" in err
                if os.path.exists(name):  # killed after it was renamed
                    expect(bytes_of(name) == whole, "the output is there before it is complete")
                    os.remove(name)
        expect(process.returncode == 0, err)
        expect(kills > 0 and bytes_of(name) == whole, f"{name}: {kills} kills")
        expect(sorted(os.listdir(".")) == sorted({"p.csv", name} | ({"d.npy"} if name == "d.h5" else set())),
               os.listdir("."))
        if name == "d.npy":
            expect(gone_on > 0, "no run went on with another one")


@case
def interrupted_distances(tri):
    """Ctrl-C keeps the rows and says so; a damaged or foreign state is refused with what to do."""
    cloud(9000)
    arguments = distances("--layout", "square", "--rows-at-once", "10", "--threads", "1")
    write("d.npy", "an earlier result")
    process = start(tri, *arguments)
    end = time.monotonic() + 60
    while time.monotonic() < end and not (os.path.exists(state_file()) and os.path.getsize(part()) > 2000000):
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    PART, STATE = part(), state_file()
    told = re.search(r"interrupted after \d+ of 9000 rows, which are kept\. Go on with: triangulum (.*)\n", err)
    expect(process.returncode == 130 and told and ".part" not in err, err)
    expect(shlex.split(told[1]) == arguments, told[1])
    expect(bytes_of("d.npy") == b"an earlier result", "the earlier file was changed")
    kept = rows_kept(STATE)
    expect(0 < kept < 9000, kept)
    rows, state = bytes_of(PART), bytes_of(STATE)

    def refused(command, *words):
        _, err = tri.run(*command, code=6)
        expect(err.count("\n") == 1 and all(word in err for word in (PART, "delete", *words)), err)

    refused(distances("--layout", "lower"), "layout square, and this is lower")
    refused(distances("--layout", "square", "--precision", "fp32"), "precision fp64, and this is fp32")
    write("q.csv", open("p.csv").read().replace("0.1", "0.2", 1))
    refused([*arguments[:2], "q.csv", *arguments[3:]], "points")
    write(STATE, state.replace(b"done ", b"done 1"))
    refused(arguments, "its state is damaged")
    write(STATE, state)
    write(PART, rows[:kept * 9000 * 8])
    refused(arguments, "it was cut off")
    with open(PART, "wb") as f:  # a row that is done, but not as it was written
        f.write(rows[:70000] + bytes([rows[70000] ^ 1]) + rows[70001:])
    refused(arguments, "what is done is not what was written")
    os.remove(PART)
    refused(arguments, "is missing")
    expect(not os.path.exists(PART), "a refusal left a file")
    write(PART, rows)
    _, err = tri.run(*shlex.split(told[1]))
    expect(f"goes on after {kept} of 9000 rows of 'd.npy'" in err, err)
    resumed = bytes_of("d.npy")
    os.remove("d.npy")
    tri.run(*distances("--layout", "square"))
    expect(bytes_of("d.npy") == resumed, "the resumed file differs")


@case
def parts_of_others(tri):
    """Files of others under the names of a part are neither read, written nor removed; a protected result stays."""
    cloud(400)
    foreign = {name: f"of another: {name}" for name in
               ("d.npy.part", "d.npy.part-state", "d.npy.part-0123456789abcdef", "d.npy.tmp-0123456789abcdef")}
    for name, text in foreign.items():
        write(name, text)
    os.remove("d.npy.part")
    os.link("p.csv", "d.npy.part")  # writing to it would be writing to the input
    foreign["d.npy.part"] = open("p.csv").read()
    for rows in ("7", "5000"):
        tri.run(*distances("--rows-at-once", rows))
    expect(read_npy("d.npy")[0] == [400 * 399 // 2], "not the distances")
    for name, text in foreign.items():
        expect(open(name).read() == text, name)
    expect(sorted(os.listdir(".")) == sorted([*foreign, "d.npy", "p.csv"]), os.listdir("."))


@case
def full_disk_distances(tri):
    """A full disk ends it with 6 and a sentence; with more room the same command goes on."""
    cloud(3000)

    def limited(size):
        return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    arguments = distances("--rows-at-once", "20")
    tri.run(*arguments)
    whole = bytes_of("d.npy")
    os.remove("d.npy")
    _, err = tri.run(*arguments, code=6, preexec_fn=limited(100))  # before any row
    expect("cannot write 'd.npy'" in err and "free some space" in err, err)
    expect(sorted(os.listdir(".")) == ["p.csv"], os.listdir("."))
    for size in (4000000, 20000000, 30000000):
        _, err = tri.run(*arguments, code=6, preexec_fn=limited(size))
        expect("cannot write 'd.npy'" in err and "free some space" in err and "is kept" in err, err)
        expect(not os.path.exists("d.npy") and os.path.exists(part()), os.listdir("."))
    tri.run(*arguments)
    expect(bytes_of("d.npy") == whole, "the file differs")
    _, err = tri.run(*distances("--rows-at-once", "20", output="d.h5"), code=6, preexec_fn=limited(4000000))
    expect("cannot write 'd.h5'" in err and "free some space" in err, err)
    tri.run(*distances("--rows-at-once", "20", output="d.h5"))
    expect(sorted(os.listdir(".")) == ["d.h5", "d.npy", "p.csv"], os.listdir("."))
