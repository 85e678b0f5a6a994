"""The commands that documents show for reading, in blocks with numbers, remarks and other programs before them (mpirun,
time), and in the middle of a sentence, with the files that a page makes; and the same commands made short enough to run
as a test."""

import re
import shlex
from collections import namedtuple

BLOCK = re.compile(r"^```([\w+-]*)[^\n]*\n(.*?)^```[ ]*$", re.M | re.S)
INLINE = re.compile(r"`([^`]*\btriangulum [^`]+)`")
# Where a command begins, behind its number or what starts it.
BEGIN = re.compile(r"(?:^|\s)triangulum(?=\s+[a-z]+(?:\s|$))")
REMARK = re.compile(r"\s{2,}[(#].*")
# [options], a|b, FILE: of a synopsis. Laws are quoted and may have any of these.
SYNOPSIS = re.compile(r"[][|]|\b(?:[A-Z]{3,}|IN|B|T)\b")
QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
# A line that makes a file, and a block that is one: `# NAME` stands in its first line.
MAKES = re.compile(r"^(?:\(\d+\) )? *((?:printf|awk) .* > \S+|cp (?!build/|packaging/).*|mkdir .*)$")
FILE = re.compile(r"(?:#|//) ([\w-]+\.\w+)(?: .*)?\n")
PIPE = re.compile(r"\bcat (\S+) \|\s*$")

# file: `text` is what it holds; shell: a line that makes one; command: the words behind `triangulum`, which may read the
# file `given` from standard input, and write `output`.
Step = namedtuple("Step", "kind words text given output", defaults=([], "", None, None))


def words_of(text):
    """The words behind `triangulum`, without redirections; none for a synopsis."""
    text = REMARK.sub("", text)
    if SYNOPSIS.search(QUOTED.sub("", text)):
        return []
    return shlex.split(re.split(r"\s[>&]|;\s*done", text)[0].replace("$d", "all"), comments=True)


def step_of(line, begin):
    pipe = PIPE.search(line[:begin.end() - len("triangulum")])
    output = re.search(r"\s> *([\w./~-]+)", QUOTED.sub("", REMARK.sub("", line[begin.end():])))
    return Step("command", words_of(line[begin.end():]), "", pipe and pipe.group(1), output and output.group(1))


def steps_of_block(language, text):
    """Each line with a command, and those that make files."""
    file = FILE.match(text) if language not in ("", "sh") else None
    if file:
        return [Step("file", [file.group(1)], text)]
    if language not in ("", "sh"):
        return []
    found = []
    lines = re.sub(r"\\\n\s*", " ", text).splitlines()
    for k, line in enumerate(lines):
        begin, makes = BEGIN.search(line), MAKES.match(line)
        while begin is not None and line[begin.end():].count('"') % 2 == 1:  # a law goes on in the next line
            k += 1
            line += " " + lines[k].strip()
        found += [Step("shell", text=makes.group(1))] if makes else [step_of(line, begin)] if begin else []
    return found


def steps_of_sentence(text):
    """Commands inside a sentence that have their arguments: `triangulum run --restart` has none."""
    found = []
    for part in re.sub(r"\s*\n\s*", " ", text).split("&&"):
        begin = BEGIN.search(part)
        step = step_of(part, begin) if begin else Step("command")
        words = step.words
        found += [step] if len(words) > 2 or len(words) == 2 and words[1][0] != "-" else []
    return found


def shown_steps(page):
    """Each command that a page shows, and each file that it makes, in the order of the page."""
    found, rest = [], page
    for block in BLOCK.finditer(page):
        found.append((block.start(), steps_of_block(block.group(1), block.group(2))))
        rest = rest[:block.start()] + " " * len(block.group()) + rest[block.end():]
    found += [(code.start(), steps_of_sentence(code.group(1))) for code in INLINE.finditer(rest)]
    steps = [step for _, steps in sorted(found, key=lambda at: at[0]) for step in steps]
    return [step for step in steps if step.kind != "command" or step.words and step.words not in LEFT_OUT]


def shown_commands(page):
    """The words of each command that a page shows."""
    return [step.words for step in shown_steps(page) if step.kind == "command"]


def needs_gpu(words):
    return "cuda" in words or "--devices" in words


# Values in place of those shown, and options in addition to them. Times of a test are no results.
SHORT = {"--steps": "3", "--until": "0.1", "--frames": "2", "--skip": "2", "--size": "64x36", "--n": "64",
         "--samples": "6", "--save-every": "2", "--exit-after": "2", "--devices": "all"}
MORE = {
    "run": {"--threads": "1"},
    "bench": {"--samples": "6", "--warmup": "0", "--n": "64", "--threads": "1"},
    "compute": {"--threads": "1"},
    "view": {"--size": "320x320", "--exit-after": "2"},
    "demo": {"--size": "320x320", "--exit-after": "2"},
    "render": {"--size": "64x36"},
    "verify": {"--backend": "cuda"},  # refused where none is: its checks are a case of their own
}
# Not run: a search for 20 seconds, which is a case of its own (published_failures).
LEFT_OUT = (["list", "failures"],)
REPORT = {"--backend": "cpu", "--kernel": "gravity,triplet", "--map": "bb,lambda,tetra"}


def on_cpu(words):
    """The same command there, for the files that it makes."""
    drop = [k for k, word in enumerate(words) if word in ("--backend", "--devices", "--arithmetic", "--placement")]
    left = [word for k, word in enumerate(words) if k not in drop and k - 1 not in drop]
    return [*left, "--backend", "cpu", "--threads", "1"]


def smaller(word):
    """A scene with few bodies, where it says how many; a folder of pictures in place of a video, which needs ffmpeg; the
    snapshot of a short run; and files in this folder."""
    word = re.sub(r"\bn=\d+", "n=100", word)
    word = re.sub(r"\bk < \d+", "k < 60", word)
    word = re.sub(r"\br=\d+", "r=4", word)
    word = re.sub(r"^run_\d+\.hdf5$", "run_02.hdf5", word)
    return word.replace("film.mp4", "film/").replace("/dev/shm/", "")


def shortened(words, gpu=False):
    """The same command with few bodies, steps, samples and frames. gpu: for a machine that has one."""
    if words[:2] == ["verify", "map"]:
        return words
    command, more = words[0], dict(MORE.get(words[0], {}))
    if command == "bench" and "--tune" in words:
        more = {"--n": "256", "-o": "tuning.txt", "--backend": "cuda"}  # a cpu has nothing to tune
    if "device-report" in words:
        more |= REPORT
    if any(word.endswith(".html") for word in words) and command == "render":
        del more["--size"]  # a page has the browser's
    if "--compare" in words:
        more["--threshold"] = "1e9"
    if {"sectors", "tensor", "automaton"} & set(words):
        more["--backend"] = "cuda"  # that is where they are
    if gpu and "cpu" not in words or needs_gpu([*words, *more.values()]):
        more.pop("--threads", None)
    short = [command, *(SHORT.get(before) or smaller(word) for before, word in zip(words, words[1:]))]
    for option, value in more.items():
        if option == "--threshold" and option in short:
            short[short.index(option) + 1] = value
        elif option not in short:
            short += [option, value]
    return short
