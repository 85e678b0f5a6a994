#!/usr/bin/env python3
"""The window under a user's hands: keys and clicks from the X server, without a script. input_test.py PROGRAM DATA CASE,
as view_test.py."""

import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
from picture import picture  # noqa: E402
from program import case, expect, long_case, main, skip  # noqa: E402
from x_user import XID, Client, becomes, window  # noqa: E402

# Of the panel Time, in a window of 1280 x 900; what is below them by the line that says what was saved.
BUTTONS = {"Add here": (97, 425), "Save path": (195, 495), "file": (140, 835), "Make film": (305, 555),
           "Stop and keep": (115, 594)}


@long_case
def save_by_name(tri):
    """Ctrl+S, a name, Enter: the name replaces the one in the field, drives nothing else, and the file is written."""
    with window(tri, "plummer:n=64") as user:
        user.tap("n").looks()
        user.tap("Control_L", "s").looks()
        user.write("Result_7.csv")
        user.tap("Return")
        expect(becomes(lambda: os.path.exists("Result_7.csv")), f"no file: {os.listdir('.')}")
        # Again: the file is there already, and a second Enter replaces it.
        os.truncate("Result_7.csv", 0)
        user.tap("Control_L", "s").looks()
        user.tap("Return").looks()
        expect(os.path.getsize("Result_7.csv") == 0, "replaced without a question")
        user.tap("Return")
        expect(becomes(lambda: os.path.getsize("Result_7.csv") > 64 * 20), "not replaced")
        text = user.picture()
        expect((text["n"], text["step"]) == ("64", "1"), text)


@long_case
def full_screen(tri):
    """Shift+F11 fills the screen at its own resolution, and again goes back; the size of before is kept."""
    def size(user):
        user.picture()
        return tuple(user.size)
    with window(tri, "plummer:n=64", "--size", "800x600", "--scale", "1") as user:
        expect(size(user) == (800, 600), size(user))
        user.tap("Shift_L", "F11").looks(4)
        expect(size(user) == (3840, 2160), size(user))
        user.tap("Shift_L", "F11").looks(4)
        expect(size(user) == (800, 600), size(user))


@long_case
def numbers_when_left(tri):
    """A number that was typed takes effect when its field is left by a click into another one, before or after it."""
    rail, scene_text, n, seed = (24, 24), (145, 468), (145, 503), (145, 538)  # the panel Scene, and its fields
    with window(tri, "plummer:n=64", "--size", "1280x720", "--scale", "1") as user:
        user.click(*rail).looks()
        user.click(*n).looks()
        user.write("77").looks()
        user.click(*seed).looks()
        user.write("5").looks()
        user.click(*scene_text).looks()
        user.tap("Escape")
        text = user.picture()
        expect((text["n"], text["scene"]) == ("77", "plummer:n=77,seed=5"), text)


@long_case
def first_start(tri):
    """Without a scene the merger plays; Ctrl+P, words and Enter carry out what they name."""
    with window(tri, "--size", "1280x720", "--scale", "1") as user:
        user.looks(2)
        user.tap("Control_L", "p").looks()
        user.write("use map fold").looks()
        user.tap("Return")
        text = user.picture()
        expect(text["scene"].startswith("merger") and int(text["step"]) > 0, text)
        expect(text["map"] == "fold", text)
        user.click(24, 24).looks()  # the rail: Scene
        user.tap("Escape")
        user.tap("space").looks()
        step = user.picture()["step"]
        expect(user.picture()["step"] == step, "Space did not pause it")


@long_case
def first_minute(tri):
    """Nobody touches it: the galaxies alone, while all maps are timed; then the offer, with the button where Next will
    be."""
    with window(tri, "--size", "1280x720", "--scale", "1", quick=False) as user:
        def lit(x, y):
            return all(channel > 200 for channel in user.grab(x, y, 1, 1, user.root)[0][0])
        def timed():
            """Rows of maps that have digits in their column of times."""
            return sum(any(min(pixel) > 180 for row in user.grab(1130, y - 6, 55, 12, user.root) for pixel in row)
                       for y in range(83, 480, 26))
        expect(not lit(740, 468), "a card at once")
        expect(becomes(lambda: timed() == 16, 150), f"{timed()} of 16 maps have a time")
        expect(becomes(lambda: lit(740, 468), 60), "no offer of the tour")
        for _ in range(3):
            user.click(814, 475).looks()
        expect(becomes(lambda: any(pixel[2] > pixel[0] + 40 for pixel in user.grab(874, 200, 2, 1, user.root)[0])),
               "stop 3 has no ring")


