"""Cases of the command line: every command that a document or a page of the manual shows, with the files shown there."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from program import Program, case, expect
from shown_commands import needs_gpu, on_cpu, shortened, shown_commands, shown_steps, smaller

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "docs/manual"))
from snippets import blocks_of, check_outputs, on_one_thread, run_page  # noqa: E402


def run_document(tri, path):
    """Runs the commands of a document in their order, and returns their number. Those that need a GPU or a display must
    get as far as their absence where there is none. In builds without a window those that draw are left out."""
    here = tri.json("info")
    no_window = "no window" in (here["window"]["reason"] or "")
    gpu = any(b["name"] == "cuda" and b["available"] for b in here["backends"])
    skipped = ["{gpu}"] * (not gpu)
    skipped += ["{window}"] * (no_window or shutil.which("Xvfb") is None)
    told = {}

    def run(block, command):
        fits_everywhere(command.words)
        if no_window and command.words[0] == "render":
            return
        if block.kind in skipped:
            refused(tri, command.words, ABSENT[block.kind])
            return
        if block.kind == "{window}":
            script = [] if "--script" in command.words else ["--size", "640x360", "--exit-after", "3"]
            on_a_display(tri, *command.words, *script)
        else:
            out, _ = tri.run(*(command.words if gpu else on_one_thread(command.words)), code=command.code)
            told.setdefault(id(block), []).append(out)
            if len(told[id(block)]) == len(block.commands):
                check_outputs(block, told[id(block)])

    return run_page((ROOT / path).read_text(), run, skipped=())


# Exit codes without a GPU and without a display. A command that ends so was parsed, and planned, before.
ABSENT = {"{gpu}": 3, "{window}": 7}


def fits_everywhere(words):
    """Where a GPU is, auto takes it, and --threads is refused."""
    expect("--threads" not in words or "cpu" in words, f"--threads without --backend cpu: {words}")


def refused(tri, words, code):
    tri.run(*words, code=code, env={"CUDA_VISIBLE_DEVICES": ""}, without=["DISPLAY", "WAYLAND_DISPLAY"])


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
    expect(run_document(tri, "docs/typed-maps.md") == 14, "commands of docs/typed-maps.md")


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
    ("start", 17), ("faq", 5), ("performance/index", 3), ("tutorials/astronomy", 14), ("tutorials/data-science", 9),
    ("tutorials/granular", 11), ("tutorials/molecular", 12), ("tutorials/gpu-teaching", 9),
    ("lesson/slides", 4), ("lesson/exercises", 8))]


@case
def manual_pages_listed(tri):
    """Every page of the manual that shows commands has a case here."""
    folder = ROOT / "docs/manual"
    shown = {path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.md")
             if run_page_count(path) > 0}
    expect(shown == set(PAGES), f"listed or shown only: {sorted(shown ^ set(PAGES))}")


def run_page_count(path):
    return sum(len(block.commands) for block in blocks_of(path.read_text()))


def try_shown(tri, path, begin=""):
    """Runs what a document shows from `begin` on, and returns the number of commands."""
    page = (ROOT / path).read_text()
    return try_page(tri, page[page.index(begin):])


def try_page(tri, page):
    """Runs what a page shows, made short, in the order of the page, in a folder that is empty at
    first, and returns the number of commands. What needs a GPU must get as far as its absence, and then a cpu makes its
    files; under TRI_REQUIRE_CUDA=1 everything runs on a GPU."""
    steps = shown_steps(page)
    no_window = "no window" in (tri.json("info")["window"]["reason"] or "")
    gpu = os.environ.get("TRI_REQUIRE_CUDA") == "1"
    snapshots_are_saved(tri, [step.words for step in steps if step.kind == "command"])
    with empty_folder(tri) as there:
        for step in steps:
            words = shortened(step.words, gpu) if step.kind == "command" else []
            fits_everywhere(words if gpu else step.words)
            if step.kind == "file":
                Path(step.words[0]).write_text(step.text)
            elif step.kind == "shell":
                done = subprocess.run(["sh", "-c", smaller(step.text)], env=there, capture_output=True, text=True)
                expect(done.returncode == 0, (step.text, done.stderr))
            elif needs_gpu(words) and not gpu:
                refused(tri, words, ABSENT["{gpu}"])
                if files_of(words):
                    tri.run(*on_cpu(words))
            elif words[0] in ("view", "demo") or no_window and words[0] == "render":
                if no_window or shutil.which("Xvfb") is None:
                    refused(tri, words, ABSENT["{window}"])
                else:
                    on_a_display(tri, *words)
            else:
                given = Path(step.given).read_text() if step.given else None
                out, _ = tri.run(*words, input=given, env={} if gpu else {"CUDA_VISIBLE_DEVICES": ""})
                if step.output:
                    Path(step.output).expanduser().write_text(out)
    return sum(step.kind == "command" for step in steps)


def snapshots_are_saved(tri, commands):
    """A command may name a snapshot only of a step at which one before it, as it stands there, saves one: made short, it
    names another."""
    for k, words in enumerate(commands):
        if words[0] != "run" or "--snapshot" not in words or "--restart" in words:
            continue
        pattern, every = (words[words.index(option) + 1] for option in ("--snapshot", "--save-every"))
        begin, end = map(re.escape, pattern.split("{step}"))
        for word in (word for later in commands[k + 1:] for word in later):
            named = re.fullmatch(begin + r"(\d+)" + end, word)
            if named:
                expect(not every.startswith("wall="), f"whether there is {word} depends on the clock: {words}")
                dt = tri.json("run", smaller(words[1]), "--steps", "0", "--backend", "cpu")["dt"]
                times = int(named.group(1)) * dt / float(every[3:]) if every.startswith("dt=") else \
                    int(named.group(1)) / int(every)
                expect(times >= 1 and abs(times - round(times)) < 1e-9, f"{words} saves no {word}")


def files_of(words):
    return "--tune" not in words and {"-o", "--resume", "--diag", "--snapshot", "--plot"} & set(words)


@contextlib.contextmanager
def empty_folder(tri):
    """A folder of its own for a page, and an environment in which its shell finds the program as if it were installed:
    with its documents, and nothing else of the source."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory(prefix="tri-page-", dir=before) as folder:
        prefix, page = Path(folder, "prefix"), Path(folder, "page")
        for name in ("bin", "share/doc/triangulum"):
            (prefix / name).mkdir(parents=True)
        (prefix / "bin/triangulum").symlink_to(os.path.abspath(tri.path))
        (prefix / "share/doc/triangulum/maps").symlink_to(ROOT / "assets/maps")
        page.mkdir()
        os.environ["HOME"] = os.environ["XDG_CONFIG_HOME"] = os.environ["XDG_CACHE_HOME"] = folder
        os.chdir(page)
        try:
            yield dict(os.environ, PATH=f"{prefix}/bin:{os.environ['PATH']}")
        finally:
            os.chdir(before)


