"""The commands that documents show for reading, in blocks with numbers, remarks and other programs before them (mpirun,
time), and in the middle of a sentence; and the same commands made short enough to run as a test."""

import re
import shlex

BLOCK = re.compile(r"^```(?:sh)?[ ]*\n(.*?)^```[ ]*$", re.M | re.S)
FENCE = re.compile(r"^```.*?^```[ ]*$", re.M | re.S)
INLINE = re.compile(r"`([^`]*\btriangulum [^`]+)`")
# Where a command begins, behind its number or what starts it.
BEGIN = re.compile(r"(?:^|\s)triangulum(?=\s+[a-z]+(?:\s|$))")
REMARK = re.compile(r"\s{2,}[(#].*")
# [options], a|b, FILE: of a synopsis. Laws are quoted and may have any of these.
SYNOPSIS = re.compile(r"[][|]|\b(?:[A-Z]{3,}|IN|B|T)\b")
QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")


def words_of(text):
    """The words behind `triangulum`, without redirections; none for a synopsis."""
    text = REMARK.sub("", text)
    if SYNOPSIS.search(QUOTED.sub("", text)):
        return []
    return shlex.split(re.split(r"\s[>&]|;\s*done", text)[0].replace("$d", "all"), comments=True)


def shown_commands(page):
    """The words of each command that a page shows: of a block each line with one, and those inside a sentence that have
    their arguments: `triangulum run --restart` has none."""
    found = []
    for block in BLOCK.finditer(page):
        lines = re.sub(r"\\\n\s*", " ", block.group(1)).splitlines()
        for k, line in enumerate(lines):
            begin = BEGIN.search(line)
            if begin is not None:
                text = line[begin.end():]
                while text.count('"') % 2 == 1:  # a law goes on in the next line
                    k += 1
                    text += " " + lines[k].strip()
                found.append(words_of(text))
    for code in INLINE.finditer(FENCE.sub("", page)):
        for part in code.group(1).split("&&"):
            begin = BEGIN.search(part)
            words = words_of(" ".join(part[begin.end():].split())) if begin else []
            found.append(words if len(words) > 2 or len(words) == 2 and words[1][0] != "-" else [])
    return [words for words in found if words and words not in LEFT_OUT]


def needs_gpu(words):
    return "cuda" in words or "--devices" in words


# Values in place of those shown, and options in addition to them. Times of a test are no results.
SHORT = {"--steps": "3", "--until": "0.1", "--frames": "2", "--skip": "2", "--size": "64x36", "--n": "64",
         "--samples": "6", "--save-every": "2", "--exit-after": "2"}
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


def smaller(word):
    """A scene with few bodies, where it says how many; a folder of pictures in place of a video, which needs ffmpeg; the
    snapshot of a short run; and files in this folder."""
    word = re.sub(r"\bn=\d+", "n=100", word)
    word = re.sub(r"\br=\d+", "r=4", word)
    word = re.sub(r"^run_\d+\.hdf5$", "run_02.hdf5", word)
    return word.replace("film.mp4", "film/").replace("/dev/shm/", "")


def shortened(words):
    """The same command with few bodies, steps, samples and frames."""
    command, more = words[0], dict(MORE.get(words[0], {}))
    if command == "bench" and "--tune" in words:
        more = {"--n": "256", "-o": "tuning.txt", "--backend": "cuda"}  # a cpu has nothing to tune
    if "device-report" in words:
        more |= REPORT
    if "--compare" in words:
        more["--threshold"] = "1e9"
    if {"sectors", "tensor", "automaton"} & set(words):
        more["--backend"] = "cuda"  # that is where they are
    if needs_gpu([*words, *more.values()]):
        more.pop("--threads", None)
    short = [command, *(SHORT.get(before) or smaller(word) for before, word in zip(words, words[1:]))]
    for option, value in more.items():
        if option == "--threshold" and option in short:
            short[short.index(option) + 1] = value
        elif option not in short:
            short += [option, value]
    return short
