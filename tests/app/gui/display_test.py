#!/usr/bin/env python3
"""Frames of the window and of the display.  display_test.py PROGRAM DATA CASE, on a display (support/with_display.py)."""

import re

import view_test
from view_test import case, expect, picture

view_test.CASES.clear()


@case
def shown(tri):
    """By a thread of its own, and no more than a display can show."""
    said = tri.view("-v", script="scene plummer:n=100\nrun\nwait 90\nexpect-errors 0\n")
    rate = float(re.search(r"on the display: ([0-9.]+) frames a second", said).group(1))
    expect(0 < rate < 62, said)


@case
def paced(tri):
    """A frame waits until the display has taken the one before: all are shown; else a small window leaves most behind."""
    def rates(pace):
        said = tri.view("-v", "--pace", pace, "--size", "320x320", script="scene kepler\nwait 240\nexpect-errors 0\n")
        return (float(re.search(r": ([0-9.]+) frames/s", said).group(1)),
                float(re.search(r"on the display: ([0-9.]+) frames a second", said).group(1)))
    drawn, on_display = rates("display")
    expect(on_display > 0.9 * drawn, f"{drawn} frames a second were drawn and {on_display} of them shown")
    drawn, on_display = rates("free")
    expect(on_display < 62 and (drawn < 62 or on_display < drawn), f"{drawn} drawn, {on_display} shown")


@case
def long_steps(tri):
    """The window goes on while a step takes longer than a frame."""
    said = tri.view("-v", "--threads", "1", script="scene plummer:n=30000\nstep 1\nexpect-steps 1\nrun\nwait 2\n"
                    "screenshot late.png\nexpect-errors 0\n")
    beside = int(re.search(r"([0-9]+) frames drawn beside a long one", said).group(1))
    expect(beside >= 2, f"{beside} frames were drawn while steps of a second were taken: {said}")
    picture("late.png")


if __name__ == "__main__":
    view_test.main()
