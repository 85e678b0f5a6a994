#!/usr/bin/env python3
"""The window under a user's hands: keys and clicks from the X server, without a script. input_test.py PROGRAM DATA CASE,
as view_test.py."""

import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
from program import case, expect, main  # noqa: E402
from x_user import becomes, window  # noqa: E402


@case
def save_by_name(tri):
    """Ctrl+S, a name, Enter: the name replaces the one in the field, drives nothing else, and the file is written."""
    with window(tri, "plummer:n=64") as user:
        user.tap("n")
        user.looks()
        user.tap("Control_L", "s")
        user.looks()
        user.write("Result_7.csv")
        user.tap("Return")
        expect(becomes(lambda: os.path.exists("Result_7.csv")), f"no file: {os.listdir('.')}")
        # Again: the file is there already, and a second Enter replaces it.
        os.truncate("Result_7.csv", 0)
        user.tap("Control_L", "s")
        user.looks()
        user.tap("Return")
        user.looks()
        expect(os.path.getsize("Result_7.csv") == 0, "replaced without a question")
        user.tap("Return")
        expect(becomes(lambda: os.path.getsize("Result_7.csv") > 64 * 20), "not replaced")
        text = user.picture()
        expect((text["n"], text["step"]) == ("64", "1"), text)


@case
def numbers_when_left(tri):
    """A number that was typed takes effect when its field is left by a click into another one, before or after it."""
    rail, scene_text, n, seed = (24, 24), (145, 135), (145, 170), (145, 205)  # the panel Scene, and its fields
    with window(tri, "plummer:n=64", "--size", "1280x720", "--scale", "1") as user:
        user.click(*rail)
        user.looks()
        user.click(*n)
        user.looks()
        user.write("77")
        user.looks()
        user.click(*seed)
        user.looks()
        user.write("5")
        user.looks()
        user.click(*scene_text)
        user.looks()
        user.tap("Escape")
        text = user.picture()
        expect((text["n"], text["scene"]) == ("77", "plummer:n=77,seed=5"), text)


@case
def first_start(tri):
    """Without a scene the merger plays; Ctrl+P, words and Enter carry out what they name."""
    with window(tri, "--size", "1280x720", "--scale", "1") as user:
        user.looks(2)
        user.tap("Control_L", "p")
        user.looks()
        user.write("use map fold")
        user.looks()
        user.tap("Return")
        text = user.picture()
        expect(text["scene"].startswith("merger") and int(text["step"]) > 0, text)
        expect(text["map"] == "fold", text)
        user.click(24, 24)  # the rail: Scene
        user.looks()
        user.tap("Escape")
        user.tap("space")
        user.looks()
        step = user.picture()["step"]
        expect(user.picture()["step"] == step, "Space did not pause it")


@case
def pace_of_time(tri):
    """The three bodies of Pythagoras move by the clock, a unit of time a second, and not by frames."""
    with window(tri, "pythagorean", "--size", "320x320", "--scale", "1") as user:
        begin = time.monotonic()
        user.tap("space")
        user.looks(4)
        user.tap("space")
        most = time.monotonic() - begin + 2
        shown = float(user.picture()["time"])
    expect(0.5 < shown < most, f"{shown:.3g} units of time in {most:.3g} s at most")


@case
def step_back(tri):
    """N and Backspace: the state after two steps forth and one back is that after one."""
    with window(tri, "plummer:n=64") as user:
        for name in ("first", "again"):
            user.tap(*(("n",) if name == "first" else ("BackSpace",)))
            user.looks()
            user.tap("Control_L", "s")
            user.looks()
            user.write(f"{name}.csv")
            user.tap("Return")
            expect(becomes(lambda: os.path.exists(f"{name}.csv")), os.listdir("."))
            user.looks()
            if name == "first":
                user.tap("n")
                user.looks()
        text = user.picture()
        expect(text["step"] == "1", text)
    first, again = (open(f"{name}.csv").read() for name in ("first", "again"))
    expect(first == again, "another state")


@case
def quit_during_a_step(tri):
    """Ctrl+Q ends the program although a step would go on for seconds, about as soon as a paused one."""
    scene = ("plummer:n=24000", "--precision", "fp64", "--accumulate", "ordered")
    def seconds(steps):
        begin = time.monotonic()
        tri.run("run", *scene, "--steps", str(steps), "--backend", "cpu", "--threads", "1")
        return time.monotonic() - begin
    step = (seconds(3) - seconds(1)) / 2
    def quitting(runs):
        with window(tri, *scene, "--size", "320x320", "--scale", "1") as user:
            if runs:
                user.tap("space")
                user.looks(1 + 0.2 * step)
        return user.quitting
    paused, running = quitting(False), quitting(True)
    expect(running < paused + max(0.5, 0.25 * step),
           f"{paused:.2f} s to quit while paused, {running:.2f} s in a step, which takes {step:.2f} s")


if __name__ == "__main__":
    main()
