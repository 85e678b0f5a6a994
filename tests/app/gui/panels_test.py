#!/usr/bin/env python3
"""The views and panels beside the scene, driven by scripts.  panels_test.py PROGRAM DATA CASE, as view_test.py."""

import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
from picture import picture, share_lit  # noqa: E402
from program import case, expect, long_case, main  # noqa: E402


def hashed(seed, k):
    """splitmix64, which seeds the cells of the automaton."""
    mask = (1 << 64) - 1
    z = (seed + (k + 1) * 0x9e3779b97f4a7c15) & mask
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & mask
    z = (z ^ z >> 27) * 0x94d049bb133111eb & mask
    return z ^ z >> 31


def life_on_triangle(side, seed, generations):
    cells = [(i, j) for i in range(side) for j in range(i + 1)]
    alive = {c for k, c in enumerate(cells) if (hashed(seed, k) >> 11) * 2.0**-53 < 0.3}
    inside = set(cells)
    for _ in range(generations):
        counts = {}
        for i, j in alive:
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    if (di or dj) and (i + di, j + dj) in inside:
                        counts[i + di, j + dj] = counts.get((i + di, j + dj), 0) + 1
        alive = {c for c, n in counts.items() if n == 3 or n == 2 and c in alive}
    return len(alive)


def part(path, x0, x1, y0, y1):
    """Part of a picture, as tuples."""
    _, _, rows, _ = picture(path)
    return [tuple(rows[y][3 * x:3 * x + 3]) for y in range(y0, y1) for x in range(x0, x1)]


@long_case
def automaton(app):
    """Each map gives the cells of a plain automaton, and the same picture."""
    alive = life_on_triangle(64, 7, 50)
    script = "view automaton\n"
    for k, name in enumerate(("bb", "lambda", "h", "lambda-stream")):
        script += (f"map {name}\nautomaton B3/S23 64 7\ngenerations 50\nwait 2\nexpect-automaton 50 {alive}\n"
                   f"screenshot {k}.png\nwait 1\n")
    app.view("plummer:n=100", script=script + "expect-errors 0\n")
    first = part("0.png", 52, 868, 450, 640)
    living = sum(abs(r - 252) < 3 and abs(g - 217) < 3 for r, g, _ in first)
    expect(living > 5 * alive, f"{living} pixels for {alive} living cells")
    for k in (1, 2, 3):
        expect(part(f"{k}.png", 52, 868, 450, 640) == first, f"picture {k} differs")
    app.view("plummer:n=100", script="automaton B3/S2x\n", code=2)


@case
def distances(app):
    """Two distant clumps: small distances within, large between; sorted by index two squares, by radius not."""
    with open("two.csv", "w") as f:
        f.write("x,y,z,m\n" + "".join(f"{k % 2 * 100},{0.01 * k},0,1\n" for k in sorted(range(64), key=lambda k: k % 2)))
    app.view("two.csv", script="view distances\ndistances number\nwait 4\nexpect-errors 0\nscreenshot n.png\n"
             "distances middle 10\nwait 4\nscreenshot m.png\nwait 1\n")
    pixels = part("n.png", 480, 740, 405, 665)
    colours = {}
    for p in pixels:
        colours[p] = colours.get(p, 0) + 1
    near, far = (sum(c for p, c in colours.items() if test(p)) for test in
                 (lambda p: sum(p) < 40, lambda p: p[0] > 240 and p[1] > 240))
    expect(near > 5000 and far > 5000 and 0.7 < near / far < 1.4, (near, far))
    expect(part("m.png", 480, 740, 405, 665) != pixels, "the order has no effect")


@case
def tree(app):
    """Two distant clumps: each pair within is near, and all between meet by series; a law without a tree says so."""
    with open("two.csv", "w") as f:
        f.write("x,y,z,m\n" + "".join(f"{k // 640 * 100 + k % 10},{k // 10 % 8},{k // 80 % 8},1\n" for k in range(1280)))
    app.view("two.csv", "--tolerance", "1e-3", "--pairs", "tree", script="view tree\nwait 4\nexpect-errors 0\nscreenshot t.png\n")
    pixels = part("t.png", 60, 860, 410, 630)
    near, far = (sum(test(p) for p in pixels) for test in
                 (lambda p: p[0] > 200 and p[2] < 100, lambda p: p[0] < 100 and p[1] > 90 and p[1] > p[0] + 30))
    expect(near > 8000 and far > 8000 and 0.8 < near / far < 1.4, (near, far))
    app.view("gas:n=50", script="view tree\nwait 3\nexpect-errors 0\nscreenshot g.png\nwait 1\n")
    expect(len(set(part("g.png", 60, 860, 430, 630))) < 20, "a tree of contacts")


