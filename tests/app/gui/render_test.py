#!/usr/bin/env python3
"""Frames without a window or a display, with software OpenGL.  render_test.py PROGRAM DATA CASE

Standard library only. Each case runs in a folder of its own."""

import os
import resource
import signal
import struct
import subprocess
import sys
import time
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
from picture import alpha_picture, picture  # noqa: E402
from program import case, expect, main  # noqa: E402

SMALL = ["--size", "96x64", "--backend", "cpu"]
FFMPEG = """#!/bin/sh
printf '%s\\n' "$@" > words.txt
for a; do last=$a; done
cat > "$last"
"""


def fake_ffmpeg(script=FFMPEG):
    os.makedirs("bin", exist_ok=True)
    with open("bin/ffmpeg", "w") as f:
        f.write(script)
    os.chmod("bin/ffmpeg", 0o755)
    return {"PATH": os.path.abspath("bin") + ":/usr/bin:/bin"}


def frames_of(folder):
    names = sorted(os.listdir(folder))
    expect(names == [f"frame_{k:06}.png" for k in range(1, len(names) + 1)], names)
    return [open(os.path.join(folder, n), "rb").read() for n in names]


def light(rows):
    """Sum of all channels above the background."""
    floor = rows[0][:3]
    return sum(max(0, v - floor[k % 3]) for row in rows for k, v in enumerate(row))


@case
def folder(tri):
    """Frames in order, each with scene, step and time; the same input gives the same bytes."""
    arguments = ["render", "plummer:n=300,seed=5", "--frames", "4", "--steps-per-frame", "3", "--skip", "2", *SMALL]
    out, err = tri.run(*arguments, "-o", "a")
    expect(out == "4 frames of 96 x 64 in a\n", out)
    for more in (["-o", "b/"], ["-o", "c", "--threads", "2", "-q"]):
        tri.run(*arguments, *more)
    a = frames_of("a")
    expect(len(a) == 4 and a == frames_of("b"), "the same input gave different frames")
    expect(len(frames_of("c")) == 4, os.listdir("c"))
    expect(len(set(a)) == 4, "nothing moves")
    for k in range(4):
        width, height, rows, texts = picture(f"a/frame_{k + 1:06}.png")
        expect((width, height) == (96, 64) and light(rows) > 2000, light(rows))
        expect(f"frame {k + 1} of 4, step {2 + 3 * k}," in texts["Comment"], texts)
        expect("plummer:n=300,seed=5" in texts["triangulum"] and texts["Software"].startswith("Triangulum"), texts)


@case
def state(tri):
    """A frame shows the state of a run with as many steps."""
    scene = ["kepler", "--skip", "40", "--shape", "points", "--axes", "--trails", "off"]
    tri.run("render", *scene, "-o", "a.png", *SMALL)
    tri.run("run", "kepler", "--steps", "40", "-o", "b.tab", "--backend", "cpu")
    tri.run("render", "b.tab", "--shape", "points", "--axes", "-o", "b.png", *SMALL)
    tri.run("render", "kepler", "--shape", "points", "--axes", "-o", "c.png", *SMALL)
    a, b, c = (picture(f"{n}.png")[2] for n in "abc")
    expect(a == b, "the picture does not show the state")
    expect(a != c, "the steps are not taken")
    # --G, --eps and --units of a file and of a scene are those of run; what nothing reads is refused.
    with open("two.csv", "w") as f:
        f.write("m,x,y,z\n1,0,0,0\n1,1,0,0\n")
    for bodies in "two.csv", "plummer:n=50":
        given = ["--G", "3", "--eps", "0.5", "--units", "nbody"]
        look = ["--shape", "points", "--colour", "mass", "--trails", "off", *SMALL]
        tri.run("render", bodies, *given, "--skip", "20", "-o", "e.png", *look)
        tri.run("run", bodies, *given, "--steps", "20", "-o", "f.csv", "--backend", "cpu")
        tri.run("render", "f.csv", "-o", "f.png", *look)
        expect(picture("e.png")[2] == picture("f.png")[2], bodies)
        _, err = tri.run("render", bodies, "--law", "none", "--eps", "0.5", "-o", "g.png", *SMALL, code=2)
        expect("eps belongs to gravity" in err, err)
    _, err = tri.run("render", "kepler", "--integrator", "hermite", "--precision", "fp32", "-o", "g.png", *SMALL, code=2)
    expect("float64" in err, err)
    # More steps than between two checks for Ctrl-C are still exactly the requested ones.
    tri.run("render", "plummer:n=1000", "--skip", "4000", "--threads", "1", "-o", "d.png", *SMALL)
    expect("step 4000," in picture("d.png")[3]["Comment"], picture("d.png")[3]["Comment"])


