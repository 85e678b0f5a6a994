#!/usr/bin/env python3
"""Films, camera paths and two runs in the window, driven by scripts.  film_test.py PROGRAM DATA CASE, as view_test.py."""

import os
import shlex
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
from picture import alpha_picture, picture, share_lit  # noqa: E402
from program import case, expect, long_case, main  # noqa: E402


def times_of(folder):
    """(step, time) of every frame, by its comment."""
    found = []
    for name in sorted(os.listdir(folder)):
        words = picture(os.path.join(folder, name))[3]["Comment"].split(", ")
        found.append((int(words[1].split()[1]), float(words[2].split()[1])))
    return found


@long_case
def film(app):
    """A film has its own size, its frames are exact in time, and it goes along the camera's path; twice the same."""
    script = ("path add 0\norbit 90 60\npath add 0.5\norbit 180 10\npath add 1\npath save c.toml\nexpect-path 3\n"
              "film {} 320x180 10 0.5 2\nexpect-errors 0\nexpect-notice wrote 20 frames to {}\nexpect-steps 95\n")
    for name in "ab":
        app.view("plummer:n=500,dt=0.01", "--size", "640x480", "--accumulate", "ordered",
                 script=script.format(name, name))
    expect(times_of("a") == [(5 * k, 0.01 * 5 * k) for k in range(20)] or
           all(s == 5 * k and abs(t - 0.05 * k) < 1e-12 for k, (s, t) in enumerate(times_of("a"))), times_of("a"))
    frames = [picture(f"a/frame_{k:06}.png") for k in range(1, 21)]
    expect(all(f[:2] == (320, 180) for f in frames), frames[0][:2])
    for k in range(1, 21):
        expect(open(f"a/frame_{k:06}.png", "rb").read() == open(f"b/frame_{k:06}.png", "rb").read(), f"frame {k}")
    expect(len({bytes().join(bytes(r) for r in f[2]) for f in frames}) == 20, "it stands still")
    expect(open("c.toml").read().count("[[bookmark]]") == 3, "the path is saved")
    app.view("plummer:n=500,dt=0.01", script="path open c.toml\nexpect-path 3\npath delete 2\npath move 2 7\n"
             "expect-path 2\npath clear\nexpect-path 0\n")
    app.view("plummer:n=50", script="path delete 1\n", code=1)


@case
def film_of_states(app):
    """Of a recorded run: each state is a frame, and the film ends with the run."""
    app.run("run", "plummer:n=100,dt=0.01", "--steps", "20", "--save-every", "4", "--snapshot", "r_{step}.hdf5",
            "--backend", "cpu")
    app.view("r_{step}.hdf5", script="film d 160x90 10 0.5 3\nexpect-notice wrote 5 frames\nexpect-errors 0\n")
    expect([step for step, _ in times_of("d")] == [4, 8, 12, 16, 20], times_of("d"))


@case
def film_without_ffmpeg(app):
    """A video that nothing can make becomes frames, and says so."""
    before, os.environ["PATH"] = os.environ["PATH"], "/nowhere"
    try:
        app.view("plummer:n=50,dt=0.01", script="film it.webp 160x90 10 0.2 0.2\nexpect-errors 0\n"
                 "expect-notice it.webp needs ffmpeg\nexpect-notice wrote 2 frames to it/\n")
    finally:
        os.environ["PATH"] = before
    expect(sorted(os.listdir("it")) == ["frame_000001.png", "frame_000002.png"] and not os.path.exists("it.webp"),
           os.listdir("."))