@long_case
def hidpi(tri):
    """Xft.dpi 192 doubles the window, too."""
    display = Client()
    text = b"Xft.dpi:\t192\n"
    display.x.XChangeProperty(display.display, display.root, XID(display.atom("RESOURCE_MANAGER")), XID(31), 8, 0, text,
                              len(text))
    display.x.XSync(display.display, 0)
    with window(tri, "plummer:n=16") as user:
        user.picture()
        expect(user.size == [2560, 1440], user.size)


@long_case
def tour(tri):
    """F3 starts it; each stop has a ring around its part, Next stands at one place, and what a stop asks for leads to the
    next. Esc and the link leave it, wherever it is."""
    next_stop = (814, 475)
    stops = [(874, 20), (1000, 487), (874, 200), (1183, 20), (640, 670), (1, 30)]  # a place on each ring, at 1280 x 720
    with window(tri, "plummer:n=256", "--size", "1280x720", "--scale", "1") as user:
        def ringed():
            """The stops that have a ring, from 1."""
            def blue(pixel):
                return all(abs(a - b) < 12 for a, b in zip(pixel, (0x8A, 0xB4, 0xFF)))
            return [k + 1 for k, (x, y) in enumerate(stops)
                    if any(blue(pixel) for row in user.grab(max(x - 1, 0), y - 1, 4, 4) for pixel in row)]
        def at(*numbers):
            expect(becomes(lambda: ringed() == list(numbers), 60), f"{ringed()} instead of {list(numbers)}")
            user.looks()
        user.tap("F3")
        at(1)
        user.click(*next_stop)
        at(2)
        user.click(938, 614)  # Play, of the figure
        expect(user.looks(2) and ringed() == [2], "the next stop comes before the end of the figure")
        at(3)
        user.tap("1")
        at(4)
        user.tap("space").looks()
        user.tap("y").looks()  # it runs at once, and pauses the run
        user.tap("Escape")
        at(5)
        step = int(user.picture()["step"])
        expect(becomes(lambda: int(user.picture()["step"]) > step, 60), "the run does not go on after the race")
        user.tap("space").looks()
        user.click(640, 682)  # the strip
        at(6)
        for key in ("F1", "F1"):
            user.tap(key).looks()
        user.tap("Control_L", "p").looks()
        user.tap("Escape").looks()
        user.click(24, 24)  # Scene
        at()
        user.tap("F3").looks()
        user.tap("Escape")
        at()
        user.tap("F3").looks()
        user.click(*next_stop)
        at(2)
        user.click(619, 475)  # Leave the tour
        at()
        expect(user.picture()["map"] == "bb", "the map of stop 3 stays")


@long_case
def gallery(tri):
    """The panel Scene draws the pictures that it shows, keeps them, and opens a scene by a click or by the keyboard."""
    def pictures():
        return sorted(glob.glob("cache/triangulum/pictures/*.png"))
    times = []
    for start in range(2):
        with window(tri, "plummer:n=64", "--size", "1280x720", "--scale", "1") as user:
            if start == 0:  # the second time the panel is open
                user.click(24, 24)
            expect(becomes(lambda: len(pictures()) >= 5, 60), f"{pictures()}")
            user.looks(3)
            for file in pictures():
                expect(picture(file)[:2] == (224, 140), f"{file}: {picture(file)[:2]}")
                expect(any(max(row) > 60 for row in picture(file)[2]), f"{file} is dark")
            times.append([os.path.getmtime(file) for file in pictures()])
            if start == 0:
                user.click(200, 247)  # the third
                expect(becomes(lambda: user.picture()["scene"] == "cold-collapse"), user.picture())
            else:
                for keys in (["Shift_L", "Tab"], ["Tab"], ["Down"], ["Down"], ["Return"]):  # rail, panel, two cards
                    user.tap(*keys).looks()
                expect(becomes(lambda: user.picture()["scene"] == "argon-droplet"), user.picture())
    expect(times[1][:len(times[0])] == times[0], "drawn again")


