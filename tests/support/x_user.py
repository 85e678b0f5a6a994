"""Users of a window on the X display, for tests without a script: a Client presses keys, and drops files as a file manager
would (the source's side of the XDND protocol, version 5, https://www.freedesktop.org/wiki/Specifications/XDND), by Xlib
through ctypes; a User also looks at what the window shows.

tap(), write() and click() go through the XTEST extension: the server cannot tell them from a keyboard and a mouse."""

import contextlib
import ctypes
import ctypes.util
import glob
import os
import pathlib
import struct
import subprocess
import time

from picture import head, picture
from program import expect

CLIENT_MESSAGE, SELECTION_REQUEST, SELECTION_NOTIFY = 33, 30, 31
EVENT_BYTES = 192
SUBSTRUCTURE_NOTIFY = 1 << 19
DOUBLE_CLICK = 0.35  # seconds; two clicks within 0.3 are a double one
XID = ctypes.c_ulong


class XImage(ctypes.Structure):
    """The begin of Xlib's structure."""
    _fields_ = [(name, ctypes.c_int) for name in ("width", "height", "xoffset", "format")] + [
        ("data", ctypes.c_void_p)] + [(name, ctypes.c_int) for name in (
            "byte_order", "bitmap_unit", "bitmap_bit_order", "bitmap_pad", "depth", "bytes_per_line")]


