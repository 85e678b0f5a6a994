#!/usr/bin/env python3
"""Bodies, lanes, plots, figures, panels and the race by hand, with a real pointer and keys from the X server; and a window
at rest. touch_test.py PROGRAM DATA CASE, as view_test.py."""

import csv
import glob
import math
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
from picture import picture, share_lit  # noqa: E402
from program import case, expect, long_case, main  # noqa: E402
from x_user import becomes, window  # noqa: E402

WINDOW = ("--size", "1280x720", "--scale", "1")
SCENE = (48, 0, 824, 668)  # of that window: x, y, width, height
KEPLER = ("kepler:e=0", *WINDOW)
BODY_FIELD, MASS_FIELD = 152, 378  # of the panel Bodies, heights in pixels


def bodies(user, name):
    """The bodies of the session, from a file that is saved by name."""
    user.tap("Control_L", "s").looks()
    user.write(name)
    user.tap("Return")
    expect(becomes(lambda: os.path.exists(name) and os.path.getsize(name) > 0), f"no file: {os.listdir('.')}")
    user.looks()
    with open(name, encoding="utf-8") as file:
        lines = [line for line in file if not line.startswith("#")]
    return [{k.strip(): float(v) for k, v in row.items()} for row in csv.DictReader(lines)]


def close(a, b, off=1e-6):
    return abs(a - b) <= off * max(1, abs(a), abs(b))


@long_case
def add_by_drag(tri):
    """J and a drag add a body: it stands in the plane of the others, z = 0, and its velocity along the arrow is in it:
    twice as much for one twice as long (but for the perspective), and as the root of the mass, which grew by a half."""
    with window(tri, *KEPLER) as user:
        user.tap("j")
        user.drag([(300, 380), (340, 380)])
        user.drag([(300, 400), (380, 400)])
        user.drag([(600, 500), (600, 500)])
        text = user.picture()
        expect((text["n"], text["edits"]) == ("5", "3"), text)
        all_of = bodies(user, "added.csv")
        user.tap("Control_L", "z").looks()
        expect(user.picture()["n"] == "4", "undo did not take it back")
    first, second, third = all_of[2:]
    speeds = [math.hypot(b["vx"], b["vy"], b["vz"]) for b in (first, second, third)]
    expect(speeds[0] > 0 and close(speeds[1], 2 * math.sqrt(1.5) * speeds[0], 0.1) and speeds[2] == 0, speeds)
    expect(all(abs(b[k]) < 1e-5 for b in (first, second, third) for k in ("z", "vz")), (first, second, third))
    along = sum(first[v] * second[v] for v in ("vx", "vy", "vz")) / (speeds[0] * speeds[1])
    expect(close(along, 1, 1e-4), f"{along}: both point to the right")
    expect(close(first["m"], sorted(b["m"] for b in all_of[:2])[1]), "the mass is the median")


@long_case
def throw(tri):
    """With the tool a drag from a body gives it a new velocity and leaves it where it is; Ctrl+Z undoes it."""
    with window(tri, "kepler:e=0", *WINDOW) as user:
        user.tap("j")
        place = (300, 200)
        user.drag([place, place])
        before = bodies(user, "before.csv")
        user.drag([place, (place[0], place[1] - 60)], pause=0)  # faster than frames
        after = bodies(user, "after.csv")
        expect(len(before) == len(after) == 3 and after[:2] == before[:2], (before, after))
        expect(all(close(after[2][k], before[2][k]) for k in ("x", "y", "z", "m")), (before, after))
        expect(abs(after[2]["vz"]) < 1e-9 < math.hypot(after[2]["vx"], after[2]["vy"]), after[2])
        user.tap("Control_L", "z")
        expect(bodies(user, "undone.csv") == before, "not undone")