@case
def split(app):
    """Split view: right of the line the same bodies by another map, in the same picture."""
    script = "shape points\ncolour acceleration\nstep 3\nwait 3\n{}wait 2\nexpect-errors 0\nscreenshot {}.png\nwait 1\n"
    app.view("plummer:n=300", "--accumulate", "ordered", script=script.format("", "whole"))
    app.view("plummer:n=300", "--accumulate", "ordered", script=script.format("split bb 0.4\n", "two"))
    whole, two = (part(p, 300, 920, 40, 300) for p in ("whole.png", "two.png"))
    other = sum(a != b for a, b in zip(whole, two))
    expect(0 < other < 4 * 260, f"{other} pixels differ, not just the line")
    app.view("plummer:n=300", script="split utm-blok\n", code=2)
    app.view("gas:n=50", script="split bb\nwait 2\nexpect-notice impulses change\n")


@case
def contacts(app):
    """Colours by contacts; colour by group is refused in a scene without groups."""
    script = "shape spheres\nstep 60\nwait 2\ncolour {}\nwait 3\nexpect-errors 0\nscreenshot {}.png\nwait 1\n"
    for name in ("contacts", "mass"):
        app.view("sphere-box:n=400", script=script.format(name, name))
    expect(part("contacts.png", 300, 920, 40, 600) != part("mass.png", 300, 920, 40, 600), "contacts do not colour")
    err = app.view("plummer:n=50", script="colour group\n", code=1)
    expect("has no groups" in err, err)


@long_case
def lost_device(app):
    """A device that fails in flight: the run continues on the cpu backend, bit for bit."""
    script = "step 40\nwait 45\nexpect-steps 40\npause\nexpect-errors {}\nsave {}.csv\nwait 2\nscreenshot {}.png\n"
    app.view("plummer:n=200", "--accumulate", "ordered", script="lose-device 17\n" + script.format(1, "lost", "lost") +
             "expect-notice goes on with the cpu backend at step 17\nexpect-backend cpu\n")
    out, _ = app.run("run", "--restart", "triangulum-lost-device.hdf5", "--steps", "60", "--backend", "cpu")
    expect("step" in out, out)
    app.view("plummer:n=200", "--accumulate", "ordered", script=script.format(0, "whole", "whole"))
    with open("lost.csv") as lost, open("whole.csv") as whole:
        expect(lost.read() == whole.read(), "the bodies differ")
    expect(share_lit(picture("lost.png")[2], 300, 920, 40, 600) > 0.001, "no bodies are drawn")


@case
def screen_text(app):
    """The text of the screen for those who hear it: every window with its items, on standard output; high contrast
    is another picture of the same."""
    with open("script.txt", "w") as f:
        f.write("page fold\nwait 2\nscreen-text\nwait 2\nscreenshot usual.png\ncontrast on\nwait 2\nscreenshot high.png\n")
    out, _ = app.run("view", "plummer:n=200", "--script", "script.txt", "--backend", "cpu", timeout=200)
    for part in ("plummer: ", "== rail ==\nScene\n", "== map page ==", "Source: ours; RB", "== right ==", "200 bodies"):
        expect(part in out, f"no {part}: {out}")
    expect(picture("usual.png")[2] != picture("high.png")[2], "high contrast changes nothing")


@case
def panes_in_german(app):
    """What a pane says of its picture is in the language of the window, from the first picture on."""
    with open("script.txt", "w") as f:
        f.write("view distances\nwait 4\nscreen-text\nwait 2\nview tree\nwait 4\nscreen-text\nwait 2\n")
    out, _ = app.run("view", "plummer:n=300", "--language", "de", "--script", "script.txt", "--backend", "cpu", timeout=200)
    for part in ("von 300 Körper zu sehen; ", "44,850 Paare von Körpern: "):
        expect(part in out, f"no {part}: {out}")
    expect("in view" not in out and "pairs of bodies" not in out, out)


