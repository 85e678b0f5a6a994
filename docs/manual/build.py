#!/usr/bin/env python3
"""Builds the manual without a network: build.py PROGRAM OUT

PROGRAM is the built triangulum, OUT a folder (build/manual), whose `html` becomes the manual. The pages of docs/manual
and docs are staged in OUT/source (stage.py), with pages that the program's own lists, its help and the Python module
fill; Sphinx builds them, and every warning is an error; check.py then checks the result. Exits 77 where Sphinx is
missing, and says what to install.
"""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
NEEDED = {"sphinx": "python3-sphinx", "myst_parser": "python3-myst-parser", "furo": "furo"}
SYSTEM_PYTHON = "/usr/bin/python3"  # that of Debian's packages
MISSING = 77


def require_sphinx():
    """Returns if this Python has all that is needed; starts the system's Python in its place if that may have it."""
    missing = [package for module, package in NEEDED.items() if importlib.util.find_spec(module) is None]
    missing += [] if shutil.which("Xvfb") else ["xvfb"]
    if not missing:
        return
    if os.path.realpath(sys.executable) != os.path.realpath(SYSTEM_PYTHON) and os.path.exists(SYSTEM_PYTHON):
        os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, "-B", *sys.argv])
    print(f"skipped: the manual needs {', '.join(missing)}: bash cmake/install_packages.sh docs", file=sys.stderr)
    sys.exit(MISSING)


def facts(program, version):
    """What pages name in double braces."""
    backends = [b for b in program.json("info")["backends"] if b["available"]]
    return {"VERSION": version, "MACHINE": "; ".join(f"{b['device']} ({b['name']}, {b['detail']})" for b in backends)}


def stage(program, out):
    """Writes the source of the manual into OUT/source."""
    import command_pages
    import list_pages
    import map_pages
    import python_pages
    from stage import Stage

    source = out / "source"
    (source / "_static").mkdir(parents=True)
    version = program.run("--version")[0].split()[1]
    (source / "made.json").write_text(json.dumps({"version": version}))
    shutil.copyfile(HERE / "conf.py", source / "conf.py")
    shutil.copyfile(HERE / "manual.css", source / "_static/manual.css")
    staged = Stage(ROOT, source, program, facts(program, version))
    for pages in (command_pages, python_pages, list_pages, map_pages):
        pages.write(staged)
    staged.all()


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: build.py PROGRAM OUT")
    require_sphinx()
    import check
    import slides
    from runner import Program

    path, out = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    started = time.monotonic()
    for name in ("source", "work", "html"):
        shutil.rmtree(out / name, ignore_errors=True)
    (out / "work").mkdir(parents=True)
    program = Program(path, out / "work")
    if "no window" in (program.json("info")["window"]["reason"] or ""):
        print("skipped: the manual has pictures, and this build of triangulum has no window", file=sys.stderr)
        sys.exit(MISSING)
    try:
        stage(program, out)
    except (RuntimeError, ValueError) as error:  # a command of a page, with what it said
        sys.exit(str(error))
    staged = time.monotonic()
    built = subprocess.run([sys.executable, "-B", "-m", "sphinx", "-q", "-n", "-W", "--keep-going", "-b", "html", "-d",
                            out / "doctrees", out / "source", out / "html"])
    if built.returncode != 0:
        sys.exit(1)
    slides.write(out / "html")
    problems, told = check.check(out / "html", program)
    print(f"{told}; staged in {staged - started:.0f} s, built in {time.monotonic() - staged:.0f} s: {out / 'html/index.html'}")
    for problem in problems:
        print(problem, file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
