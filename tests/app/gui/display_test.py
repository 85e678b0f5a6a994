#!/usr/bin/env python3
"""Frames of the window and of the display.  display_test.py PROGRAM DATA CASE, on a display (support/with_display.py)."""

import os
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
from picture import picture  # noqa: E402
from program import case, expect, long_case, main, skip, write  # noqa: E402


@case
def shown(tri):
    """Presents on a separate thread, at most at the display's rate."""
    said = tri.view("-v", script="scene plummer:n=100\nrun\nwait 90\nexpect-errors 0\n")
    rate = float(re.search(r"on the display: ([0-9.]+) frames per second", said).group(1))
    expect(0 < rate < 62, said)


@long_case
def parts(tri):
    """The parts of a frame sum to it, next to nothing is left over, and software OpenGL is not called a GPU."""
    said = tri.view("-v", "--threads", "1", script="scene plummer:n=3000\nrun\nwait 60\nexpect-errors 0\n")
    whole, parts = re.search(r"a frame in the mean: ([0-9.]+) ms = (.*)", said).groups()
    times = {name: float(ms) for name, ms in re.findall(r"([a-z]+) ([0-9.]+)", parts)}
    expect(abs(sum(times.values()) - float(whole)) < 0.001 * len(times), said)
    expect(times["other"] < 0.1 * float(whole) and min(times.values()) >= 0, said)
    expect(times["steps"] > 0.1 and times["scene"] > 0 and times["panels"] > 0, said)
    expect("drawn by the llvmpipe" in said and "GPU" not in said, said)


@long_case
def hidden(tri):
    """Below a page the scene is not drawn; it comes back with the page's end."""
    def scene_ms(page):
        said = tri.view("-v", "--threads", "1", "--size", "1280x720",
                        script=f"scene plummer:n=3000\n{page}wait 60\nexpect-errors 0\n")
        return float(re.search(r"scene ([0-9.]+)", re.search(r"a frame in the mean: .*", said).group()).group(1))
    usual = scene_ms("")
    for page in ("puzzle fold\n", "page lambda\n"):
        under = scene_ms(page)
        expect(under < 0.25 * usual, f"{under} ms for the scene under {page}, {usual} ms without")
    tri.view("--size", "1280x720", script="scene plummer:n=3000\npuzzle fold\nwait 4\npuzzle none\nwait 2\n"
             "screenshot back.png\n")
    lit = picture("back.png")[2]
    expect(sum(max(row[3 * 300:3 * 700]) > 120 for row in lit[200:450]) > 50, "the scene is not back")


@long_case
def vsync(tri):
    """With V-sync all frames are shown; without it a small window draws many more than it shows."""
    def rates(pace):
        said = tri.view("-v", "--pace", pace, "--size", "320x320", script="scene kepler\nwait 240\nexpect-errors 0\n")
        return (float(re.search(r": ([0-9.]+) frames/s", said).group(1)),
                float(re.search(r"on the display: ([0-9.]+) frames per second", said).group(1)))
    drawn, on_display = rates("display")
    expect(on_display > 0.9 * drawn, f"{drawn} frames per second were drawn, {on_display} shown")
    drawn, on_display = rates("free")
    expect(on_display < 62 and (drawn < 62 or on_display < drawn), f"{drawn} drawn, {on_display} shown")


@long_case
def long_steps(tri):
    """The window stays responsive while a step takes longer than a frame."""
    said = tri.view("-v", "--threads", "1", script="scene plummer:n=30000\nstep 1\nexpect-steps 1\nrun\nwait 2\n"
                    "screenshot late.png\nexpect-errors 0\n")
    during = int(re.search(r"([0-9]+) frames drawn during a long one", said).group(1))
    expect(during >= 2, f"{during} frames were drawn while steps of a second were taken: {said}")
    picture("late.png")


@long_case
def wayland(tri):
    """Without an X display the window is one of Wayland, where GLFW has it; by weston, which is a window of X here."""
    if not shutil.which("weston"):
        skip("there is no weston")
    folder = os.path.abspath("run")
    os.makedirs(folder, mode=0o700)
    nested = dict(os.environ, XDG_RUNTIME_DIR=folder)
    weston = subprocess.Popen(["weston", "--backend=x11-backend.so", "--use-pixman", "--width=1400", "--height=900",
                               "--socket=tri"], env=nested, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(200):
            if os.path.exists(os.path.join(folder, "tri")):
                break
            time.sleep(0.1)
        write("script.txt", "scene plummer:n=100\nrun\nwait 10\nscreenshot seen.png\nexpect-errors 0\n")
        nested["WAYLAND_DISPLAY"] = "tri"
        del nested["DISPLAY"]
        command = [tri.path, "view", "--size", "640x480", "--script", "script.txt", "--backend", "cpu"]
        shown = subprocess.run(command, env=nested, capture_output=True, text=True, timeout=200)
        if shown.returncode == 7 and "X11" in shown.stderr:
            skip("GLFW knows X11 alone here")
        expect(shown.returncode == 0, shown.stderr)
        picture("seen.png")
    finally:
        weston.terminate()
        weston.wait()


if __name__ == "__main__":
    main()