@case
def timeline(app):
    """Steps back show the state that was, whatever was changed since; a change there begins another run."""
    script = ("step 50\nsave first.csv\nstep 30\nwait 5\nmap fold\ndt 0.002\nstep 40\nexpect-steps 120\n"
              "save end.csv\nback 70\nexpect-steps 50\nsave again.csv\ngoto 120\nsave end_again.csv\n"
              "goto 50\nexpect-map lambda\ndt 0.5\nexpect-notice another run begins at step 50\nstep 10\n"
              "expect-steps 60\nbranch other\nexpect-steps 60\nexpect-map lambda\ngoto 120\nsave other.csv\n"
              "undo\nexpect-steps 60\nexpect-errors 0\ngoto 121\nexpect-notice step 121 is not kept\n"
              "expect-steps 60\nscreenshot time.png\n")
    app.view("plummer:n=200", script=script)
    def text(name):
        with open(f"{name}.csv") as f:
            return f.read()
    expect(text("again") == text("first"), "step 50 is another state")
    expect(text("end_again") == text("end"), "step 120 is another state")
    expect(text("other") == text("end"), "the other branch has another state")
    expect(text("first") != text("end"), "nothing moved")


@long_case
def series(app):
    """A recorded run is shown state by state without a step, and goes on from one of them as it did."""
    for name in ("vtp", "hdf5"):
        app.run("run", "plummer:n=200", "--steps", "100", "--save-every", "20", "--backend", "cpu",
                "--snapshot", f"run_{{step}}.{name}", "-o", f"end.{name}")
    script = ("expect-notice a recorded run of {} states\ngoto {}\nexpect-steps {}\nexpect-errors 0\nrun\nwait 20\n"
              "expect-steps 100\nback 2\nexpect-steps 60\nexpect-errors 0\ndt 3\nexpect-notice Branch here\n"
              "screenshot {}.png\nwait 1\n")
    app.view("run.pvd", script=script.format(6, 39, 20, "list"))
    app.view("run_{step}.hdf5", script=script.format(5, 40, 40, "folder") +
             "branch\nexpect-steps 60\nstep 40\nsave on.hdf5\nexpect-steps 100\nsave on.csv\n")
    app.run("convert", "run_100.hdf5", "whole.csv")
    with open("on.csv") as on, open("whole.csv") as whole:
        expect(on.read().splitlines()[-200:] == whole.read().splitlines()[-200:], "the run went on otherwise")
    expect("\nstep = 60\n" in picture("list.png")[3]["triangulum"], "the picture has another step")
    app.view("list.png", script="expect-steps 60\nexpect-errors 0\n")
    film = ["render", "run.pvd", "--size", "64x64", "--backend", "cpu"]
    err = app.run(*film, "-o", "film", "--frames", "9", code=2)[1]
    expect("6 states, enough for 6 frames" in err and not os.path.exists("film"), err)
    err = app.run(*film, "-o", "film")[1]
    expect(len(os.listdir("film")) == 6 and "Branch" not in err, (os.listdir("film"), err))
    app.run(*film, "-o", "few", "--skip", "1", "--steps-per-frame", "2")
    expect(len(os.listdir("few")) == 3, os.listdir("few"))
    for option in (["--G", "2"], ["--dt", "0.1"], ["--law", "none"], ["--map", "bb"], ["--units", "si"],
                   ["--precision", "fp64"], ["--threads", "1"]):
        err = app.run(*film, "-o", "none", *option, code=2)[1]
        expect(f"{option[0]} is of a run that is computed, and run.pvd is recorded" in err, err)


@long_case
def long_run(app):
    """Memory does not grow over many frames with maps, panels and views switched."""
    maps = ["bb", "lambda", "h", "rec", "fold"]
    script = "run\ntrails 64 64\n"
    for k in range(700):
        script += f"map {maps[k % 5]}\nview {('domain', 'distances', 'tree', 'automaton', 'off')[k % 5]}\nwait 2\n"
    err = app.view("plummer:n=64", "--size", "400x320", "-v", script=script + "expect-errors 0\n")
    found = re.search(r"resident memory: ([\d.]+) MB after 1000 frames, now ([\d.]+) MB", err)
    expect(found, err)
    before, after = map(float, found.groups())
    expect(after < before + 6, f"{before} MB after 1000 frames, {after} MB after 1400")


