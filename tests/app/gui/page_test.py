#!/usr/bin/env python3
"""Pages of runs: what is in them against the run itself, and in browsers.  page_test.py PROGRAM DATA CASE

Standard library only. Each case runs in a folder of its own."""

import array
import base64
import json
import math
import os
import re
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
from browser import Chromium, Firefox  # noqa: E402
from program import case, expect, main, text_of  # noqa: E402

RUN = ["run", "galaxy:n=300,seed=3", "--steps", "60", "--save-every", "4", "--snapshot", "s/g_{step}.vtp",
       "--backend", "cpu", "-q"]


def page(path):
    """What a page says of its run, and its frames: places by coordinate, and colours from 0 to 1."""
    text = text_of(path)
    head = json.loads(re.search(r'id="run">(.*?)</script>', text).group(1))
    data = zlib.decompress(base64.b64decode(re.search(r'id="data">(.*?)</script>', text).group(1), validate=True))
    n, at, frames, numbers = head["bodies"], 8 * head["bodies"], [], []
    expect(len(data) == at + 7 * n * head["frames"], len(data))
    for f in range(head["frames"]):
        block, at, now = data[at:at + 7 * n], at + 7 * n, []
        for value in range(4):
            bits = head["bits"] if value < 3 else head["bits"] // 2
            for i in range(n):
                z = block[2 * value * n + i] | (block[(2 * value + 1) * n + i] << 8 if value < 3 else 0)
                k = value * n + i
                guess = numbers[-1][k] if f else 0
                if value < 3 and head["order"] == 2 and f > 1:
                    guess = 2 * guess - numbers[-2][k]
                now.append((guess + ((z >> 1) ^ -(z & 1))) % (1 << bits))
        numbers.append(now)
        most = (1 << head["bits"] // 2) - 1
        frames.append([[head["low"][a] + head["step"][a] * q for q in now[a * n:(a + 1) * n]] for a in range(3)] +
                      [[q / most for q in now[3 * n:]]])
    return head, frames, array.array("f", data[:4 * n])


def states(tri, folder):
    """The states of a run: rows of csv, from text."""
    found = []
    for name in sorted(n for n in os.listdir(folder) if n.endswith(".vtp")):
        tri.run("convert", f"{folder}/{name}", "state.csv", "-q")
        with open("state.csv") as f:
            lines = [line.strip() for line in f if not line.startswith("#")]
        keys = lines[0].split(",")
        found.append([dict(zip(keys, map(float, line.split(",")))) for line in lines[1:]])
    return found


@case
def exact(tri):
    """A page has every state of the run: places within what it says, and the colours of the speeds."""
    os.mkdir("s")
    tri.run(*RUN)
    out, _ = tri.run("render", "s/g.pvd", "-o", "run.html", "--colour", "speed", "--colours", "viridis")
    head, frames, _ = page("run.html")
    expect(f"16 frames of 300 bodies in run.html: " in out and "16 bits a coordinate, places within" in out, out)
    expect((head["frames"], head["bodies"], head["bits"]) == (16, 300, 16), head["frames"])
    run = states(tri, "s")
    worst, speeds = 0, [math.hypot(b["vx"], b["vy"], b["vz"]) for state in run for b in state]
    low, high = head["range"]
    expect(abs(low - min(speeds)) < 1e-5 * high and abs(high - max(speeds)) < 1e-5 * high, (low, high))
    for k, state in enumerate(run):
        for i, b in enumerate(state):
            worst = max(worst, *(abs(frames[k][a][i] - b[axis]) for a, axis in enumerate("xyz")))
            shade = (math.hypot(b["vx"], b["vy"], b["vz"]) - low) / (high - low)
            expect(abs(frames[k][3][i] - shade) < 0.003, f"frame {k}, body {i}: {frames[k][3][i]}, not {shade}")
    expect(0.2 * head["error"] < worst <= head["error"], f"off by {worst}, and it says {head['error']}")
    expect(head["error"] < 1.1 * max(head["step"]) / 2 and head["title"] == "g.pvd", head["error"])
    expect(head["times"][0] == 0 and abs(head["times"][15] - 60 * 0.03125) < 1e-9, head["times"])
    expect(head["command"].startswith("triangulum render s/g.pvd -o run.html --colour speed"), head["command"])


@case
def words(tri):
    """The same page twice; what a page cannot have is refused; a title is no markup."""
    scene = ["merger:n=100", "--frames", "5", "--steps-per-frame", "2", "--backend", "cpu", "--threads", "1"]
    for name in "ab":
        os.mkdir(name)
        tri.run("render", *scene, "-o", f"{name}/p.html")
    a, b = (text_of(f"{name}/p.html").replace("a/p.html", "b/p.html") for name in "ab")
    expect(a == b, "the same input gave different pages")
    head = page("a/p.html")[0]
    expect(len(head["groups"]) == 2 and head["quantity"] == "group", head["groups"])
    for more, said in ((["--size", "100x100"], "--size"), (["--turn", "orbit"], "--turn"), (["--trails", "on"], "trails"),
                       (["--transparent"], "--transparent"), (["--follow", "3"], "--follow")):
        _, err = tri.run("render", *scene, "-o", "c.html", *more, code=2)
        expect(said in err and not os.path.exists("c.html"), err)
    _, err = tri.run("render", "plummer:n=100000", "--frames", "300", "-o", "c.html", code=2)
    expect("19,660,800 bodies times frames" in err and "--steps-per-frame" in err, err)
    _, err = tri.run("render", "plummer:n=10", "-o", "c.html", code=2)
    expect("--frames" in err, err)
    with open("t.toml", "w") as f:
        f.write('title = "</script><b>x</b>"\ngenerator = "plummer"\n[parameters]\nn = 20\n')
    tri.run("render", "t.toml", "--frames", "2", "-o", "t.html", "--backend", "cpu")
    text = text_of("t.html")
    expect(text.count("</script>") == 3 and "<b>x" not in text and page("t.html")[0]["title"] == "</script><b>x</b>",
           "a title is markup")
    tri.run("render", *scene, "-o", "no/such/p.html", code=6)


def shown(browser, tri):
    """The page is complete, plays, shows its bodies, and needs no network."""
    tri.run("render", "plummer:n=400", "--frames", "30", "--steps-per-frame", "4", "-o", "p.html", "--backend", "cpu",
            "--shape", "points", "--colours", "plain")
    expect("http" not in text_of("p.html").replace("http-equiv", ""), "it names a place in the network")
    page = browser(800, 600)
    try:
        page.open("p.html")
        page.wait("document.body.dataset.state !== 'loading'")
        expect(page.value("document.body.dataset.state") == "ready", page.value("document.getElementById('said').textContent"))
        page.wait("Number(document.getElementById('at').value) > 3")  # it plays by itself
        lit = """(() => {
          drawn = '';
          draw(performance.now());
          const pixels = new Uint8Array(4 * width * height);
          gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
          return pixels.reduce((sum, v, k) => sum + (k % 4 === 0 && v > 128), 0);
        })()"""  # pixels that bodies have lit
        page.value("go(0), 1")
        first = page.value(lit)
        expect(2000 < first < 20000, f"{first} pixels are lit of 400 bodies")
        page.value("camera.distance /= 4, 1")
        expect(page.value(lit) != first, "the camera does not move")
        expect(page.value("document.getElementById('command').textContent").startswith("triangulum render plummer:n=400"),
               "the command")
        page.picture("p.png")
    finally:
        page.stop()


@case
def chromium(tri):
    shown(Chromium, tri)


@case
def firefox(tri):
    shown(Firefox, tri)


@case
def render_and_view_take_options_as_run_does(tri):
    """Laws, steps and keys of the command line are in the scene before it is judged."""
    for name, text in (("f.csv", "m,x,y,z,r\n1,0,0,0,1\n2,1.5,0.1,0,1\n"), ("r.csv", "x,y,z,vx,vy,vz\n1000,0,0,1,0,0\n"),
                       ("flies.csv", "x,y,z,vx,vy,vz\n-0.5,0,0,1000,-0.7,0\n0.5,0,0,1000,0.7,0\n")):
        with open(name, "w") as f:
            f.write(text)
    page = ["-o", "z.html", "--frames", "2"]
    for args, code, what in (
            (["r.csv", "--dt", "1e-5"], 0, "so the run is in float64"),
            (["plummer:n=20", "--law", "lennard-jones", "--epsilon", "1e-50"], 0, "so the run is in float64"),
            (["flies.csv", "--steps-per-frame", "3000"], 0, "from each other: this motion is lost"),
            (["sphere-box:n=20", "--stiffness", "5"], 0, "the springs are too soft"),
            (["sphere-box:n=20", "--dt", "0.1"], 0, "more than a fiftieth of the shortest contact time"),
            (["plummer:n=20,eps=0.1", "--law", "lennard-jones"], 2, "eps belongs to gravity"),
            (["plummer:n=20,dt=0.1", "--dt", "0.3"], 2, "key dt is given twice")):
        err = tri.run("render", *args, *page, code=code)[1]
        expect(what in err, f"{args}: {err}")
    expect("does not use it" not in tri.run("render", "f.csv", "--law", "contact", *page)[1], "contact uses radii")


if __name__ == "__main__":
    main()