@long_case
def keyboard(tri):
    """Tab leads through the parts of the window, arrows within one, and Enter presses: run bar and maps."""
    with window(tri, "plummer:n=64", "--size", "1280x720", "--scale", "1") as user:
        def taps(*keys):
            for key in keys:
                user.tap(key).looks(0.5)
        taps("Tab", "Tab", "Tab")  # rail, the scene's head, run bar
        taps("Right", "Right", "Right", "Return")  # reset, back, play, one step
        text = user.picture()
        expect(text["step"] == "1", text)
        taps("Tab")  # the column of maps, its first item
        taps(*["Down"] * 4, "Return")
        text = user.picture()
        expect(text["map"] != "lambda", text)
        taps("space")
        user.looks()
        taps("space")
        expect(int(user.picture()["step"]) > 1, "Space runs, wherever the keyboard is")


@case
def quick_click(tri):
    """A click counts where it was made, though the pointer leaves before the next frame; and a key that was only
    touched counts too."""
    with window(tri, "plummer:n=64", "--size", "1280x720", "--scale", "1") as user:
        for _ in range(3):
            user.click(358, 628, leaves=True).looks()  # one step
        user.tap("n")
        text = user.picture()
        expect(text["step"] == "4", text)


@case
def slow_clicks(tri):
    """A click on a paused window counts although each frame takes seconds and nothing happens after it."""
    with window(tri, "plummer:n=64,dt=0.01", "--size", "1280x960", "--scale", "1") as user:
        user.click(24, 324).looks()  # the rail: Time
        user.move(305, 494).looks(2)  # Make film, without bookmarks
        user.button(True)
        user.button(False)
        for _ in range(4):  # whatever it is doing
            time.sleep(0.02)
            user.process.send_signal(signal.SIGSTOP)
            time.sleep(1.1)
            user.process.send_signal(signal.SIGCONT)
        expect(becomes(lambda: reddest(user.grab(400, 40, 480, 60, user.root)) > 60, 30), "no film")
        user.tap("Escape").looks()


@long_case
def presentation(tri):
    """F11, or --presentation: the scene fills the window; Esc brings rail, column and status line back."""
    def panel():
        user.looks()
        return [all(abs(a - b) < 4 for a, b in zip(user.grab(x, y, 1, 1)[0][0], (0x15, 0x19, 0x20)))
                for x, y in ((2, 300), (1276, 460), (700, 716))]  # rail, column, status line
    for arguments in ([], ["--presentation"]):
        with window(tri, "plummer:n=64", "--size", "1280x720", "--scale", "1", *arguments) as user:
            if not arguments:
                expect(panel() == [True] * 3, panel())
                user.tap("F11")
            expect(panel() == [False] * 3, panel())
            user.tap("Escape")
            expect(panel() == [True] * 3, panel())


@long_case
def pace_of_time(tri):
    """The three bodies of Pythagoras move by the clock, a unit of time a second, and not by frames."""
    with window(tri, "pythagorean", "--size", "320x320", "--scale", "1") as user:
        begin = time.monotonic()
        user.tap("space").looks(4)
        user.tap("space")
        most = time.monotonic() - begin + 2
        shown = float(user.picture()["time"])
    expect(0.5 < shown < most, f"{shown:.3g} units of time in {most:.3g} s at most")


@long_case
def step_back(tri):
    """N and Backspace: the state after two steps forth and one back is that after one."""
    with window(tri, "plummer:n=64") as user:
        for name in ("first", "again"):
            user.tap(*(("n",) if name == "first" else ("BackSpace",))).looks()
            user.tap("Control_L", "s").looks()
            user.write(f"{name}.csv")
            user.tap("Return")
            expect(becomes(lambda: os.path.exists(f"{name}.csv")), os.listdir("."))
            user.looks()
            if name == "first":
                user.tap("n").looks()
        text = user.picture()
        expect(text["step"] == "1", text)
    first, again = (open(f"{name}.csv").read() for name in ("first", "again"))
    expect(first == again, "another state")


