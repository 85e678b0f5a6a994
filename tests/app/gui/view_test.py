#!/usr/bin/env python3
"""The app in a window, driven by scripts, and its frames.  view_test.py PROGRAM DATA CASE, on a display
(support/with_display.py).

Standard library only. Each case runs in a folder of its own."""

import json
import os
import re
import shutil
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
from picture import farthest, picture, share_lit  # noqa: E402
from program import case, expect, long_case, main, skip, write  # noqa: E402


@case
def every_map(tri):
    """Switches through all maps of pairs and triples in flight; each becomes the current one and takes its steps."""
    maps = tri.json("list", "maps")
    script = "scene plummer:n=300\nrun\n"
    for m in (m for m in maps if m["domain"] == "pairs"):
        script += f"map {m['name']}\nwait 2\nexpect-map {m['name']}\n"
    script += "pause\nscene argon-droplet:n=40,nu=0.07\nrun\n"
    # A scene with triples has pairs too, and `expect-map` checks the map of pairs; the panel shows both.
    for m in (m for m in maps if m["domain"] == "triples" and m["name"] != "bb"):
        script += f"map {m['name']}\nwait 2\n"
    script += "expect-errors 0\nscreenshot last.png\n"
    tri.view(script=script)
    width, height, rows, texts = picture("last.png")
    expect((width, height) == (1280, 720), (width, height))
    last = [m["name"] for m in maps if m["domain"] == "triples"][-1]
    expect(f"\ntriple-map = {last}\n" in texts["triangulum"], texts["triangulum"])
    expect(0.001 < share_lit(rows, 300, 920, 20, 600) < 0.9, "the scene shows bodies and background")


@case
def every_scene(tri):
    script = ""
    for scene in tri.json("list", "scenes"):
        small = ":n=64" if any(key.startswith("n=") for key in scene["keys"].split(", ")) else ""
        script += f"scene {scene['name']}{small}\nrun\nwait 3\nexpect-errors 0\n"
    for name in ("solar_system.tab", "milky_way_andromeda_10k.tab"):
        script += f"open {os.path.join(tri.data, name)}\nwait 2\nexpect-errors 0\n"
    tri.view(script=script + "expect-n 10241\n")


@case
def resize(tri):
    script = "scene kepler\n"
    for width, height in ((1920, 1080), (700, 400), (400, 900), (64, 64), (2560, 1440)):
        script += f"resize {width} {height}\nwait 3\nscreenshot p{width}.png\nwait 1\n"
    tri.view("--scale", "1.5", script=script + "expect-errors 0\n")
    for width, height in ((1920, 1080), (700, 400), (2560, 1440)):
        with open(f"p{width}.png", "rb") as f:
            expect(struct.unpack(">II", f.read(24)[16:]) == (width, height), f"size of p{width}.png")


@case
def picture_opens(tri):
    """A screenshot restores scene, map, block and step."""
    tri.view("plummer:n=77,seed=5", "--map", "fold", "--block", "32", "--accumulate", "ordered", "--exit-after", "3",
             "--screenshot", "a.png")
    tri.view("kepler", script="open a.png\nexpect-n 77\nexpect-map fold\nexpect-errors 0\nscreenshot b.png\n")
    tri.view("a.png", script="expect-n 77\nexpect-map fold\nexpect-errors 0\n")
    first, second = picture("a.png"), picture("b.png")
    expect(first[3]["triangulum"] == second[3]["triangulum"], (first[3], second[3]))
    expect("block = 32\n" in first[3]["triangulum"] and "accumulate = ordered" in first[3]["triangulum"], first[3])
    # The same scene from the same camera, without the timing panel.
    expect(farthest(first[2], second[2]) <= 4, "the pictures differ")


@long_case
def picture_of_steps(tri):
    """A picture shows all steps that were asked for before it, however long they take; also the last one's."""
    def lit(name):
        _, _, rows, texts = picture(name)
        expect("\nstep = 3\n" in texts["triangulum"], texts["triangulum"])
        return share_lit(rows, 300, 920, 20, 690, over=30)
    tri.view("plummer:n=20000", "--threads", "1", script="step 3\nscreenshot a.png\n")
    tri.view("plummer:n=20000", "--threads", "1", "--screenshot", "b.png", script="step 3\n")
    tri.view("plummer:n=20000", "--threads", "1", script="step 3\nexpect-steps 3\nwait 3\nscreenshot c.png\n")
    shares = [lit(f"{k}.png") for k in "abc"]
    expect(min(shares) > 0.05 and max(shares) < 1.1 * min(shares), shares)


