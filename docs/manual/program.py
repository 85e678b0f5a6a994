"""The program triangulum, as the manual runs it: in a folder of its own for each page, with neither settings nor caches
of the user."""

import json
import os
import subprocess


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
        out, err = self.run(*command.words, folder=folder, code=command.code)
        return out + err if command.code else out or err

    def json(self, *arguments, **more):
        return json.loads(self.run(*arguments, "--json", **more)[0])