@long_case
def delete_and_undo(tri):
    """A box of Shift and the pointer selects; Delete takes these bodies out, Ctrl+Z brings them back."""
    with window(tri, "plummer:n=64", *WINDOW) as user:
        before = bodies(user, "before.csv")
        left, top, width, height = SCENE
        user.drag([(left + 5, top + 60), (left + width // 2, top + height - 80)], held=("Shift_L",))
        user.tap("Delete")
        after = bodies(user, "after.csv")
        expect(0 < len(after) < 64, f"{len(after)} bodies")
        expect(all(row in before for row in after), "others changed")
        user.tap("Control_L", "z")
        expect(bodies(user, "undone.csv") == before, "not undone")
        user.drag([(left + 5, top + 60), (left + width - 5, top + height - 80)], held=("Shift_L",))
        user.tap("Escape")
        user.tap("Delete").looks()
        expect(user.picture()["n"] == "64", "Esc selects none, and nothing is deleted")


@long_case
def edit_a_number(tri):
    """A number of the picked body, typed in the panel Bodies, changes the body."""
    with window(tri, "plummer:n=64", *WINDOW) as user:
        user.click(24, 182).looks()  # the rail: Bodies
        number = (145, BODY_FIELD)
        user.click(*number).looks()
        user.write("5")
        user.tap("Return").looks()
        user.click(145, MASS_FIELD).looks()
        user.write("0.75")
        user.tap("Return").looks()
        user.tap("Escape")
        after = bodies(user, "edited.csv")
        expect([k for k, b in enumerate(after) if b["m"] == 0.75] == [5], [b["m"] for b in after])


@case
def by_script(tri):
    """Commands do the same: measures follow their bodies, hidden bodies are not drawn, exports hold the selected."""
    with open("three.csv", "w", encoding="utf-8") as file:
        file.write("x,y,z,vx,vy,vz,m,r\n-1,0,0,0,0,0,1,0.3\n0,0,0,0,0,0,1,0.3\n1,0,0,0,0,0,1,0.3\n")
    tri.view("three.csv", *WINDOW, script="""
step 3
add 0 0 9 0 0 0 1 0.3     # after the three steps
step 2
back 3
expect-n 3
goto 4
expect-n 4
back 4
shape spheres
orbit -90 0
measure 0 2
expect-measure 2 1e-6
measure 0 1 2
expect-measure 180 1e-3
add 0 0 0.5 0 0 0 1 0.3
expect-n 4
measure 3 1 2
expect-measure 90 1e-3
delete 0
expect-n 3
expect-measure 90 1e-3   # of the same bodies, which have other numbers now
undo
expect-n 4
select box 0 0 824 668
expect-selected 4
measure none
wait 2
screenshot all.png
wait 1
selection hide
wait 2
pick 412 334
expect-body none
screenshot none.png
wait 1
selection show
selection plain
wait 2
screenshot plain.png
wait 1
select 1 3
export two.csv
delete
expect-n 2
step 3
expect-steps 3
add 5 0 0 0 0 0 2 0
step 2
expect-n 3
back 3
expect-n 2
undo
expect-n 3
expect-errors 0
select 0 1 2
delete
expect-errors 1
expect-notice the last body cannot be deleted
change 0 mass -1
expect-errors 2
tool add
stroke 500 200 560 200
expect-n 4
tool look
select 2
selection follow
wait 3
pick 412 334
expect-body 2
save edited.hdf5
""")
    left, top, width, height = SCENE
    part = (left + 10, left + width - 10, top + 60, top + height - 150)
    lit = {name: share_lit(picture(f"{name}.png")[2], *part) for name in ("all", "none", "plain")}
    expect(lit["all"] > 0.05 and abs(lit["plain"] - lit["all"]) < 0.2 * lit["all"], lit)
    expect(lit["none"] < 0.3 * lit["all"], f"hidden bodies are drawn: {lit}")
    blue = [blue_share(name, part) for name in ("all.png", "plain.png")]
    expect(abs(blue[0] - blue[1]) < 0.1, f"selected bodies keep their colours, of the legend: {blue}")
    with open("two.csv", encoding="utf-8") as file:
        expect(sum(line[0] not in "#x" for line in file) == 2, "two bodies are exported")
    summary = tri.json("run", "--restart", "edited.hdf5", "--steps", "1")
    expect("edits by hand" in summary["title"], summary["title"])


def blue_share(path, part):
    """How many of the lit pixels are more blue than red."""
    x0, x1, y0, y1 = part
    rows = picture(path)[2]
    pixels = [rows[y][3 * x:3 * x + 3] for y in range(y0, y1) for x in range(x0, x1)]
    lit = [p for p in pixels if max(p) > 60]
    return sum(p[2] > p[0] + 30 for p in lit) / max(1, len(lit))


# What stands beside the scene.


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
    """A plot zooms by Ctrl and the wheel and by a box, shows all after a double click, and its numbers are saved as CSV."""
    area, menu = (120, 76, 210, 50), (331, 54)  # of the first plot in the panel Charts
    with window(tri, "plummer:n=64", "--size", "1280x720", "--scale", "1") as user:
        for _ in range(4):
            user.tap("n").looks(0.6)
        user.click(24, 224)  # the rail: Charts
        user.move(640, 300)
        whole = user.part(*area)
        user.key("Control_L", True)
        user.wheel(240, 100, 3)
        user.key("Control_L", False)
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