@case
def pages_make_their_files(tri):
    """A page whose command reads a file that no line before it made fails, as would its reader."""
    command = "```\ntriangulum compute distances points.csv -o d.npy\n```\n"
    made = "```\nprintf 'x,y\\n0,0\\n3,4\\n' > points.csv\n```\n"
    expect(try_page(tri, made + command) == 1, "it runs")
    for page in (command, command + made, "`triangulum convert merger:n=10 a.csv && triangulum convert b.csv c.csv`",
                 "```\ntriangulum run plummer --steps 90 --save-every 20 --snapshot run_{step}.hdf5\n"
                 "triangulum convert run_30.hdf5 a.csv\n```\n", "```\nprintf '1' > none/a.csv\n```\n",
                 "```\ntriangulum list maps > none/maps\n```\n"):
        try:
            try_page(tri, page)
        except (AssertionError, OSError):
            continue
        raise AssertionError(f"this page was accepted: {page}")


# Documents that show commands for reading, with their number.
SHOWN = {
    "docs/app-pictures.md": 5, "docs/app-scripts.md": 1, "docs/app-time.md": 2, "docs/app.md": 4,
    "docs/files.md": 4, "docs/gallery.md": 1, "docs/install.md": 1, "docs/maps.md": 4, "docs/notes/performance.md": 5, "docs/notes/tensor.md": 1,
    "docs/performance.md": 70, "docs/ranks.md": 11, "docs/results/README.md": 5, "docs/results/h200/README.md": 6,
    "docs/scenes.md": 8, "docs/tensor.md": 4, "docs/tree.md": 6,
}