class Client:
    """An X client. Every wait takes at most `timeout` seconds."""

    def __init__(self, timeout=30):
        self.x = ctypes.CDLL(ctypes.util.find_library("X11"))
        self.x.XOpenDisplay.restype = ctypes.c_void_p
        for name in ("XDefaultRootWindow", "XCreateSimpleWindow", "XInternAtom"):
            getattr(self.x, name).restype = XID
        self.x.XKeysymToString.restype = ctypes.c_void_p
        self.display = ctypes.c_void_p(self.x.XOpenDisplay(None))
        if not self.display:
            raise RuntimeError("no X display")
        self.root = XID(self.x.XDefaultRootWindow(self.display))
        self.window = XID(self.x.XCreateSimpleWindow(self.display, self.root, 0, 0, 1, 1, 0, XID(0), XID(0)))
        self.timeout = timeout
        self.pings, self.unseen, self.clicked = 0, 0, 0.0
        self.x.XSelectInput(self.display, self.root, ctypes.c_long(SUBSTRUCTURE_NOTIFY))

    def atom(self, name):
        return self.x.XInternAtom(self.display, name.encode(), 0)

    def children(self, window):
        root, parent, count = XID(), XID(), ctypes.c_uint()
        found = ctypes.POINTER(XID)()
        self.x.XQueryTree(self.display, window, ctypes.byref(root), ctypes.byref(parent), ctypes.byref(found),
                          ctypes.byref(count))
        windows = [XID(found[i]) for i in range(count.value)]
        if found:
            self.x.XFree(found)
        return windows

    def takes_drops(self, window):
        kind, form, count, rest, data = XID(), ctypes.c_int(), XID(), XID(), ctypes.c_void_p()
        self.x.XGetWindowProperty(self.display, window, XID(self.atom("XdndAware")), ctypes.c_long(0), ctypes.c_long(1),
                                  0, XID(0), ctypes.byref(kind), ctypes.byref(form), ctypes.byref(count),
                                  ctypes.byref(rest), ctypes.byref(data))
        if data:
            self.x.XFree(data)
        return count.value > 0

    def target(self):
        """The first window that accepts drops."""
        end = time.monotonic() + self.timeout
        while time.monotonic() < end:
            for window in self.children(self.root):
                if self.takes_drops(window):
                    return window
            time.sleep(0.05)
        raise RuntimeError("no window takes drops")

    def tell(self, window, message, *values):
        data = (list(values) + [0] * 5)[:5]
        self.send(window, struct.pack("iLiLLLi5l", CLIENT_MESSAGE, 0, 1, 0, window.value, self.atom(message), 32, *data))

    def send(self, window, event):
        self.x.XSendEvent(self.display, window, 0, ctypes.c_long(0), event.ljust(EVENT_BYTES, b"\0"))
        self.x.XFlush(self.display)

    def wait_for(self, message, uris):
        """The data of the target's reply; serves requests for the files meanwhile."""
        end, wanted = time.monotonic() + self.timeout, self.atom(message)
        buffer = ctypes.create_string_buffer(EVENT_BYTES)
        while time.monotonic() < end:
            if self.x.XPending(self.display) == 0:
                time.sleep(0.01)
                continue
            self.x.XNextEvent(self.display, buffer)
            kind, = struct.unpack_from("i", buffer)
            if kind == CLIENT_MESSAGE and struct.unpack_from("L", buffer, 40)[0] == wanted:
                return struct.unpack_from("5l", buffer, 56)
            if kind == SELECTION_REQUEST:
                requestor, selection, target, place, when = struct.unpack_from("5L", buffer, 40)
                self.x.XChangeProperty(self.display, XID(requestor), XID(place), XID(target), 8, 0, uris, len(uris))
                self.send(XID(requestor), struct.pack("iLiL5L", SELECTION_NOTIFY, 0, 1, 0, requestor, selection,
                                                      target, place, when))
        raise RuntimeError(f"no {message}")

    def frames(self, count):
        """Waits until the window has asked for events so many times, and so has drawn that many frames, less one, with
        all that happened before. Each time it answers a ping (Extended Window Manager Hints, _NET_WM_PING)."""
        window, end = self.target(), time.monotonic() + self.timeout
        buffer = ctypes.create_string_buffer(EVENT_BYTES)
        ping = self.atom("_NET_WM_PING")
        for _ in range(count):
            self.pings += 1
            self.tell(window, "WM_PROTOCOLS", ping, self.pings, window.value)
            answered = False
            while not answered:
                if self.x.XPending(self.display) == 0:
                    if time.monotonic() > end:
                        raise RuntimeError("the window answers no ping")
                    time.sleep(0.002)
                    continue
                self.x.XNextEvent(self.display, buffer)
                answered = struct.unpack_from("i", buffer)[0] == CLIENT_MESSAGE and (
                    struct.unpack_from("2l", buffer, 56) == (ping, self.pings))
        return self

    def seen(self):
        """Waits until frames show what all keys and buttons since the last time did: the window takes one a frame."""
        self.frames(3 + self.unseen if self.unseen > 0 else 0)
        self.unseen = 0
        return self

    def xtest(self):
        """libXtst. The keyboard goes to the window that accepts drops, as a window manager would have it."""
        if not hasattr(self, "tst"):
            name = ctypes.util.find_library("Xtst")
            if not name:
                raise RuntimeError("no libXtst: install the package libxtst6")
            self.tst = ctypes.CDLL(name)
            for call in ("XStringToKeysym", "XKeycodeToKeysym"):
                getattr(self.x, call).restype = XID
            self.x.XSetInputFocus(self.display, self.target(), 2, XID(0))
        return self.tst

    def tap(self, *keysyms):
        """Presses the keys in this order and releases them in the other; X's names, e.g. "Control_L", "s"."""
        for keysym in keysyms:
            self.key(keysym, True)
        for keysym in reversed(keysyms):
            self.key(keysym, False)
        return self

    def write(self, text):
        """Types letters, digits and signs of ASCII, with Shift where the keyboard has them there."""
        self.xtest()
        for letter in text:
            code = self.x.XKeysymToKeycode(self.display, XID(ord(letter))) & 0xFF
            name = ctypes.cast(self.x.XKeysymToString(XID(ord(letter))), ctypes.c_char_p).value.decode()
            plain = self.x.XKeycodeToKeysym(self.display, code, 0) == ord(letter)
            self.tap(*([] if plain else ["Shift_L"]), name)
        return self

    def key(self, keysym, down):
        """Presses a key, or releases it."""
        tst = self.xtest()
        code = self.x.XKeysymToKeycode(self.display, XID(self.x.XStringToKeysym(keysym.encode()))) & 0xFF
        if code == 0:
            raise RuntimeError(f"no key for {keysym}")
        tst.XTestFakeKeyEvent(self.display, code, int(down), XID(0))
        self.x.XSync(self.display, 0)
        self.unseen += 1

    def move(self, x, y):
        """Moves the pointer to a place in the window, in pixels from its upper left corner."""
        tst, left, top, child = self.xtest(), ctypes.c_int(), ctypes.c_int(), XID()
        self.x.XTranslateCoordinates(self.display, self.target(), self.root, x, y, ctypes.byref(left), ctypes.byref(top),
                                      ctypes.byref(child))
        tst.XTestFakeMotionEvent(self.display, -1, left.value, top.value, XID(0))
        self.x.XSync(self.display, 0)
        self.unseen += 1
        return self

    def button(self, down, number=1):
        """Presses a button of the pointer, or releases it; 1: left, 3: right, 4 and 5: the wheel up and down."""
        self.xtest().XTestFakeButtonEvent(self.display, number, int(down), XID(0))
        self.x.XSync(self.display, 0)
        self.unseen += 1

    def click(self, x, y, times=1, leaves=False):
        """Presses and releases the left button at a place in the window, in pixels from its upper left corner. leaves:
        and moves the pointer to the left edge at once."""
        time.sleep(max(0, self.clicked + DOUBLE_CLICK - time.monotonic()))
        self.move(x, y).seen()
        for _ in range(times):
            self.button(True)
            time.sleep(0.1 if times > 1 else 0)
            self.button(False)
            time.sleep(0.1 if times > 1 else 0)
        if leaves:
            self.move(5, 400)
        self.seen()
        self.clicked = time.monotonic()
        return self

    def wheel(self, x, y, clicks):
        """Turns the wheel there; clicks > 0: up."""
        self.move(x, y).seen()
        for _ in range(abs(clicks)):
            self.button(True, 4 if clicks > 0 else 5)
            self.button(False, 4 if clicks > 0 else 5)
        return self.seen()

    def grab(self, x, y, width, height, window=None):
        """What the window (None: the one that accepts drops) shows there, as rows of (red, green, blue)."""
        self.x.XGetImage.restype = ctypes.POINTER(XImage)
        got = self.x.XGetImage(self.display, window or self.target(), x, y, width, height, XID(0xffffffff), 2)
        image = got.contents
        rows = []
        for row in range(height):
            line = ctypes.string_at(image.data + row * image.bytes_per_line, 4 * width)
            rows.append([(line[4 * k + 2], line[4 * k + 1], line[4 * k]) for k in range(width)])
        self.x.XFree(ctypes.c_void_p(image.data))
        self.x.XFree(got)
        return rows

    def drop(self, paths):
        """Drags the files over the window's centre, drops them, and returns when the window has accepted them."""
        uris = "".join(pathlib.Path(p).resolve().as_uri() + "\r\n" for p in paths).encode()
        window, copy = self.target(), self.atom("XdndActionCopy")
        self.x.XSetSelectionOwner(self.display, XID(self.atom("XdndSelection")), self.window, XID(0))
        self.tell(window, "XdndEnter", self.window.value, 5 << 24, self.atom("text/uri-list"))
        self.tell(window, "XdndPosition", self.window.value, 0, 100 << 16 | 100, 0, copy)
        if self.wait_for("XdndStatus", uris)[1] & 1 == 0:
            raise RuntimeError("the window takes no files")
        self.tell(window, "XdndDrop", self.window.value, 0, 0)
        self.wait_for("XdndFinished", uris)


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
