#!/usr/bin/env python3
"""Lanes, plots, figures, panels and the race under a user's hands; and a window at rest. charts_input_test.py PROGRAM
DATA CASE, as input_test.py."""

import glob
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
from program import expect, long_case, main  # noqa: E402
from x_user import becomes, window  # noqa: E402


def settings():
    """The window's settings as it left them."""
    with open("config/triangulum/app.ini") as f:
        return dict(line.strip().split(" = ", 1) for line in f if " = " in line)


@long_case
def lanes(tri):
    """A click on the frame strip opens the lanes. The wheel zooms and freezes them; a double click lets them go on."""
    inside = (200, 512, 640, 80)
    with window(tri, "plummer:n=64", "--size", "1280x720", "--scale", "1") as user:
        user.tap("v")  # spheres: quick frames
        user.tap("space")
        user.click(400, 682)
        user.move(640, 300)
        first, later = user.part(*inside), user.part(*inside)
        expect(first != later, "they stand still while the run goes on")
        user.wheel(500, 600, 4)
        user.move(640, 300)
        zoomed, later = user.part(*inside), user.part(*inside)
        expect(zoomed == later, "zoomed, they move on")
        user.drag([(500, 600), (600, 600)])
        user.move(640, 300)
        expect(user.part(*inside) != zoomed, "a drag moves nothing")
        user.click(500, 600, times=2)
        user.move(640, 300)
        expect(user.part(*inside) != user.part(*inside), "a double click does not let them go on")
    expect(settings()["lanes"] == "on", settings())


@long_case
def plots(tri):
    """A plot zooms by the wheel and by a box, shows all after a double click, and its numbers are saved as CSV."""
    area, menu = (120, 76, 210, 50), (331, 54)  # of the first plot in the panel Charts
    with window(tri, "plummer:n=64", "--size", "1280x720", "--scale", "1") as user:
        for _ in range(4):
            user.tap("n").looks(0.6)
        user.click(24, 224)  # the rail: Charts
        user.move(640, 300)
        whole = user.part(*area)
        user.wheel(240, 100, 3)
        user.move(640, 300)
        expect(user.part(*area) != whole, "the wheel does not zoom")
        user.click(240, 100, times=2)
        user.move(640, 300)
        expect(user.part(*area) == whole, "a double click does not show all")
        user.drag([(180, 80), (220, 110), (260, 120)], number=3)
        user.move(640, 300)
        expect(user.part(*area) != whole, "a box does not zoom")
        user.click(*menu).looks()
        user.click(menu[0] + 40, menu[1] + 20)  # Save as CSV
        expect(becomes(lambda: glob.glob("triangulum-*.csv")), os.listdir("."))
    lines = open("triangulum-energy-error.csv").read().splitlines()
    expect(lines[0] == "step,error" and [line.split(",")[0] for line in lines[1:]] == list("01234"), lines)


@long_case
def panel_width(tri):
    """The edge of a panel is dragged, its pin narrows the scene and Esc leaves it; both are kept."""
    with window(tri, "plummer:n=64", "--size", "1280x720", "--scale", "1") as user:
        user.click(24, 224)  # the rail: Charts
        user.drag([(365, 400), (420, 400), (465, 400)])
        user.click(465 - 48, 20)  # the pin
        user.tap("Escape").looks()
    kept = settings()
    expect((kept["panel"], kept["pinned"]) == ("Charts", "on"), kept)
    expect(410 <= float(kept["panel width"]) <= 425, kept)


@long_case
def column_width(tri):
    """The edge of the column of maps is dragged, which is kept; a double click gives it the window's choice again."""
    with window(tri, "plummer:n=64", "--size", "1280x720", "--scale", "1") as user:
        user.drag([(875, 400), (800, 400), (750, 400)])
        user.looks()
    expect(520 <= float(settings()["column width"]) <= 535, settings())
    with window(tri, "plummer:n=64", "--size", "1280x720", "--scale", "1") as user:
        user.click(753, 400, times=2).looks()
    expect(settings()["column width"] == "window", settings())


