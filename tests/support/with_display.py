#!/usr/bin/env python3
"""with_display.py COMMAND...: runs a command on a private virtual display (Xvfb) with software OpenGL, and exits as
it did. Without Xvfb it exits with 77, which ctest reports as skipped."""

import os
import shutil
import subprocess
import sys


def start(size="3840x2160x24"):
    """Starts Xvfb on the first free display number. Returns the process and the display's name."""
    read, write = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", size, "-nolisten", "tcp", "+extension",
                               "GLX"], pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as answer:
        number = answer.readline().strip()
    if not number:
        server.wait()
        raise RuntimeError("Xvfb did not start")
    return server, ":" + number


def main():
    if shutil.which("Xvfb") is None:
        print("skipped: there is no Xvfb; install the package xvfb")
        return 77
    server, display = start()
    try:
        env = dict(os.environ, DISPLAY=display, LIBGL_ALWAYS_SOFTWARE="1", GALLIUM_DRIVER="llvmpipe")
        return subprocess.run(sys.argv[1:], env=env).returncode
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    sys.exit(main())
