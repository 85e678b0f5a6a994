"""A user of the window: keys and pointer from the X server, and looks at what it shows. For tests without a script."""

import contextlib
import ctypes
import glob
import os
import subprocess
import time

from picture import head, picture
from program import expect
from x_client import XID, Client


class User(Client):
    """Acts, and looks before the next act."""

    def looks(self, seconds=0.4):
        """Until it is drawn what was done, and for these seconds at least: panels slide in."""
        end = time.monotonic() + seconds
        self.seen().frames(2)
        time.sleep(max(0, end - time.monotonic()))
        return self

    def picture(self):
        """What a screenshot says of the session, as a dict."""
        self.looks()
        before = set(glob.glob("triangulum-*.png"))
        self.tap("Shift_L", "F12")
        expect(becomes(lambda: set(glob.glob("triangulum-*.png")) - before, 60), "no screenshot")
        self.seen()
        self.shot = (set(glob.glob("triangulum-*.png")) - before).pop()
        *self.size, texts, _ = head(self.shot)
        return dict(line.split(" = ", 1) for line in texts["triangulum"].splitlines())

    @property
    def rows(self):
        """Of the last picture. Slow: a second for a million pixels."""
        return picture(self.shot)[2]

    def used(self):
        """Seconds of processors that the program has taken."""
        with open(f"/proc/{self.process.pid}/stat") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def minimise(self, on):
        """As a window manager says it (ICCCM 4.1.3.1)."""
        kind = self.atom("WM_STATE")
        state = (ctypes.c_long * 2)(3 if on else 1, 0)
        self.x.XChangeProperty(self.display, self.target(), XID(kind), XID(kind), 32, 0, state, 2)
        self.x.XSync(self.display, 0)

    def part(self, x, y, width, height):
        """The pixels there, as (red, green, blue)."""
        self.looks()
        return self.grab(x, y, width, height)

    def drag(self, places, number=1, held=(), pause=0.2):
        """From the first of these places to the last with a button down, and these keys with it; pause: seconds at each
        place."""
        for name in held:
            self.key(name, True)
        self.move(*places[0])
        self.looks(0.4)
        self.button(True, number)
        self.looks(2 * pause)
        for start, end in zip(places, places[1:]):
            for share in (0.3, 0.7, 1):
                self.move(*(round(a + share * (b - a)) for a, b in zip(start, end)))
                self.looks(pause)
        self.button(False, number)
        self.looks(0.4)
        for name in held:
            self.key(name, False)
        self.looks()

    @contextlib.contextmanager
    def dragging(self, x, y):
        """A drag from there that the caller goes on with, by the function that it gets: move(x, y)."""
        self.move(x, y)
        self.looks(0.4)
        self.button(True)
        self.looks()
        def move(to_x, to_y):
            self.move(to_x, to_y)
            self.looks()
        yield move
        self.button(False)
        self.looks()


@contextlib.contextmanager
def window(tri, *arguments, before=(), quick=True, **variables):
    """The app as a user starts it, with settings of its own, these words before it and these variables; ends with Ctrl+Q,
    and must then exit with 0. quick: with spheres, which software OpenGL draws several times as quickly as glow."""
    env = dict(os.environ, XDG_CONFIG_HOME=os.path.abspath("config"),
               XDG_CACHE_HOME=os.path.abspath("cache"), **variables)
    process = User.process = subprocess.Popen(
        [*before, tri.path, "view", *arguments, "--backend", "cpu", "--threads", "1"], env=env, stderr=subprocess.PIPE,
        text=True)
    try:
        user = User()
        user.target()
        # The first picture: software OpenGL compiles its shaders for seconds, and takes no key or click meanwhile.
        becomes(lambda: len({pixel for row in user.grab(0, 0, 300, 300, user.root) for pixel in row}) > 2)
        if quick:
            user.tap("v")
        user.looks(1)
        yield user
        begin = time.monotonic()
        user.tap("Control_L", "q")
        _, err = process.communicate(timeout=60)
        user.quitting = time.monotonic() - begin  # seconds
        expect(process.returncode == 0, f"exit code {process.returncode}: {err}")
    finally:
        process.kill()


def becomes(condition, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False