@long_case
def styles(tri):
    """Each shape is drawn from the first command on, and for a scene that the script opens."""
    seen = []
    for shape in ("glow", "points", "spheres"):
        tri.view("plummer:n=400", script=f"shape {shape}\nsize 3\nwait 2\nscreenshot {shape}.png\n"
                 f"scene plummer:n=400\nshape {shape}\nsize 3\nwait 2\nscreenshot again.png\nexpect-errors 0\n")
        first, second = picture(f"{shape}.png")[2], picture("again.png")[2]
        expect(farthest(first, second) <= 4, f"{shape} differs")
        seen.append(first)
    for k in range(3):
        expect(farthest(seen[k], seen[(k + 1) % 3]) > 40, "different shapes give the same picture")


@case
def present(tri):
    """The cpu backend has no interop: one message, and the copy is used."""
    err = tri.view("kepler", "--present", "interop", script="wait 3\nscene figure-8\nwait 2\nexpect-errors 1\nexpect-notice copied\n")
    expect("the bodies are copied to graphics memory" in err, err)
    expect("copied" not in tri.view("kepler", "--present", "copy", script="wait 3\nexpect-errors 0\n"), "asked for")


@case
def failed_expectation(tri):
    err = tri.view("kepler", script="wait 1\n# a comment\nexpect-n 3\n", code=1)
    expect("script.txt:3" in err and "2 bodies" in err, err)
    tri.view("kepler", script="step 5\nexpect-steps 4\n", code=1)
    tri.view("kepler", script="map fold\nexpect-map lambda\n", code=1)
    tri.view("kepler", script="scene none\nexpect-errors 0\n", code=1)
    err = tri.view("kepler", script="wait 1\nmpa fold\n", code=2)
    expect("script.txt:2" in err and "Did you mean 'map'?" in err, err)
    tri.view("kepler", "--script", "no_such_file", code=6)


@case
def bad_options(tri):
    tri.view("--size", "1280", code=2)
    tri.view("--size", "10x10", code=2)
    tri.view("--present", "mirror", code=2)
    tri.view("--screenshot", "a.png", code=2)
    tri.view("--exit-after", "1", "--screenshot", "a.jpg", code=2)
    tri.view("--scale", "9", code=2)
    tri.view("--seed", "1", os.path.join(tri.data, "solar_system.tab"), "--exit-after", "1", code=2)
    tri.view("plumer", "--exit-after", "1", code=2)
    tri.view("no_such.csv", "--exit-after", "1", code=6)
    tri.view("--shader-dir", "nowhere", "--exit-after", "1", code=6)
    tri.view("--exit-after", "1", "--screenshot", "no_folder/a.png", code=6)
    expect(not os.path.exists("a.png"), os.listdir("."))


@case
def domain_view(tri):
    """The domain view shows blocks of bb and their tiles; the grey idle blocks have the expected area."""
    tri.view("plummer:n=200", "--map", "bb", script="domain on\nwait 3\nexpect-errors 0\nscreenshot d.png\n"
             "map lambda\nwait 3\nscreenshot e.png\ndomain tetrahedron\nwait 2\ndomain gasket\nomega 0.5\nwait 2\n")
    def grey(path):
        _, _, rows, _ = picture(path)
        pixels = [tuple(rows[y][3 * x:3 * x + 3]) for y in range(430, 640) for x in range(50, 870)]
        return sum(p == (98, 109, 125) for p in pixels)
    with_bb, with_lambda = grey("d.png"), grey("e.png")
    # 66 of 144 blocks of 12 x 12 are idle, each some 16 pixels wide and struck through.
    expect(66 * 120 < with_bb < 66 * 600 and with_lambda == 0, (with_bb, with_lambda))


@long_case
def compare(tri):
    tri.view("plummer:n=200", script="compare on\nwait 75\ncompare off\npause\nwait 1\nexpect-errors 0\nscreenshot c.png\n")
    # Every row of the 16 maps has a time.
    _, _, rows, _ = picture("c.png")
    for k in range(16):
        y = 74 + 26 * k
        expect(share_lit(rows, 1125, 1184, y, y + 18, over=120) > 0.02, f"row {k} of the maps has no times")