@case
def told(tri):
    """What `run` says of a run that goes wrong, a picture and a film of it say once, in the same words."""
    def said(*words, code=0):
        return tri.run(*words, "--backend", "cpu", code=code)[1]
    far = said("run", "kepler:e=0.99", "--dt", "0.02", "--steps", "2000")
    expect(far.startswith("the energy is off by ") and far.count("\n") == 1, far)
    kepler = ["render", "kepler:e=0.99", "--dt", "0.02"]
    small = ["--size", "96x64"]
    expect(said(*kepler, *small, "--skip", "2000", "-o", "a.png") == far, "a picture")
    film = said(*kepler, *small, "--skip", "1000", "--steps-per-frame", "1000", "--frames", "2", "-o", "a")
    expect(film.count("off by") == 1, film)
    expect(said(*kepler, "--skip", "2000", "--frames", "1", "-o", "a.html") == far, "a page")
    expect(said("render", "kepler", "--skip", "300", "--size", "96x64", "-o", "b.png") == "", "a good one")
    with open("soft.toml", "w") as f:
        f.write('title = "t"\nbodies = [[1, -0.5, 0, 0, 1, 0, 0, 0.1], [1, 0.5, 0, 0, -1, 0, 0, 0.1]]\n'
                '[parameters]\ndt = 0.001\n[physics]\npair = "contact"\nstiffness = 1\n')
    err = said("render", "soft.toml", "--skip", "500", "--size", "96x64", "-o", "c.png")
    expect("bodies 0 and 1 overlap by" in err and "at t = 0.5" in err, err)
    # An energy without a value ends it with 4, as a run; the picture is there.
    with open("half.csv", "w") as f:
        f.write("m,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n1,1.5,0,0,10,0,0\n")
    law = ["half.csv", "--law", "log(2-r)*mi*mj", "--dt", "0.01"]
    expect("potential energy" in said("run", *law, "--steps", "100", code=4), "run")
    expect("potential energy" in said("render", *law, "--skip", "100", "--size", "96x64", "-o", "d.png", code=4), "render")
    expect(os.path.exists("d.png"), "no picture")


@case
def trails(tri):
    """Few bodies leave trails, of which the steps before a picture are part; others do where asked."""
    def lit(*arguments):
        tri.run("render", *arguments, "-o", "p.png", *SMALL)
        return light(picture("p.png")[2])

    kepler = ["kepler", "--shape", "points", "--skip"]
    still, short, orbit = lit(*kepler, "0"), lit(*kepler, "60"), lit(*kepler, "1000")
    expect(still < short < orbit, f"{still} {short} {orbit}")
    expect(lit(*kepler, "1000", "--trails", "off") < short, "trails are off")
    cluster = ["plummer:n=30", "--shape", "points", "--skip", "3000"]
    none, asked = lit(*cluster), lit(*cluster, "--trails", "on")
    expect(asked > 1.2 * none, f"{none} {asked}")
    tri.run("render", *kepler, "1000", "-o", "q.png", *SMALL)
    tri.run("render", *kepler, "1000", "-o", "r.png", *SMALL)
    expect(picture("q.png")[2] == picture("r.png")[2], "the same input gave different trails")
    expect("step 1000," in picture("q.png")[3]["Comment"], "the steps are counted")