@long_case
def film_of_window(app):
    """With panels a film has the frames of the window, without the mark of the recording."""
    app.view("plummer:n=200,dt=0.01", "--size", "800x600",
             script="panel Time\nwait 3\nscreenshot before.png\nfilm d window 10 0.4 1\nexpect-errors 0\n")
    expect([step for step, _ in times_of("d")] == [4 * k for k in range(10)], times_of("d"))
    width, height, rows, _ = picture("d/frame_000005.png")
    expect((width, height) == (800, 600) and share_lit(rows, 0, 48, 0, 500) > 0.01, "the panels are in it")
    red = sum(row[3 * x] > 200 and row[3 * x + 1] < 120 and row[3 * x + 2] < 120
              for row in rows[50:90] for x in range(368, 800))
    expect(red == 0, f"{red} pixels of the mark")
    # In another size the panels keep their share of the picture, and the window has its own size again afterwards.
    app.view("plummer:n=200,dt=0.01", "--size", "800x600",
             script="panel Time\nwait 3\nscreenshot before.png\nfilm e window:1200x900 10 0.4 1\nexpect-errors 0\n"
             "wait 3\nscreenshot after.png\n")
    expect([step for step, _ in times_of("e")] == [4 * k for k in range(10)], times_of("e"))
    small, large = picture("before.png"), picture("e/frame_000001.png")
    expect(large[:2] == (1200, 900) and picture("after.png")[:2] == (800, 600), "sizes")
    shares = [share_lit(p[2], 0, 48 * k // 2, 0, 500 * k // 2) for p, k in ((small, 2), (large, 3))]
    expect(abs(shares[0] - shares[1]) < 0.3 * shares[0], f"the panels have another share: {shares}")
    app.view("plummer:n=50", script="film f window:9x9\n", code=2)
    app.view("plummer:n=50", script="film f windows\n", code=2)


@long_case
def film_stops(app):
    """Stop keeps the frames so far as a whole film; a film that another request moves on ends with a notice, and so does
    one into a folder that has frames."""
    app.view("plummer:n=200,dt=0.01", script="film d 160x90 30 0.3 100\nwait 30\nfilm stop\nexpect-notice wrote\n")
    count = len(os.listdir("d"))
    expect(0 < count < 3000 and [s for s, _ in times_of("d")] == list(range(count)), count)
    app.view("plummer:n=200,dt=0.01", script="film e 160x90 30 0.3 100\nwait 20\nreset\nexpect-notice was moved\n")
    app.view("plummer:n=200", script="film d 160x90 30 0.3 1\nexpect-errors 1\nexpect-notice another recording\n")


@case
def still(app):
    """A screenshot over nothing: the bodies alone, in the scene's size, and it opens again."""
    app.view("plummer:n=500", "--size", "800x600", script="shape points\nsize 8\nstep 3\nwait 2\n"
             "screenshot clear.png --transparent\nscreenshot whole.png\nexpect-errors 0\n")
    width, height, rows, texts = alpha_picture("clear.png")
    alphas = {pixel[3] for row in rows for pixel in row}
    expect(alphas == {0, 1} and width < 800 and height < 600, (width, height, len(alphas)))
    expect("step = 3" in texts["triangulum"], texts)
    shown = picture("whole.png")[2]
    x0 = 48  # the scene begins right of the rail
    for y in range(200, 300):
        for x in range(40, 200):
            if rows[y][x][3] == 1:
                want = [round(255 * c) for c in rows[y][x][:3]]
                got = list(shown[y][3 * (x0 + x):3 * (x0 + x) + 3])
                expect(max(abs(a - b) for a, b in zip(want, got)) <= 1, (x, y, want, got))
    app.view("clear.png", script="expect-n 500\n")


@case
def two_runs(app):
    """B takes A's steps by another map: with ordered sums to the same bits, with another step to other ones."""
    script = ("second on\nsecond B\nmap fold\nexpect-map lambda\nsecond A\nstep 20\nexpect-steps 20\nsave a.csv\n"
              "second B\nsave b.csv\nexpect-errors 0\nwait 2\nscreenshot same.png\n"
              "second A\nback 5\nexpect-steps 15\nsave a15.csv\nsecond B\nsave b15.csv\n"
              "dt 0.02\nsecond A\nstep 5\nsave a20.csv\nsecond B\nsave b20.csv\nwait 2\nscreenshot apart.png\n"
              "second off\nwait 2\nexpect-errors 0\n")
    app.view("plummer:n=400,dt=0.01", "--accumulate", "ordered", "--size", "1280x720", script=script)
    text = {name: open(f"{name}.csv").read() for name in ("a", "b", "a15", "b15", "a20", "b20")}
    expect(text["a"] == text["b"] and text["a15"] == text["b15"], "other bits by another map")
    expect(text["a"] == text["a20"] and text["a"] != text["a15"], "A went back and forth")
    expect(text["a20"] != text["b20"], "B's own step has no effect")

    def halves(path):  # between labels and run bar; 48 the rail, 408 the column
        _, _, rows, _ = picture(path)
        left, middle, right = 48, 48 + 412, 48 + 824
        return ([bytes(row[3 * left:3 * middle - 12]) for row in rows[160:560]],
                [bytes(row[3 * middle:3 * right - 12]) for row in rows[160:560]])
    one, two = halves("same.png")
    differ = sum(abs(p - q) > 3 for a, b in zip(one, two) for p, q in zip(a, b))
    expect(differ < 0.02 * len(one) * len(one[0]), f"{differ} of {len(one) * len(one[0])} values differ")
    one, two = halves("apart.png")
    expect(sum(abs(p - q) > 3 for a, b in zip(one, two) for p, q in zip(a, b)) > differ, "both halves show one run")


@long_case
def both_futures(app):
    """After a branch B is the other run, with what was changed on it later; or a copy of A where that is wanted."""
    script = ("step 6\ndt 0.02\nstep 6\nsave first.csv\ngoto 4\ndt 0.005\nstep 8\nsave a.csv\n"
              "second on\nsecond B\nwait 3\nsave b.csv\nsecond off\nwait 3\nsecond copy\nwait 3\nsecond B\n"
              "save copy.csv\nsecond A\nchange 0 mass 0.5\nwait 3\nsecond B\nsave stays.csv\nexpect-errors 0\n"
              "change 1 mass 0.25\nwait 3\nsave changed.csv\nsecond A\nsave mass.csv\nundo\nsave undone.csv\n"
              "expect-errors 0\n")
    app.view("plummer:n=60,dt=0.01", "--accumulate", "ordered", "--size", "800x600", script=script)
    text = {name: open(f"{name}.csv").read() for name in
            ("first", "a", "b", "copy", "stays", "changed", "mass", "undone")}
    expect(text["first"] == text["b"] != text["a"], "B is not the run before the branch")
    expect(text["copy"] == text["a"] == text["stays"], "the copy is not A, or an edit of A changed it")
    expect(text["changed"] != text["stays"], "an edit of B changed nothing there")
    expect(text["undone"] == text["a"] != text["mass"], "an edit of B changed A")


@case
def goes_on_after_a_film(app):
    """A run that ran before a film goes on after it, and one that was paused stays so."""
    for begin, want in (("run\n", "running"), ("", "paused")):
        with open("script.txt", "w") as f:
            f.write(f"{begin}wait 2\nfilm {want} 64x36 10 0.1 0.3\nexpect-errors 0\nwait 3\nscreen-text\nwait 2\n")
        out, _ = app.run("view", "plummer:n=100,dt=0.01", "--size", "800x600", "--script", "script.txt", "--backend",
                         "cpu")
        expect(f"\n{want}\n" in out, out[-900:])
        expect(len(os.listdir(want)) == 3, os.listdir(want))


@long_case
def film_of_two(app):
    """A film of two runs shows both, each frame at the same step of both."""
    app.view("plummer:n=400,dt=0.01", "--accumulate", "ordered", "--size", "800x600",
             script="second on\nsecond B\nmap fold\nfilm same 320x180 10 0.4 1\nexpect-errors 0\ndt 0.03\n"
             "film apart 320x180 10 0.4 1\nexpect-errors 0\n")
    for name, count in (("same", 10), ("apart", 10)):
        frames = [picture(f"{name}/frame_{k:06}.png")[2] for k in range(1, count + 1)]
        differ = [sum(abs(p - q) > 3 for row in rows for p, q in zip(row[:480], row[480:])) for rows in frames]
        expect(all(sum(max(row[480:]) > 90 for row in rows) > 20 for rows in frames), "B is not drawn")
        if name == "same":
            expect(max(differ) < 50, differ)
        else:
            expect(differ[0] < 50 < 1000 < differ[9], differ)


@long_case
def picture_again(app):
    """The picture of the scene has its own size, without panels; its command makes the same one again."""
    ways = ["320x200 axes scale-bar legend clock", "300x300 96dpi white legend", "200x320 transparent"]
    script = "step 30\norbit 130 35\nshape points\ncolour speed\n"
    script += "".join(f"picture p{k}.png {way}\nexpect-errors 0\n" for k, way in enumerate(ways))
    app.view("merger:n=300", "--size", "900x600", "--threads", "1", script=script)
    read = {2: alpha_picture}
    for k, way in enumerate(ways):
        shown = read.get(k, picture)(f"p{k}.png")
        expect(f"{shown[0]}x{shown[1]}" == way.split()[0], shown[:2])
        words = shlex.split(shown[3]["Command"])
        expect(words[:4] == ["triangulum", "render", f"p{k}.png", "-o"] and "--skip" in words, words)
        app.run(*words[1:], "--backend", "cpu", "--threads", "1")
        expect(read.get(k, picture)(f"again-p{k}.png")[2] == shown[2], f"{words} makes another picture")
    expect("--axes" in shlex.split(picture("p0.png")[3]["Command"]), "its marks")


@long_case
def film_marks(app):
    """A film has no axes, whatever the window shows, unless they are wanted."""
    for name, more in (("a", ""), ("b", " axes"), ("c", " clock")):
        app.view("plummer:n=200,dt=0.01", script=f"film {name} 320x240 10 0.5 0.2{more}\nexpect-errors 0\n")
    with open("off.ini", "w") as f:
        f.write("axes = off\n")
    app.view("plummer:n=200,dt=0.01", script="settings off.ini\nfilm d 320x240 10 0.5 0.2\nexpect-errors 0\n")
    a, b, c, d = (picture(f"{n}/frame_000001.png")[2] for n in "abcd")
    expect(a == d, "a film has the window's axes")
    expect(a != b and a != c and b != c, "marks that are wanted are missing")
    # A legend where all bodies have one colour is said to be none, and the window's own marks take no others.
    app.view("plummer:n=20", script="colours plain\nfilm e 320x240 10 0.5 0.2 legend\nexpect-notice all bodies have one colour\n"
                                    "picture e.png 320x240 legend\nexpect-notice all bodies have one colour\nexpect-errors 0\n")
    err = app.view("plummer:n=20", script="film f window 10 0.5 0.2 axes\n", code=2)
    expect("the window has marks of its own" in err, err)


@long_case
def preview(app):
    """The panel shows a frame of the film; a picture replaces no file."""
    app.view("plummer:n=500,dt=0.01", "--size", "1280x1200",
             script="colours plain\nsize 8\npanel Time\nwait 40\nscreenshot a.png\npanel none\nwait 20\nscreenshot b.png\n"
                    "picture p.png 64x48\npicture p.png 64x48\nexpect-errors 0\n")

    def lit(name):
        rows = picture(name)[2]
        return sum(min(row[3 * x:3 * x + 3]) > 120 for row in rows[760:1150] for x in range(60, 350))

    expect(lit("a.png") > 800, f"{lit('a.png')} pixels of the panel are lit")
    expect(sorted(n for n in os.listdir(".") if n.startswith("p")) == ["p-2.png", "p.png"], os.listdir("."))


if __name__ == "__main__":
    main()