@long_case
def ranks(tri):
    """On ranks O shows who computes which tile; a choice brings omega back. Charts has their strips at the top."""
    blue, orange = (86, 180, 233), (233, 138, 0)
    domain, strips = (60, 470, 800, 140), (60, 535, 285, 110)

    def seen(user, area):
        pixels = [pixel for row in user.part(*area) for pixel in row]
        return pixels.count(blue), pixels.count(orange)

    with window(tri, "plummer:n=200", "--size", "1280x720", "--scale", "1", before=tri.on_ranks(2)) as user:
        user.tap("o")
        user.move(640, 200)
        found = seen(user, domain)
        expect(min(found) > 3000, f"{found} pixels of the tiles of two ranks")
        user.click(655, 394).looks()  # by rank
        user.click(625, 446)  # by omega
        user.move(640, 200)
        found = seen(user, domain)
        expect(max(found) < 50, f"{found} pixels of ranks where colours are of omega")
        user.tap("o")
        for _ in range(3):
            user.tap("n").looks(0.6)
        user.click(24, 224)  # the rail: Charts
        user.move(640, 300)
        found = seen(user, strips)
        expect(min(found) > 0 and max(found) > 1500, f"{found} pixels of strips")


@long_case
def figures(tri):
    """A drag turns the tetrahedron, a slider takes its layers off, and the pane takes the whole scene."""
    figure = (560, 480, 240, 150)
    with window(tri, "argon-droplet:n=64", "--size", "1280x720", "--scale", "1") as user:
        user.tap("o")
        user.move(300, 200)
        before = user.part(*figure)
        user.drag([(620, 560), (660, 560), (700, 540)])
        user.move(300, 200)
        turned = user.part(*figure)
        expect(turned != before, "a drag does not turn it")
        user.drag([(600, 395), (640, 395), (680, 395)])
        user.move(300, 200)
        expect(user.part(*figure) != turned, "no layers come off")
        user.click(752, 360)  # Whole scene
        user.move(300, 200)
        whole = user.part(48, 60, 300, 200)
        lit = sum(max(pixel) - min(pixel) > 60 for row in whole for pixel in row)
        expect(lit > 1000, f"{lit} coloured pixels of blocks where the scene was")


@long_case
def race_it(tri):
    """From the page of a map to a race of it against bb, and its figures as CSV, never over a file; then the run goes
    on."""
    with window(tri, "plummer:n=64", "--size", "1280x720", "--scale", "1") as user:
        user.tap("space").looks()
        user.tap("i").looks()
        user.click(817, 30).looks()  # Race it
        for _ in range(30):
            user.click(1015, 30)  # CSV, once there are figures
            if becomes(lambda: os.path.exists("triangulum-race.csv"), 2):
                break
        user.looks()
        first = open("triangulum-race.csv").read()
        user.click(1015, 30)
        expect(becomes(lambda: os.path.exists("triangulum-race-2.csv")), os.listdir("."))
        expect(open("triangulum-race.csv").read() == first, "replaced")
        step = int(user.picture()["step"])
        expect(becomes(lambda: int(user.picture()["step"]) > step), "the run stays paused")
    lines = open("triangulum-race.csv").read().splitlines()
    maps = {line.split(",")[1] for line in lines[1:]}
    expect(lines[0].startswith("kernel,map,") and maps == {"bb", "lambda"}, lines)


@long_case
def at_rest(tri):
    """A paused window takes less than 2 % of a core, and wakes at once."""
    with window(tri, "merger", "--size", "1280x720", "--scale", "1") as user:
        user.looks(4)  # it is paused from the start, and settles
        before = user.used()
        time.sleep(20)
        share = (user.used() - before) / 20
        user.tap("n")
        text = user.picture()
    expect(text["step"] == "1", text)
    expect(share < 0.02, f"{100 * share:.2f} % of a core")


if __name__ == "__main__":
    main()