@case
def session(tri):
    """Step and integrator from the command line; a picture renders as the session that it contains."""
    scene = ["plummer:n=90", "--shape", "points", "--skip", "20"]
    for name, more in (("a", []), ("b", ["--dt", "0.02", "--integrator", "yoshida4"])):
        tri.run("render", *scene, *more, "-o", f"{name}.png", *SMALL)
    a, b = picture("a.png"), picture("b.png")
    expect("\ndt = 0.02\n" in b[3]["triangulum"] and "\nintegrator = yoshida4\n" in b[3]["triangulum"], b[3])
    expect(abs(float(b[3]["Comment"].split()[-1]) - 0.4) < 1e-9, b[3]["Comment"])
    expect(a[2] != b[2], "the step has no effect")
    tri.run("render", "b.png", *scene[1:], "-o", "again.png", *SMALL)
    again = picture("again.png")
    expect(again[2] == b[2] and again[3]["triangulum"] == b[3]["triangulum"], again[3])
    tri.run("render", "a.png", "--seed", "3", "-o", "c.png", *SMALL, code=2)
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    with open("plain.png", "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)) +
                chunk(b"IDAT", zlib.compress(bytes(4))) + chunk(b"IEND", b""))
    _, err = tri.run("render", "plain.png", "-o", "d.png", *SMALL, code=6)
    expect("carries no scene" in err, err)


@case
def styles(tri):
    """Every style gives a different picture; a full turn of the camera returns to the first."""
    arguments = ["render", "plummer:n=200", "-o"]
    seen = {}
    ways = [[], ["--shape", "spheres"], ["--shape", "points"], ["--colour", "index"], ["--colours", "cividis"],
            ["--body-size", "4"], ["--light", "3"], ["--camera", "10,80"], ["--camera", "10,80,2"], ["--axes"],
            ["--logarithm"], ["--follow", "7"], ["--grid"], ["--colours", "orange-blue"]]
    for k, way in enumerate(ways):
        tri.run(*arguments, f"{k}.png", *way, *SMALL)
        seen[bytes().join(bytes(r) for r in picture(f"{k}.png")[2])] = way
    expect(len(seen) == len(ways), f"{len(seen)} different pictures of {len(ways)} styles")
    still = ["render", "plummer:n=200", "--steps-per-frame", "0", "--shape", "points", *SMALL]
    tri.run(*still, "--frames", "5", "--turn", "90", "-o", "t")
    t = [picture(f"t/frame_{k:06}.png")[2] for k in range(1, 6)]
    expect(t[0] == t[4] and t[0] != t[1] != t[2], "four turns of 90 degrees")
    tri.run(*still, "--frames", "4", "--turn", "orbit", "-o", "o")
    expect([picture(f"o/frame_{k:06}.png")[2] for k in range(1, 5)] == t[:4], "an orbit in four frames")


PATH = """[[bookmark]]
time = 0
target = [0, 0, 0]
distance = 4
yaw = 0
pitch = 10
[[bookmark]]
time = 0.2
target = [0, 0.3, 0]
distance = 1.5
yaw = 60
pitch = 40
[[bookmark]]
time = 0.4
target = [0, 0, 0]
distance = 5
yaw = 120
pitch = 85
"""