@long_case
def film_by_hand(tri):
    """In the panel Time: two bookmarks, the path saved, and a film made by clicks, with a mark that only the window has."""
    with window(tri, "plummer:n=64,dt=0.01", "--size", "1280x960", "--scale", "1") as user:
        user.click(24, 324).looks()  # the rail: Time
        user.click(*BUTTONS["Add here"]).looks()
        for _ in range(3):
            user.tap("n").looks(0.4)
        user.click(*BUTTONS["Add here"]).looks()
        user.click(*BUTTONS["Save path"])
        expect(becomes(lambda: os.path.exists("camera.toml")), os.listdir("."))
        user.looks()
        text = open("camera.toml").read()
        expect(text.count("[[bookmark]]") == 2 and "time = 0\n" in text and "time = 0.03" in text, text)
        user.click(*BUTTONS["file"]).looks()
        user.tap("Control_L", "a").looks()
        user.write("frames").looks()
        user.tap("Tab").looks()
        user.click(*BUTTONS["Make film"])
        expect(becomes(lambda: os.path.exists("frames/frame_000003.png"), 60), os.listdir("."))
        expect(becomes(lambda: reddest(user.grab(400, 40, 480, 60)) > 60), "no mark")
        user.click(*BUTTONS["Stop and keep"])
        expect(becomes(lambda: reddest(user.grab(400, 40, 480, 60)) == 0), "the mark stays")
        count = len(os.listdir("frames"))
        user.looks()
        expect(len(os.listdir("frames")) == count >= 3, "it goes on")
        expect(picture("frames/frame_000002.png")[:2] == (1920, 1080), "its size")
        user.click(*BUTTONS["Make film"])
        expect(becomes(lambda: reddest(user.grab(400, 40, 480, 60)) > 60), "no mark")
        title = user.grab(60, 10, 200, 30)
        user.tap("Escape")
        expect(becomes(lambda: reddest(user.grab(400, 40, 480, 60)) == 0), "Esc does not end the film")
        expect(len(os.listdir("frames-2")) > 0 and user.looks().grab(60, 10, 200, 30) == title, "the panel went with it")


@long_case
def typed_law_and_map(tri):
    """A parameter of a typed law under the pointer, a map file chosen in the list, and a law from the editor."""
    with open("mine.toml", "w") as f:
        f.write("name = 'mine'\ndomain = 'pairs'\nlaunch = ['m', 'm']\ntile = 'row = y; col = x; idle = x > y'\n")
    with window(tri, "plummer:n=64", "--law", "-G*mi*mj/r; G = 1; softening = 0.05", "--map-file", "mine.toml",
                "--size", "1280x900", "--scale", "1") as user:
        user.click(24, 74).looks()  # the rail: Physics
        def strength():
            law = user.picture()["pair-law"]
            number = re.fullmatch(r"-G\*mi\*mj/r; G = (\S+); softening = 0.05", law)
            expect(number, law)
            return float(number.group(1))
        with user.dragging(145, 395) as move:
            move(170, 395)
            move(195, 395)
            half = strength()  # before the button is let go
            move(245, 395)
        expect(1 < half < strength(), half)
        user.tap("Control_L", "z")
        expect(strength() == 1, "one undo takes the drag back")
        user.click(940, 499)  # behind the built-in maps
        user.tap("n")
        text = user.picture()
        expect(text["map"] == "mine" and text["step"] == "1", text)
        user.click(24, 424).looks()  # the rail: Editor
        user.click(107, 448)  # Use this law
        text = user.picture()
        expect(text["pair-law"].startswith("energy = 4*eps") and text["map"] == "mine", text)


@long_case
def layouts(tri):
    """On a French keyboard Ctrl+A quits nothing, on a German one Ctrl+Z undoes: letters go by what they mean, and digits
    by place."""
    if shutil.which("setxkbmap") is None:
        skip("there is no setxkbmap; install the package x11-xkb-utils")
    stays = Client()  # noqa: F841; or the server would begin anew, with its own layout
    try:
        for layout in ("fr", "de", "us"):
            subprocess.run(["setxkbmap", layout], check=True)
            with window(tri, "plummer:n=64", "--size", "640x480", "--scale", "1") as user:
                user.tap("Control_L", "a").looks()
                user.tap("n").looks()
                text = user.picture()
                expect((text["step"], text["map"]) == ("1", "lambda"), (layout, text))
                user.tap({"fr": "eacute"}.get(layout, "2")).looks()  # the second key of the row
                user.tap({"fr": "ampersand"}.get(layout, "1")).looks()
                expect(user.picture()["map"] == "bb", layout)
                user.tap("Control_L", "z")
                expect(user.picture()["map"] == "lambda", f"{layout}: not undone")
                user.tap("Control_L", "y")
                expect(user.picture()["map"] == "bb", f"{layout}: not redone")
    finally:
        subprocess.run(["setxkbmap", "us"], check=True)