@case
def help_examples(tri):
    """The examples of app/help.md."""
    found = try_shown(tri, "app/help.md", "## run")
    expect(found == 36, f"examples of app/help.md: {found}")


def try_documents(tri, paths):
    for path in paths:
        found = try_shown(tri, path)
        expect(found == SHOWN[path], f"{found} commands of {path}, and there were {SHOWN[path]}")


FIGURES = ("docs/performance.md", "docs/results/h200/README.md", "docs/tensor.md", "docs/tree.md")
WINDOWS = tuple(path for path in SHOWN if path.startswith(("docs/app", "docs/gallery", "docs/scenes")))


@case
def shown_figures(tri):
    """The commands that figures come from."""
    try_documents(tri, FIGURES)


@case
def shown_windows(tri):
    """Those of the documents that show the window, and others."""
    try_documents(tri, WINDOWS)


@case
def shown_in_documents(tri):
    """Those of all other documents."""
    try_documents(tri, [path for path in SHOWN if path not in FIGURES + WINDOWS])


@case
def documents_listed(tri):
    """Every document that shows a command has a case here."""
    listed = {"docs/laws.md", "docs/typed-maps.md", *SHOWN, *(f"docs/manual/{page}.md" for page in PAGES)}
    shown = {path.relative_to(ROOT).as_posix() for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
             if shown_commands(path.read_text())}
    expect(shown <= listed, f"shown and not run: {sorted(shown - listed)}")


@case
def counts_of_maps(tri):
    """What documents say of how many maps there are."""
    maps = [m["domain"] for m in tri.json("list", "maps")]
    counts = [maps.count(domain) for domain in ("pairs", "triples", "gasket")]
    words = r"(\d+)\s+for\s+the\s+triangle[^,]*,\s+(\d+)\s+for\s+the\s+tetrahedron[^,]*,\s+(\d+)\s+for\s+the"
    for path in ("README.md", "CHANGELOG.md"):
        said = re.search(words, (ROOT / path).read_text())
        expect(said and [int(number) for number in said.groups()] == counts, f"{path}: {said and said[0]}, not {counts}")


@case
def named_pages(tri):
    """Pages that help, messages and docstrings name are there, are installed, and the help says where."""
    named = set()
    for folder in ("app", "sim", "render"):
        for path in (ROOT / folder).rglob("*.*"):
            if path.suffix in (".cpp", ".hpp", ".cu", ".cuh", ".md", ".py"):
                named |= {(name, path) for name in re.findall(r"docs/[\w/-]+\.md", path.read_text())
                          if name != "docs/NAME.md"}
    expect(len(named) > 20, named)
    for name, path in named:
        expect((ROOT / name).is_file(), f"{path.relative_to(ROOT)} names {name}, which is not there")
    rules = " ".join((ROOT / "cmake/Package.cmake").read_text().split())
    expect('install(DIRECTORY docs DESTINATION share/doc/triangulum FILES_MATCHING PATTERN "*.md"' in rules, "not installed")
    for words in (["help", "all"], ["run", "--help"], ["law", "--help"], ["man"]):
        text = " ".join(tri.run(*words)[0].split())
        expect("docs/NAME.md, are in share/doc/triangulum beside the bin" in text, words)


@case
def cite(tri):
    """Entries for BibTeX with the version of the program; CITATION.cff has the same version and papers."""
    entries, file = tri.run("cite")[0], (ROOT / "CITATION.cff").read_text()
    version = tri.run("--version")[0].split()[1].split("+")[0]
    expect(f"version = {{{version}}}" in entries and f"\nversion: {version}\n" in file, version)
    expect(entries.count("@") == 5 and entries.count("{") == entries.count("}"), entries)
    for doi in re.findall(r"doi: (\S+)", file):
        expect(f"doi = {{{doi}}}" in entries and doi in (ROOT / "docs/references.md").read_text(), doi)