@long_case
def demo(tri):
    def lit(name, frames):
        tri.view(name, "plummer:n=500", "--exit-after", str(frames), "--screenshot", name + ".png", command="demo")
        _, _, rows, texts = picture(name + ".png")
        expect("scene = plummer:n=500" in texts["triangulum"], texts)
        return share_lit(rows, 300, 920, 400, 670) > 0.02
    for name in ("maps", "pairs"):
        # Each map starts with no block, and the speed of frames decides when: other pictures may meet one further on.
        expect(any(lit(name, frames) for frames in (120, 60, 90, 75, 105)), "no blocks in the domain view")
    tri.view("views", "--exit-after", "12", "--record", "film", command="demo")
    expect(len(os.listdir("film")) == 12, os.listdir("film"))
    _, _, rows, _ = picture("film/frame_000012.png")
    expect(share_lit(rows, 300, 920, 16, 60, over=200) > 0.01, "no caption")
    tri.view("mpas", code=2, command="demo")
    tri.view(code=2, command="demo")
    # From the panel: a demo starts with its own scene, and ends on request.
    tri.view("kepler", script="demo maps\nwait 4\nexpect-n 8192\nexpect-errors 0\ndemo none\nwait 2\nscene kepler\n"
             "wait 3\nexpect-n 2\n")


@case
def record(app):
    """Records the window frame by frame: into a folder, and through ffmpeg (replaced by a script)."""
    app.view("kepler", "--size", "641x481", "--record", "d", "--screenshot", "last.png", script="panels off\nwait 5\n")
    names = sorted(os.listdir("d"))
    expect(names == [f"frame_{k:06}.png" for k in range(1, len(names) + 1)] and len(names) >= 5, names)
    last = picture("last.png")
    expect(picture("d/" + names[-1])[:3] == last[:3] and last[:2] == (641, 481), "the last frame is the screenshot")
    expect("scene = kepler" in picture("d/" + names[0])[3]["triangulum"], "frames carry the scene")
    os.mkdir("bin")
    with open("bin/ffmpeg", "w") as f:
        f.write('#!/bin/sh\nfor a; do last=$a; done\ncat > "$last"\n')
    os.chmod("bin/ffmpeg", 0o755)
    os.environ["PATH"] = os.path.abspath("bin") + ":" + os.environ["PATH"]
    app.view("kepler", "--size", "641x481", "--record", "f.mp4", "--exit-after", "4")
    expect(os.path.getsize("f.mp4") == 4 * 640 * 480 * 3, os.path.getsize("f.mp4"))  # even sides
    err = app.view("kepler", "--size", "640x480", "--record", "g.mp4", "-v",
                   script="wait 3\nresize 800 600\nwait 4\nexpect-errors 1\n")
    frames, rest = divmod(os.path.getsize("g.mp4"), 640 * 480 * 3)
    expect(rest == 0 and f"the recording ended with {frames} frames" in err, f"{frames}, {rest}: {err}")
    app.view("kepler", "--record", "d", "--exit-after", "2", code=6)  # frames of an earlier recording

@long_case
def settings(tri):
    """The settings file is read and saved; an invalid one gives a notice and stays unchanged."""
    with open("mine.ini", "w") as f:
        f.write("theme = light\nwidth = 1100\nheight = 640\npanels = on\n")
    tri.view("kepler", script="settings mine.ini\nwait 3\nexpect-errors 0\nscreenshot light.png\n"
             "theme dark\nlogarithm on\nresize 1000 600\nwait 3\nscreenshot dark.png\n")
    width, height, rows, _ = picture("light.png")
    expect((width, height) == (1100, 640), (width, height))
    expect(share_lit(rows, 700, 1090, 100, 600) > 0.8, "the panels are not light")
    expect(share_lit(picture("dark.png")[2], 710, 990, 100, 540) < 0.5, "the panels are not dark")
    kept = open("mine.ini").read()
    for line in ("theme = dark", "logarithm = on", "width = 1000", "height = 600", "scale = display"):
        expect(line in kept.splitlines(), (line, kept))
    with open("broken.ini", "w") as f:
        f.write("theme = light\nscale = 99\n")
    tri.view("kepler", script="settings broken.ini\nwait 2\nexpect-errors 1\nexpect-notice broken.ini:2:\ntheme light\n")
    expect(open("broken.ini").read() == "theme = light\nscale = 99\n", "an invalid file was overwritten")
    with open("large.ini", "w") as f:
        f.write("theme = light\nscale = 2\nwidth = 1280\nheight = 720\n")
    tri.view("kepler", script="settings large.ini\nwait 3\nscreenshot large.png\nexpect-errors 0\n")
    rows = picture("large.png")[2]
    expect(share_lit(rows, 4, 92, 20, 600) > 0.6, "at scale 2 the rail is not as wide")
    expect(share_lit(rows, 100, 1280, 100, 400) < 0.5, "the column of maps covers the scene")


