"""Cases of the command line: every command that a document or a page of the manual shows, with the files shown there."""

import os
import shutil
import sys
from pathlib import Path

from harness import Program, case, expect

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "docs/manual"))
from snippets import blocks_of, check_outputs, on_one_thread, run_page  # noqa: E402


def run_document(tri, path):
    """Runs the commands of a document in their order, and returns their number. Those that need a GPU or a display are
    left out where there is none, and those that draw in builds without a window."""
    here = tri.json("info")
    no_window = "no window" in (here["window"]["reason"] or "")
    skipped = ["{gpu}"] * (not any(b["name"] == "cuda" and b["available"] for b in here["backends"]))
    skipped += ["{window}"] * (no_window or shutil.which("Xvfb") is None)
    told = {}

    def run(block, command):
        if no_window and command.words[0] == "render":
            return
        if block.kind == "{window}":
            script = [] if "--script" in command.words else ["--size", "640x360", "--exit-after", "3"]
            on_a_display(tri, *command.words, *script)
        else:
            out, _ = tri.run(*on_one_thread(command.words), code=command.code)
            told.setdefault(id(block), []).append(out)
            if len(told[id(block)]) == len(block.commands):
                check_outputs(block, told[id(block)])

    return run_page((ROOT / path).read_text(), run, skipped)


def on_a_display(tri, *words):
    display = Program(sys.executable, tri.data)
    display.run("-B", str(ROOT / "tests/support/with_display.py"), tri.path, *words)


@case
def laws_document(tri):
    """docs/laws.md."""
    expect(run_document(tri, "docs/laws.md") >= 12, "commands of docs/laws.md")


@case
def typed_maps_document(tri):
    """docs/typed-maps.md."""
    Path("points.csv").write_text("x,y\n" + "".join(f"{k},{k * k % 7}\n" for k in range(100)))
    expect(run_document(tri, "docs/typed-maps.md") == 13, "commands of docs/typed-maps.md")


def manual_case(page, least):
    """A case for a page of the manual, with at least so many commands."""
    def run(tri):
        os.environ["XDG_CONFIG_HOME"] = os.environ["XDG_CACHE_HOME"] = os.getcwd()
        count = run_document(tri, f"docs/manual/{page}.md")
        expect(count >= least, f"{count} commands of {page}, and there were {least}")

    run.__name__ = "manual_" + page.split("/")[-1].replace("-", "_").replace("index", page.split("/")[0])
    run.__doc__ = f"docs/manual/{page}.md."
    case(run)
    return page


PAGES = [manual_case(page, least) for page, least in (
    ("start", 8), ("faq", 5), ("performance/index", 3), ("tutorials/astronomy", 14), ("tutorials/data-science", 9),
    ("tutorials/granular", 11), ("tutorials/molecular", 14), ("tutorials/gpu-teaching", 12))]


@case
def manual_pages_listed(tri):
    """Every page of the manual that shows commands has a case here."""
    folder = ROOT / "docs/manual"
    shown = {path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.md")
             if run_page_count(path) > 0}
    expect(shown == set(PAGES), f"listed or shown only: {sorted(shown ^ set(PAGES))}")


def run_page_count(path):
    return sum(len(block.commands) for block in blocks_of(path.read_text()))
