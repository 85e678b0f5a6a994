"""The program triangulum, as the manual runs it: in a folder of its own for each page, with neither settings nor caches
of the user."""

import json
import os
import subprocess
import sys
from pathlib import Path

from snippets import on_one_thread

DISPLAY = Path(__file__).resolve().parents[2] / "tests/support/with_display.py"


class Program:
    """path: of the program. work: a folder for what it writes."""

    def __init__(self, path, work):
        self.path, self.work = str(path), work
        self.environment = dict(os.environ, NO_COLOR="1", XDG_CONFIG_HOME=str(work / "config"),
                                XDG_CACHE_HOME=str(work / "cache"), LC_ALL="C.UTF-8")

    def folder(self, page):
        """Where the commands of a page run."""
        folder = self.work / page
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def run(self, *arguments, folder=None, code=0):
        """Standard output and standard error of a command; an error if it does not end with this code."""
        done = subprocess.run([self.path, *arguments], capture_output=True, text=True, cwd=folder or self.work,
                              env=self.environment, timeout=300)
        if done.returncode != code:
            raise RuntimeError(f"triangulum {' '.join(arguments)}\nended with {done.returncode}, not {code}:\n"
                               f"{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout, done.stderr

    def output(self, command, folder):
        """What a command of a page (snippets.py) prints; of one that fails on purpose its message too."""
        out, err = self.run(*on_one_thread(command.words), folder=folder, code=command.code)
        told = out + err if command.code else out or err
        return told.replace(str(folder), "~").replace(str(self.work), "~")

    def window(self, command, folder, picture):
        """Runs a command that opens a window, on a display of its own, until its script ends or, without one, until the
        picture is taken."""
        words = command.words
        if "--script" not in words:
            words = [*words, "--size", "1280x720", "--exit-after", "15", *(["--screenshot", picture] if picture else [])]
        done = subprocess.run([sys.executable, "-B", str(DISPLAY), self.path, *words], capture_output=True, text=True,
                              cwd=folder, env=self.environment, timeout=120)
        if done.returncode != 0:
            raise RuntimeError(f"{command.line}\nended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")

    def json(self, *arguments, **more):
        return json.loads(self.run(*arguments, "--json", **more)[0])