@case
def fractal(tri):
    """The automaton in the window equals that of `run`, with maps and placements switched in flight."""
    scene = "gasket:r=7,rule=B2/S12,seed=3"
    want = tri.json("run", scene, "--steps", "20", "--backend", "cpu")["state_hash"]
    steps = "".join(f"fractal-work {work}\nfractal-steps {count}\nwait 3\n" for work, count in
                    (("gasket-stream", 5), ("bb subbox 4", 5), ("gasket unroll 32", 10)))
    tri.view("plummer:n=64", "--size", "900x700",
             script=f"view fractal\nfractal {scene}\n{steps}expect-fractal {want}\nscreenshot f.png\nexpect-errors 0")
    width, height, rows, _ = picture("f.png")
    lit = share_lit(rows, 0, width, height // 2, height, 60)
    expect(0.01 < lit < 0.6, f"a share of {lit} is lit")
    tri.view(scene, "--map", "gasket", script=f"fractal-steps 20\nwait 3\nexpect-fractal {want}")
    tri.view("plummer:n=64", script="fractal gaskt:r=3", code=2)
    tri.view("plummer:n=64", script="view fractal\nfractal-steps 3\nwait 3\nexpect-fractal 00", code=1)
    life = "triangle-life:n=64,seed=7,density=0.4"
    on = tri.json("run", life, "--steps", "50", "--backend", "cpu")["on"]
    tri.view(life, "--map", "lambda-stream", script=f"generations 50\nwait 3\nexpect-automaton 50 {on}\nexpect-errors 0")
    tri.view(life, "--block", "8", script="wait 1", code=2)
    tri.view("plummer:n=64", script=f"view fractal\nfractal {life}\nwait 3\nexpect-fractal 00", code=1)


@long_case
def benchmark(tri):
    """A benchmark beside the simulation: its table, plot and files; a cancelled one keeps its samples."""
    tri.view("kepler", "--threads", "1", script="bench gravity 128,256,512 bb,lambda,fold 5\nexpect-bench 3\n"
             "bench-save b.json\nbench-save b.csv\nbench-save b.svg\nbench-save b.txt\nexpect-errors 1\nexpect-notice b.txt\n"
             "wait 4\nscreenshot bench.png\n")
    with open("b.json") as f:
        result = json.load(f)
    rows = [(r["n"], r["map"]) for r in result["results"]]
    expect(sorted(rows) == sorted((n, m) for n in (128, 256, 512) for m in ("bb", "lambda", "fold")), rows)
    expect(all(r["check"]["passed"] and len(r["samples_ms"]) == 5 for r in result["results"] if "samples_ms" in r), rows)
    expect(result["meta"]["argv"][:4] == ["triangulum", "bench", "--kernel", "gravity"], result["meta"]["argv"])
    expect(sum(1 for _ in open("b.csv")) == 10, "not one line per result plus the header")
    expect("<svg" in open("b.svg").read(), "no figure")
    # Cancelled: minutes of work end after the current sample.
    tri.view("kepler", "--threads", "1", script="bench gravity 256,16384,16385,16386 all 1000\nwait 20\nbench-cancel\n"
             "expect-errors 0\nwait 2\n")
    tri.view("kepler", script="bench gravity 12..4\n", code=2)
    tri.view("kepler", script="bench gravity 64 lamda\n", code=2)


@long_case
def bodies(app):
    """A click selects a body from every camera position; views are saved and restored."""
    with open("three.csv", "w") as f:
        f.write("x,y,z,vx,vy,vz,m,r\n-1,0,0,0,0,0,1,0.3\n0,0,0,0,0,0,1,0.3\n1,0,0,0,0,0,1,0.3\n")
    script = ("shape spheres\norbit -90 0\nwait 1\nbookmark keep 1\n"
              "body 2\nfollow on\nwait 8\nbookmark keep 2\npick 412 334\nexpect-body 2\nscreenshot f.png\nwait 1\n"
              "orbit 0 89\nbookmark go 1\nwait 1\npick 412 334\nexpect-body 1\nscreenshot g.png\nwait 1\n"
              "bookmark go 2\npick 412 334\nexpect-body 2\npick 3 3\nexpect-body none\nexpect-errors 0\n")
    app.view("three.csv", script=script)
    _, _, rows, _ = picture("g.png")
    expect(share_lit(rows, 288, 932, 0, 690) > 0.02, "no bodies are drawn")
    script = "shape points\ndt 0.02\nbody 2\n{}\nrun\nwait 60\npause\nwait 1\nexpect-errors 0\nscreenshot t.png\nwait 1\n"
    lit = []
    for trails in ("trails 256 400", "trails off"):
        app.view("plummer:n=256", script=script.format(trails))
        _, _, rows, _ = picture("t.png")
        lit.append(share_lit(rows, 60, 860, 60, 540, over=25))
    expect(lit[0] > 1.5 * lit[1], f"trails do not light the scene: {lit}")
    app.view("three.csv", script="bookmark go 4\n", code=1)


# Frames of the window and of the display.


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