@case
def camera_path(tri):
    """A film along a path: every frame at its exact time, the same bytes each time, and at a bookmark's time the picture
    from that bookmark."""
    with open("path.toml", "w") as f:
        f.write(PATH)
    film = ["render", "plummer:n=300,dt=0.01", "--frames", "6", "--steps-per-frame", "10", "--camera-path",
            "path.toml", *SMALL]
    for name in "ab":
        tri.run(*film, "-o", name)
    a = frames_of("a")
    expect(a == frames_of("b") and len(set(a)) == 6, "the same film twice")
    for k in range(6):
        comment = picture(f"a/frame_{k + 1:06}.png")[3]["Comment"]
        step, time_ = (part.split()[1] for part in comment.split(", ")[1:])
        expect(int(step) == 10 * k and abs(float(time_) - 0.1 * k) < 1e-12, comment)
    # The camera of a bookmark alone, at its time: the frame is that of the path.
    with open("one.toml", "w") as f:
        f.write("[[bookmark]]" + PATH.split("[[bookmark]]")[2])
    tri.run("render", "plummer:n=300,dt=0.01", "--skip", "20", "--shape", "points", "--camera-path", "one.toml", "-o",
            "one.png", *SMALL)
    tri.run(*film, "--shape", "points", "-o", "points")
    expect(picture("one.png")[2] == picture("points/frame_000003.png")[2], "not the bookmark's view")
    expect(picture("one.png")[2] != picture("points/frame_000004.png")[2], "the camera stands still")
    with open("bad.toml", "w") as f:
        f.write(PATH.replace("pitch = 85", "pitch = 95"))
    for arguments, code, part in ((["--camera-path", "bad.toml"], 6, "bad.toml:18: pitch is 95"),
                                  (["--camera-path", "none.toml"], 6, "none.toml"),
                                  (["--camera-path", "path.toml", "--turn", "orbit"], 2, "leave one out")):
        _, err = tri.run("render", "plummer:n=10", "--frames", "2", "-o", "c", *arguments, *SMALL, code=code)
        expect(part in err and not os.path.exists("c"), err)


def linear(value):
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def srgb(light):
    return 12.92 * light if light <= 0.0031308 else 1.055 * light ** (1 / 2.4) - 0.055


@case
def transparent(tri):
    """Bodies over nothing. Put over the usual background in linear light they are the usual picture, to a step of 255."""
    background = [0.016, 0.018, 0.024]
    for name, scene, more in (("glow", "plummer:n=400", ["--axes"]), ("spheres", "sphere-box:n=60", []),
                              ("points", "plummer:n=400", ["--shape", "points"])):
        arguments = ["render", scene, *more, *SMALL, "-o"]
        tri.run(*arguments, "plain.png")
        tri.run(*arguments, "clear.png", "--transparent")
        _, _, rows, _ = picture("plain.png")
        width, height, clear, texts = alpha_picture("clear.png")
        expect((width, height) == (96, 64) and scene in texts["triangulum"], texts)
        alphas = [pixel[3] for row in clear for pixel in row]
        expect(max(alphas) > 0.7, f"{name}: {max(alphas)}")
        if name == "glow":
            expect(sum(0 < a < 0.2 for a in alphas) > 500, "light fades out")
        else:
            expect(set(alphas) == {0, 1}, f"{name}: {sorted(set(alphas))[:5]}")
        farthest = 0
        for y in range(64):
            for x in range(96):
                *colour, alpha = clear[y][x]
                if alpha == 0:
                    expect(colour == [0, 0, 0], colour)
                for c in range(3):
                    over = linear(colour[c]) * alpha + linear(background[c]) * (1 - alpha)
                    farthest = max(farthest, abs(255 * srgb(over) - rows[y][3 * x + c]))
        expect(farthest < 1.6, f"{name}: {farthest:.2f} steps from the picture")
    tri.run("render", "clear.png", "-o", "again.png", *SMALL)  # it opens as its scene
    _, err = tri.run("render", "plummer", "-o", "f.mp4", "--frames", "2", "--transparent", *SMALL, code=2)
    expect("a video has no alpha" in err, err)
    tri.run("render", "plummer:n=50", "-o", "d", "--frames", "2", "--transparent", *SMALL)
    expect(alpha_picture("d/frame_000002.png")[3]["Comment"].startswith("frame 2 of 2"), "frames with alpha")


@case
def large(tri):
    """A 4K frame in software OpenGL."""
    tri.run("render", "plummer:n=100", "-o", "4k.png", "--size", "3840x2160", "--backend", "cpu", "--shape", "points")
    with open("4k.png", "rb") as f:
        expect(struct.unpack(">II", f.read(24)[16:]) == (3840, 2160), "its size")