@case
def profile(tri):
    """The lanes hold work of every thread that did any; the profile has every body in one bin, and is saved as CSV."""
    tri.view(script="scene plummer:n=500\npanel Charts\nlanes on\nprofile speed\nstep 2\nwait 20\n"
             "expect-lane draw-thread work\nexpect-lane step-thread work\nexpect-lane gpu-draw work\n"
             "expect-lane gpu-step empty\nplot-save distribution speed.csv\nwait 5\nprofile density\nwait 20\n"
             "plot-save distribution density.csv\nwait 5\nexpect-errors 0\n")
    def columns(name):
        with open(name) as f:
            rows = [line.rstrip("\n").split(",") for line in f]
        return rows[0], [[float(x or "nan") for x in column] for column in zip(*rows[1:])]
    head, (speeds, bodies) = columns("speed.csv")
    expect(head == ["speed", "bodies"] and len(speeds) == 40 and sum(bodies) == 500, f"{head}: {bodies}")
    head, (radii, density, *_) = columns("density.csv")
    expect(head[:2] == ["radius", "density"] and radii == sorted(radii) and density[0] > 100 * density[-1],
           f"{head}: {density}")
    tri.view(script="lanes on\nwait 10\nexpect-lane gpu-step work\n", code=1)


BLUE, ORANGE, PALE_GREEN = (86, 180, 233), (233, 138, 0), (181, 238, 138)  # the first three ranks, in the dark


def colours_of(path, *area):
    pixels = part(path, *area)
    return [pixels.count(colour) for colour in (BLUE, ORANGE, PALE_GREEN)]


@case
def ranks(app):
    """Ranks under mpirun have strips and colour the domain; a run does there all that it does alone, to the same bits."""
    script = ("view domain\nwait 3\nscreenshot {0}-domain.png\nwait 1\nview off\npanel Charts\nstep 8\nwait 12\n"
              "expect-errors 0\nscreenshot {0}-strips.png\nwait 1\nmap fold\nstep 4\nwait 2\nback 3\nwait 2\nundo\nreset\n"
              "step 2\nwait 2\nundo\nsecond on\nwait 6\nsecond off\nadd 1 0 0 0 0 0 0.1 0\nstep 3\nwait 2\nexpect-n 801\n"
              "scene argon-droplet:n=40\nview domain\npanel none\nwait 3\nscreenshot {0}-triples.png\nwait 1\nstep 3\n"
              "wait 3\nsave {0}.csv\nopen two.csv\nexpect-errors 0\n")
    with open("two.csv", "w") as f:
        f.write("x,y,z,m\n0,0,0,1\n1,0,0,1\n")
    for name, before in (("a", []), ("r", app.on_ranks(3))):
        with open("script.txt", "w") as f:
            f.write(script.format(name))
        command = [*before, app.path, "view", "plummer:n=800", "--accumulate", "ordered", "--backend", "cpu", "--script",
                   "script.txt", "--size", "1280x800", "--scale", "1"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=200)
        expect(done.returncode == 0, done.stderr)
    with open("a.csv") as a, open("r.csv") as r:
        expect(a.read() == r.read(), "the atoms differ")
    domain, strips = (52, 868, 400, 740), (60, 345, 535, 736)
    for shown in ("domain", "triples"):
        found = colours_of(f"r-{shown}.png", *domain)
        expect(min(found) > 1500, f"{shown}: {found} pixels of each rank")
        found = colours_of(f"a-{shown}.png", *domain)
        expect(max(found) < 50, f"{shown}: {found} pixels of ranks where there is one")
    found = colours_of("r-strips.png", *strips)
    expect(max(found) > 1500 and min(found) > 0, f"strips: {found}")  # any of them may be the slowest, by far
    expect(max(colours_of("a-strips.png", *strips)) < 200, "strips where there is one rank")


if __name__ == "__main__":
    main()