@long_case
def taps(tri):
    """Every touch of a key or a button counts, also several in a frame: twenty of Space leave the run as it was, twenty of
    n and ten clicks are as many steps, and what is typed after Ctrl+A takes the place of all."""
    with window(tri, "plummer:n=64", "--size", "1280x720", "--scale", "1") as user:
        for key in ("n", "space"):
            for _ in range(20):
                user.tap(key)
                time.sleep(0.05)
        user.looks()
        first = user.picture()["step"]
        expect(int(first) >= 20 and user.picture()["step"] == first, first)
        user.move(358, 628).looks()  # one step
        for _ in range(10):
            user.button(True)
            user.button(False)
            time.sleep(0.04)
        expect(becomes(lambda: int(user.picture()["step"]) == int(first) + 10), f"{user.picture()['step']}, {first}")
        user.click(24, 24).looks()  # the rail: Scene, and its text
        user.click(145, 468).looks()
        user.tap("Control_L", "a")
        user.write("figure-8")  # and Enter at once, mostly in the same frame
        user.tap("Return").looks(2)
        expect(user.picture()["scene"] == "figure-8", user.picture())


@long_case
def escape(tri):
    """Esc closes the list of a combo box, and the panel behind it only the next time."""
    with window(tri, "plummer:n=64", "--size", "1280x720", "--scale", "1") as user:
        def panel():  # whether the panel is there
            user.move(700, 200).looks()
            return all(max(pixel) < 60 for row in user.grab(358, 100, 8, 60) for pixel in row) and (
                user.grab(330, 24, 30, 30) != user.empty)
        user.move(700, 200).looks()
        user.empty = user.grab(330, 24, 30, 30)
        user.click(24, 124).looks()  # the rail: View
        expect(panel(), "no panel")
        user.click(145, 58).looks()  # a combo box
        user.tap("Escape").looks()
        expect(panel(), "the panel went with the list")
        user.tap("Escape").looks()
        expect(not panel(), "the panel stays")


@long_case
def icon(tri):
    """As an icon the window draws nothing, and the run goes on."""
    def share(seconds=5):
        before = user.used()
        time.sleep(seconds)
        return (user.used() - before) / seconds
    with window(tri, "plummer:n=64", "--size", "1280x720", "--scale", "1") as user:
        user.tap("space").looks()
        drawn, step = share(), int(user.picture()["step"])
        user.minimise(True)
        user.looks()
        unseen = share()
        user.minimise(False)
        user.tap("space").looks()
        expect(int(user.picture()["step"]) > step + 200, "the run stood still")
    expect(unseen < 0.25 * drawn, f"{100 * drawn:.0f} % of a core, and {100 * unseen:.0f} % as an icon")


@long_case
def record_at_rest(tri):
    """A recording of a paused window has one frame, and goes on with the run."""
    with window(tri, "plummer:n=64", "--size", "320x320", "--scale", "1", PATH="/nowhere") as user:
        user.tap("F9").looks(3)
        folder = glob.glob("triangulum-*/")[0]
        still = len(os.listdir(folder))
        expect(1 <= still < 15, f"{still} frames of nothing")  # those of the window that settles
        user.looks(2)
        expect(len(os.listdir(folder)) <= still + 1, "equal frames")
        user.tap("space").looks(2)
        expect(len(os.listdir(folder)) > still + 5, "no frames of the run")
        user.tap("F9")


def reddest(rows):
    """Pixels in the colour of the record mark."""
    return sum(r > 200 and g < 120 and b < 120 for row in rows for r, g, b in row)


@long_case
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
                user.tap("space").looks(1 + 0.2 * step)
        return user.quitting
    paused, running = quitting(False), quitting(True)
    expect(running < paused + max(0.5, 0.25 * step),
           f"{paused:.2f} s to quit while paused, {running:.2f} s in a step, which takes {step:.2f} s")


if __name__ == "__main__":
    main()