@case
def video(tri):
    """ffmpeg gets the same frames as the folder; without it the error names the remedy."""
    arguments = ["render", "plummer:n=100", "--frames", "3", *SMALL]
    tri.run(*arguments, "-o", "d")
    _, err = tri.run(*arguments, "-o", "f.mp4", code=6, env={"PATH": "/nowhere"})
    expect("Install ffmpeg" in err and "folder" in err and not os.path.exists("f.mp4"), err)
    out, _ = tri.run(*arguments, "-o", "f.mp4", "--fps", "12", env=fake_ffmpeg())
    expect(out == "3 frames of 96 x 64 in f.mp4\n", out)
    frames = bytes().join(bytes(r) for k in range(1, 4) for r in picture(f"d/frame_{k:06}.png")[2])
    expect(open("f.mp4", "rb").read() == frames, "the frames differ from those of the folder")
    words = open("words.txt").read()
    expect("-framerate\n12\n" in words and "comment=" in words and "plummer:n=100" in words, words)
    _, err = tri.run(*arguments, "-o", "g.mp4", code=6, env=fake_ffmpeg("#!/bin/sh\necho Bad codec >&2\nexit 1\n"))
    expect("ffmpeg failed: Bad codec" in err and err.count("\n") == 1, err)
    expect(not any("tmp" in n or n == "g.mp4" for n in os.listdir(".")), os.listdir("."))


