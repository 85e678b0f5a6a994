#!/usr/bin/env python3
"""Opening and saving in the app, driven by scripts.  files_test.py PROGRAM DATA CASE, as view_test.py."""

import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
from picture import picture, share_lit  # noqa: E402
from program import case, expect, long_case, main  # noqa: E402
from x_user import Client  # noqa: E402


@case
def broken_files(tri):
    """A file that cannot be opened gives an error, and the current scene stays."""
    with open("bad.csv", "w") as f:
        f.write("x,y,z\n1,2,zebra\n")
    with open("bad.png", "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n and then nothing")
    tri.view("plummer:n=50", script="""
step 3
open bad.csv
expect-notice bad.csv
open bad.png
expect-notice bad.png
open none.tab
expect-notice none.tab
scene plumer
expect-notice Did you mean 'plummer'?
map utm
dt 1e300
run
wait 2
expect-notice step 4
expect-errors 5
expect-n 50
reset
dt 0.001
run
wait 3
pause
expect-errors 5
""")


@long_case
def files(tri):
    """Opens every readable format, saves every writable one, and a snapshot restores its laws."""
    with open("my.toml", "w") as f:
        f.write('title = "t"\ngenerator = "plummer"\n[parameters]\nn = 31\n')
    tri.json("run", "sphere-box:n=12", "--steps", "5", "-o", "run.hdf5")
    script = "open my.toml\nexpect-n 31\nopen my.toml:n=17\nexpect-n 17\n"
    names = ["s.tab", "s.csv", "s.npy", "s.hdf5", "s.xyz", "s.ply", "s.vtp"]
    script += "".join(f"save {name}\n" for name in names) + "wait 2\nscene kepler\nexpect-n 2\n"
    script += "".join(f"open {name}\nwait 1\nexpect-n 17\nscene kepler\n" for name in names)
    script += "step 30\nsave s30.hdf5\nscene plummer:n=5\nopen s30.hdf5\nexpect-n 2\nexpect-steps 30\nstep 5\nexpect-steps 35\n"
    script += "expect-errors 0\nopen run.hdf5\nexpect-n 12\nexpect-notice its laws\nrun\nwait 3\nexpect-errors 0\n"
    tri.view("kepler", script=script)
    for kind in ("xyz", "ply", "vtp", "h5", "toml"):
        with open(f"bad.{kind}", "wb") as f:
            f.write(b"2\nnothing of the kind\n\x00\xff")
    script = "".join(f"open bad.{kind}\nexpect-notice bad.{kind}\n" for kind in ("xyz", "ply", "vtp", "h5", "toml"))
    tri.view("kepler", script=script + "expect-errors 5\nexpect-n 2\n")


@long_case
def dropped(tri):
    """Files dropped on the window: a scene, bodies, a run, one of several, and an invalid one."""
    tri.json("run", "plummer:n=17", "--steps", "5", "-o", "b\u00f6dies of 17 %.csv")
    tri.json("run", "sphere-box:n=12", "--steps", "5", "-o", "run.hdf5")
    tri.json("run", "plummer:n=19", "--steps", "4", "--save-every", "2", "--snapshot", "s_{step}.vtp")
    with open("my.toml", "w") as f:
        f.write('title = "t"\ngenerator = "plummer"\n[parameters]\nn = 31\n')
    with open("bad.csv", "w") as f:
        f.write("x,y,z\n1,2,zebra\n")
    for paths, checks in ((["b\u00f6dies of 17 %.csv"], "expect-n 17\nexpect-errors 0\n"),
                          (["my.toml", "run.hdf5"], "expect-n 31\nexpect-notice 2 files were dropped\nexpect-errors 0\n"),
                          (["run.hdf5"], "expect-n 12\nexpect-steps 5\nexpect-errors 0\n"),
                          (["s.pvd"], "expect-errors 0\nexpect-n 19\nexpect-notice a recorded run of 3 states\n"),
                          (["bad.csv"], "expect-notice 'zebra' is not a number\nexpect-errors 1\nexpect-n 2\n")):
        with open("script.txt", "w") as f:
            f.write("wait 300\n" + checks)
        process = subprocess.Popen([tri.path, "view", "kepler", "--size", "640x480", "--backend", "cpu", "--script",
                                    "script.txt"], stderr=subprocess.PIPE, text=True)
        try:
            Client().drop(paths)
            _, err = process.communicate(timeout=90)
        finally:
            process.kill()
        expect(process.returncode == 0, f"{paths}: exit code {process.returncode}: {err}")


@long_case
def pipes_as_files(tri):
    """Pipes in place of the window's own files: it starts, takes a signal, and ends."""
    home = os.path.abspath("home")
    os.makedirs(f"{home}/.config/triangulum")
    for name in ("app.ini", "recent", "tuning.txt"):
        os.mkfifo(f"{home}/.config/triangulum/{name}")
    env = {k: v for k, v in os.environ.items() if k not in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME")}
    tri.run("convert", "kepler", "k.csv")
    for more in ({"HOME": home}, {"HOME": "/proc/none"}, {"HOME": home, "XDG_CACHE_HOME": os.path.abspath("k.csv")}):
        process = subprocess.Popen([tri.path, "view", "k.csv", "--backend", "cpu"], stderr=subprocess.PIPE, text=True,
                                   env={**env, **more})
        time.sleep(4)
        expect(process.poll() is None, more)
        process.send_signal(signal.SIGTERM)
        begin = time.monotonic()
        _, err = process.communicate(timeout=60)
        expect(process.returncode == 130 and time.monotonic() - begin < 3, (more, time.monotonic() - begin, err))


@long_case
def slow_file(tri):
    """A slow file shows its progress over the scene; Esc stops it, and the current scene stays."""
    for stopped in (False, True):
        for name in ("slow.tab", "seen"):
            subprocess.run(["rm", "-rf", name], check=True)
        os.mkfifo("slow.tab")
        with open("script.txt", "w") as f:
            f.write("wait 4\nopen slow.tab\nwait 4\n")
            f.write(f"expect-n 2\nexpect-errors 1\nexpect-notice {'stopped' if stopped else 'has 6 columns'}\n")
        process = subprocess.Popen([tri.path, "view", "kepler", "--size", "900x700", "--backend", "cpu", "--record", "seen",
                                    "--script", "script.txt"], stderr=subprocess.PIPE, text=True)
        try:
            with open("slow.tab", "wb") as f:
                for k in range(16):
                    f.write(b"1 2 3 4 5 6 7\n" * 80000)  # more than a megabyte, so that readers report progress
                    time.sleep(0.1)
                    if stopped and k == 8:
                        Client().tap("Escape")
                f.write(b"1 2 3 4 5 6\n")  # reading all of them would take minutes
        except BrokenPipeError:
            expect(stopped, "Esc did not stop the file")
        try:
            _, err = process.communicate(timeout=90)
        finally:
            process.kill()
        expect(process.returncode == 0, f"exit code {process.returncode}: {err}")
        frames = sorted(os.listdir("seen"))
        expect(len(frames) > 12, f"{len(frames)} frames, of which 8 or 9 are the script's own")
        _, _, rows, _ = picture(os.path.join("seen", frames[len(frames) - 8]))
        _, _, before, _ = picture(os.path.join("seen", frames[1]))
        area = (300, 600, 25, 60)
        expect(share_lit(rows, *area) > share_lit(before, *area) + 0.02, "no text over the scene")


if __name__ == "__main__":
    main()
