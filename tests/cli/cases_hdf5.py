"""Cases of the command line: the process without rights that reads HDF5, and its ends."""

import os
import re
import resource
import signal
import struct
import subprocess
import time

from program import case, expect, skip, text_of, write

PATIENCE = 0.5 * (6 if os.environ.get("TRI_SANITIZED") else 1)
# AddressSanitizer catches this signal, and ends the process where an allocation fails.
ASAN_ENDS = "exit code 1" if os.environ.get("TRI_SANITIZED") else None


def big_file(tri, name, n=2000000):
    """HDF5 of n bodies, which takes a good part of a second to read."""
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({n}, 7), }}"
    header += " " * ((-11 - len(header)) % 64) + "\n"
    with open("big.npy", "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        row = struct.pack("<7d", 1, 0.5, 0.25, 0.125, 0, 0, 0)
        for _ in range(n // 10000):
            f.write(row * 10000)
    tri.run("convert", "big.npy", name)
    os.remove("big.npy")


def status(pid):
    return dict(line.split(":", 1) for line in text_of(f"/proc/{pid}/status").splitlines())


def is_gone(pid):
    try:
        return status(pid)["State"].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


def held_reader(tri, *arguments, **how):
    """The program, started, and the pid of its reader, stopped while it reads without rights."""
    how = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True} | how
    for _ in range(5):  # on a busy machine the reader may be over before it is seen
        process = subprocess.Popen([tri.path, *arguments], **how)
        end = time.monotonic() + 10
        while process.poll() is None and time.monotonic() < end:
            children = text_of(f"/proc/{process.pid}/task/{process.pid}/children").split()
            try:
                if children and status(children[0])["Seccomp"].strip() == "2":
                    os.kill(int(children[0]), signal.SIGSTOP)
                    return process, int(children[0])
            except (FileNotFoundError, ProcessLookupError):
                continue  # it ended meanwhile; another follows, or the program ends
        process.kill()
        process.communicate()
    raise AssertionError("the program has no reader without rights")


def need_linux():
    if not os.path.exists(f"/proc/{os.getpid()}/task/{os.getpid()}/children"):
        skip("this system lists no children of a process")


@case
def hdf5_reader_rights(tri):
    """The reader has the file, its parent and the null device, no way to more, and limits."""
    need_linux()
    big_file(tri, "big.hdf5")
    process, reader = held_reader(tri, "convert", "big.hdf5", "out.npy")
    seen = status(reader)
    expect(seen["NoNewPrivs"].strip() == "1", seen)
    links = {int(fd): os.readlink(f"/proc/{reader}/fd/{fd}") for fd in os.listdir(f"/proc/{reader}/fd")}
    expect(sorted(links) == [0, 1, 2, 3, 4, 5], links)
    expect([links[fd] for fd in (0, 1, 2)] == ["/dev/null"] * 3, links)
    expect(links[3].startswith("socket:") and links[4].endswith("/big.hdf5") and "memfd" in links[5], links)
    space, seconds = (resource.prlimit(reader, what)[0] for what in (resource.RLIMIT_AS, resource.RLIMIT_CPU))
    allowed = (1 << 30) + 8 * os.path.getsize("big.hdf5")
    expect(allowed < space < allowed + (1 << 30) or os.environ.get("TRI_SANITIZED"), space)
    expect(60 < seconds < 60 + 200, seconds)
    expect(resource.prlimit(reader, resource.RLIMIT_CORE) == (0, 0), "it may dump its memory")
    os.kill(reader, signal.SIGCONT)
    expect(process.wait(timeout=60) == 0, process.stderr.read())
    expect(is_gone(reader), "the reader outlived the program")


@case
def hdf5_reader_ends(tri):
    """A reader that crashes or runs out of time is a broken file; Ctrl-C and the end of the program end it."""
    need_linux()
    big_file(tri, "big.hdf5")
    for sent, name in ((signal.SIGSEGV, ASAN_ENDS or "Segmentation fault"), (signal.SIGXCPU, "CPU time limit exceeded")):
        process, reader = held_reader(tri, "convert", "big.hdf5", "out.npy")
        os.kill(reader, sent)
        os.kill(reader, signal.SIGCONT)
        _, err = process.communicate(timeout=60)
        expect(process.returncode == 6, err)
        expect(f"the file 'big.hdf5' made the HDF5 reader crash ({name}); it is damaged" in err, err)
        expect(is_gone(reader), "it is still there")
    for arguments, sent, code in ((("convert", "big.hdf5", "out.npy"), signal.SIGINT, 130),
                                  (("run", "big.hdf5", "--steps", "1"), signal.SIGTERM, 130),
                                  (("convert", "big.hdf5", "out.npy"), signal.SIGKILL, -9)):
        process, reader = held_reader(tri, *arguments)
        begin = time.monotonic()
        process.send_signal(sent)
        process.communicate(timeout=60)
        expect(time.monotonic() - begin < PATIENCE, f"{arguments} took {time.monotonic() - begin} s")
        expect(process.returncode == code, process.returncode)
        while not is_gone(reader):
            expect(time.monotonic() - begin < 5, "the reader outlived the program")
            time.sleep(0.01)
    expect(os.listdir(".") == ["big.hdf5"], os.listdir("."))


@case
def hdf5_reader_ignores_the_terminal(tri):
    """Ctrl-C reaches the reader too, and leaves its end to the program."""
    need_linux()
    big_file(tri, "big.hdf5")
    process, reader = held_reader(tri, "convert", "big.hdf5", "out.npy")
    os.kill(reader, signal.SIGINT)
    os.kill(reader, signal.SIGCONT)
    expect(process.wait(timeout=60) == 0, process.stderr.read())


@case
def hdf5_hostile(tri):
    """13 kB that become 3 GiB in memory, closed descriptors, and somebody who starts the reader himself."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    _, err = tri.run("convert", tri.file("expanding.hdf5"), "out.npy", code=6)
    said = ASAN_ENDS or "memory|filter returned failure"  # HDF5 1.10 | 1.14
    expect("expanding.hdf5" in err and re.search(said, err), err)
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    expect(used < max(before, 1600000) or os.environ.get("TRI_SANITIZED"), f"{used} kB")
    tri.run("run", "figure-8", "--steps", "3", "-o", "state.hdf5")
    shell = f'"{tri.path}" convert state.hdf5 state.npy <&- >&- 2>&-'
    expect(subprocess.run(["sh", "-c", shell], timeout=60).returncode == 0, "closed streams")
    expect(os.path.getsize("state.npy") > 3 * 7 * 4, "an empty file")
    _, err = tri.run("hdf5-reader", code=2)
    expect("unknown command 'hdf5-reader'" in err or "hdf5-reader" in err, err)


@case
def hdf5_reader_without_shared_memory(tri):
    """ulimit -f lets processes share no memory: the reader has no rights all the same, and the rows come in answers."""
    need_linux()
    big_file(tri, "b.h5", 300000)
    tri.run("convert", "b.h5", "whole.npy")
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    process, pid = held_reader(tri, "convert", "b.h5", "-", stdout=subprocess.PIPE, text=False, preexec_fn=limit)
    expect(status(pid)["Seccomp"].strip() == "2", "the reader has all rights")
    os.kill(pid, signal.SIGCONT)
    out, err = process.communicate(timeout=60)
    expect(process.returncode == 0 and out.count(b"\n") == 300001, err)
    write("limited.csv", out)
    tri.run("convert", "limited.csv", "limited.npy")
    expect(open("limited.npy", "rb").read() == open("whole.npy", "rb").read(), "other numbers")