@case
def interrupted(tri):
    """Ctrl-C: exit 130, and all frames so far are complete, in a folder and in a video. ffmpeg does not get the signal."""
    env = dict(os.environ, **fake_ffmpeg())
    size = 96 * 64 * 3
    for name in ("d", "f.mp4"):
        process = subprocess.Popen([tri.path, "render", "plummer:n=50", "--frames", "900000", "-o", name, *SMALL],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env,
                                   start_new_session=True)
        enough = lambda: (os.path.isdir("d") and len(os.listdir("d")) > 5 if name == "d" else os.path.exists("words.txt"))
        end = time.monotonic() + 60
        while not enough() and time.monotonic() < end and process.poll() is None:
            time.sleep(0.02)
        time.sleep(0.3)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        out, err = process.communicate(timeout=60)
        expect(process.returncode == 130 and "interrupted after frame" in err, f"{process.returncode}: {err}")
        count = int(out.split()[0])
        if name == "d":
            expect(len(frames_of("d")) == count > 5, out)
            picture(f"d/frame_{count:06}.png")
        else:
            expect(os.path.getsize(name) == count * size > 0, f"{os.path.getsize(name)} bytes, {out}")
    # During the steps, before a picture.
    process = subprocess.Popen([tri.path, "render", "plummer:n=500", "--skip", "100000000", "-o", "p.png", *SMALL],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    expect(process.returncode == 130 and out == "" and not os.path.exists("p.png"), f"{process.returncode}: {err}")
    # Within a step of some seconds.
    process = subprocess.Popen([tri.path, "render", "plummer:n=40000", "--integrator", "yoshida4", "--accumulate",
                                "ordered", "--precision", "fp64", "--threads", "1", "--frames", "3",
                                "-o", "long", *SMALL], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not os.path.exists("long/frame_000001.png") and process.poll() is None:
        time.sleep(0.02)
    time.sleep(0.3)
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    took = time.monotonic() - begin
    expect(process.returncode == 130 and "interrupted after frame 1 of 3" in err, f"{process.returncode}: {err}")
    expect(took < (4 if os.environ.get("TRI_SANITIZED") else 1), f"the step took {took:.2f} s to end")
    picture("long/frame_000001.png")


@case
def refused_at_once(tri):
    """Frames that have no place are refused before bodies are made and forces computed, which takes minutes."""
    os.makedirs("old")
    for name in ("file", "old/frame_000001.png"):
        open(name, "w").close()
    scene = ["render", "galaxy:n=20000000", "--frames", "2", *SMALL]
    for name, words in (("file/f/", "'file' is a file"), ("old", "another recording"), ("none/f.mp4", "f.mp4")):
        begin = time.monotonic()
        _, err = tri.run(*scene, "-o", name, code=6)
        expect(words in err and time.monotonic() - begin < 5, (name, err))
    expect(sorted(os.listdir(".")) == ["file", "old"], os.listdir("."))


@case
def full_disk(tri):
    """A full disk: exit 6, one message, and the earlier frames are complete."""
    arguments = ["render", "plummer:n=50", "--frames", "2", *SMALL]
    tri.run(*arguments, "-o", "a")
    most = os.path.getsize("a/frame_000001.png") - 100
    limited = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    _, err = tri.run(*arguments, "-o", "b", code=6, preexec_fn=limited)
    expect("cannot write 'b/frame_000001.png'" in err and err.count("\n") == 1, err)
    expect(os.listdir("b") == [], os.listdir("b"))
    _, err = tri.run(*arguments, "-o", "f.mp4", code=6, preexec_fn=limited, env=fake_ffmpeg())
    expect("ffmpeg failed" in err and err.count("\n") == 1 and not os.path.exists("f.mp4"), err)


@case
def errors(tri):
    """Each error has its exit code and message, before any work."""
    def refused(arguments, code, part, **more):
        _, err = tri.run("render", *arguments, code=code, **more)
        expect(part in err and err.count("\n") == 1, err)

    refused(["plummer", "-o", "d", "--frames", "2", "--shape", "cubes"], 2, "--shape takes spheres, glow, points")
    refused(["plummer", "-o", "d", "--frames", "2", "--colour", "spede"], 2, "speed")
    refused(["plummer:n=10", "-o", "d", "--frames", "2", "--follow", "10"], 2, "0 to 9")
    refused(["nonesuch", "-o", "d", "--frames", "2"], 2, "nonesuch")
    expect(not os.path.exists("d"), "a folder was made for nothing")
    refused(["plummer:n=10", "-o", "no/where.png", *SMALL], 6, "no")
    os.mkdir("e")
    open("e/frame_000004.png", "w").close()
    refused(["plummer:n=10", "-o", "e", "--frames", "1", *SMALL], 6, "another recording")
    refused(["plummer:n=10", "-o", "d", "--frames", "2", "--shader-dir", "nowhere", *SMALL], 6, "nowhere")
    # Without any driver the exit code is 7.
    none = {"__EGL_VENDOR_LIBRARY_FILENAMES": os.path.abspath("none.json"), "EGL_PLATFORM": "surfaceless"}
    refused(["plummer:n=10", "-o", "d", "--frames", "2", *SMALL], 7, "EGL", env=none)
    expect(not os.path.exists("d"), "a folder was made for nothing")


@case
def bad_numbers(tri):
    """A numerical fault is exit 4; the earlier frames exist."""
    with open("n.csv", "w") as f:
        f.write("x,y,z,vx,vy,vz,m\n0,0,0,1e300,0,0,1\n1,0,0,1e300,0,0,1\n")
    _, err = tri.run("render", "n.csv", "-o", "d", "--frames", "9", "--steps-per-frame", "400000000", "--precision", "fp64",
                     *SMALL, code=4)
    expect("step" in err and err.startswith("error") or "\nerror" in err, err)
    expect(len(frames_of("d")) == 1, os.listdir("d"))


def chunks(path):
    """Kinds and bodies of a PNG file's chunks."""
    with open(path, "rb") as f:
        data = f.read()
    at, found = 8, {}
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        found[kind] = data[at + 8:at + 8 + length]
        at += length + 12
    return found


@case
def marks(tri):
    """Axes, scale bar, legend and clock stand where they belong; the ground is white; a file tells its dots an inch."""
    scene = ["merger:n=200", "--shape", "points", "--size", "400x300", "--backend", "cpu", "-o"]
    tri.run("render", *scene, "plain.png")
    plain = picture("plain.png")[2]

    def changed(name, *more):
        tri.run("render", *scene, name, *more)
        rows = picture(name)[2]
        return {(x, y) for y in range(300) for x in range(400) if rows[y][3 * x:3 * x + 3] != plain[y][3 * x:3 * x + 3]}

    bar, clock, legend = (changed(f"{m}.png", f"--{m}") for m in ("scale-bar", "clock", "legend"))
    expect(50 < len(bar) < 2000 and all(x > 250 and y > 240 for x, y in bar), f"scale bar: {len(bar)}")
    expect(50 < len(clock) < 2000 and all(x > 250 and y > 240 for x, y in clock), f"clock: {len(clock)}")
    expect(50 < len(legend) < 3000 and all(x < 200 and y > 240 for x, y in legend), f"legend: {len(legend)}")
    expect(len(changed("axes.png", "--axes")) > 100, "axes")
    tri.run("render", *scene, "white.png", "--white", "--dpi", "300", "--scale-bar", "--legend")
    rows = picture("white.png")[2]
    share = sum(row[3 * x:3 * x + 3] == b"\xff\xff\xff" for row in rows for x in range(400)) / 120_000
    expect(0.6 < share < 0.99, f"{share} of the picture is white")
    expect(any(max(row[3 * x:3 * x + 3]) < 60 for row in rows[240:] for x in range(250, 400)), "no dark letters")
    expect(chunks("white.png")[b"pHYs"] == struct.pack(">IIB", 11811, 11811, 1), chunks("white.png").get(b"pHYs"))
    expect(b"pHYs" not in chunks("plain.png"), "dots an inch that nobody asked for")
    tri.run("render", *scene, "over.png", "--transparent", "--legend")
    over = alpha_picture("over.png")[2]
    expect(over[0][0][3] == 0 and any(p[3] > 0.9 for row in over[250:] for p in row[:200]), "letters over nothing")
    box = ["sphere-box", *scene[1:]]
    tri.run("render", *box, "box.png")
    tri.run("render", *box, "none.png", "--no-box")
    expect(light(picture("box.png")[2]) > light(picture("none.png")[2]), "the box")
    _, err = tri.run("render", *scene, "none.png", "--no-box")
    expect("the scene has no box, so --no-box changes nothing" in err, err)
    _, err = tri.run("render", "solar-system", "--colour", "index", "--legend", *scene[1:], "no.png", code=2)
    expect("there is no legend: the colours tell apart bodies that have names" in err, err)
    for more, said in ((["--white", "--transparent"], "choose one"), (["--dpi", "0"], "--dpi"),
                       (["--look-at", "1,2,3"], "X,Y,Z,DISTANCE"), (["--look-at", "1,2,3,0"], "more than 0"),
                       (["--look-at", "0,0,0,2", "--follow", "1"], "--follow")):
        _, err = tri.run("render", *scene, "no.png", *more, code=2)
        expect(said in err and not os.path.exists("no.png"), err)
    _, err = tri.run("render", "plummer:n=9", "--frames", "2", "-o", "f.mp4", "--dpi", "100", code=2)
    expect("--dpi" in err, err)


@case
def webp(tri):
    """ffmpeg makes an animated WebP of a film by its name."""
    env = fake_ffmpeg()
    tri.run("render", "plummer:n=20", "--frames", "2", "-o", "film.webp", *SMALL, env=env)
    words = open("words.txt").read().split("\n")
    expect("libwebp_anim" in words and words[words.index("-f", 6) + 1] == "webp" and "yuv420p" not in words, words)
    expect(os.path.getsize("film.webp") == 2 * 96 * 64 * 3, os.path.getsize("film.webp"))
    _, err = tri.run("render", "plummer:n=20", "--frames", "2", "-o", "no.webp", *SMALL, env={"PATH": "/nowhere"}, code=6)
    expect("ffmpeg" in err and "folder" in err, err)


if __name__ == "__main__":
    os.environ["LIBGL_ALWAYS_SOFTWARE"] = "1"
    main()
