"""The commands and files that a page of the documents shows: read from its blocks, and run in a folder.

A block without a language holds commands, one a line, and `{run}` the same with what they print shown behind each;
`{gpu}` needs a CUDA device. `{window} PICTURE` needs a display, and shows the window in PICTURE if its command has no
script. A comment `# exit 2` names the exit code, if it is not 0. A block that begins with `# NAME.EXT` is a file of that
name (or with `//`, in C++). `{run} 12` shows the first 12 lines of each output, `{run} only energy, steps` the lines that
begin so, and with `{run} equal-hashes` all commands must end in the same state, which is shown.
"""

import re
import shlex
from collections import namedtuple
from pathlib import Path

BLOCK = re.compile(r"^(```+)(\{?[\w+-]*\}?)[ ]*([^\n]*)\n(.*?)^\1[ ]*$", re.M | re.S)
FILE = re.compile(r"(?:#|//) ([\w-]+\.\w+)(?: .*)?\n")
RUNS = ("", "{run}", "{gpu}", "{window}")

Command = namedtuple("Command", "line words code")
Block = namedtuple("Block", "kind argument text commands file")


def commands_of(text):
    """The commands of a block; none, if it is not one of commands."""
    lines = [line for line in re.split(r"(?<!\\)\n", text) if line.strip()]
    if not lines or not all(line.startswith("triangulum ") for line in lines):
        return []
    found = []
    for line in lines:
        code = re.search(r"# exit (\d+)$", line)
        words = shlex.split(line.replace("\\\n", " "), comments=True)
        found.append(Command(re.sub(r"\s*# exit \d+$", "", line), words[1:],
                             int(code.group(1)) if code else 0))
    return found


def block_of(match):
    kind, argument, text = match.group(2), match.group(3).strip(), match.group(4)
    file = FILE.match(text) if kind not in RUNS and not kind.startswith("{") else None
    return Block(kind, argument, text, commands_of(text) if kind in RUNS else [], file and file.group(1))


def blocks_of(page):
    """The blocks of a page, in their order."""
    return [block_of(match) for match in BLOCK.finditer(page)]


def on_one_thread(words):
    """The words of a command, which gives a run one thread of the cpu where it says nothing else: threads of small runs
    wait for each other in every step, and beside other work, as in tests, each wait may take as long as a turn of the
    scheduler."""
    chosen = {"--threads", "--device", "--devices"} & set(words) or "cuda" in words
    if words[0] != "run" or chosen:
        return words
    return [*words, *([] if "--backend" in words else ["--backend", "cpu"]), "--threads", "1"]


def check_outputs(block, outputs):
    """What a block promises of the outputs of its commands; a ValueError if it does not hold."""
    if block.argument == "equal-hashes":
        hashes = [re.findall(r"^state hash (\w+)$", output, re.M) for output in outputs]
        if len(hashes) < 2 or hashes != [hashes[0]] * len(hashes) or not hashes[0]:
            raise ValueError(f"the states differ, {hashes}, of\n{block.text}")


def shown_lines(block, output):
    """The lines of an output that a page shows: the first ones and ... for the others, those that begin as it says, or all,
    if none begins so."""
    printed, argument = output.rstrip().splitlines(), block.argument
    if argument.isdigit():
        return printed[:int(argument)] + ["..."] * (len(printed) > int(argument))
    labels = ("map ", "state hash") if argument == "equal-hashes" else tuple(argument.removeprefix("only ").split(", "))
    return [line for line in printed if argument and line.startswith(labels)] or printed


def run_page(page, run, skipped=("{gpu}", "{window}")):
    """Writes the files of a page into the current folder and calls run(block, command) for each command, in the order
    of the page. Blocks of the skipped kinds are left out. Returns the number of commands."""
    count = 0
    for block in blocks_of(page):
        if block.file:
            Path(block.file).write_text(block.text)
        if block.kind in RUNS[1:] and not block.commands:
            raise ValueError(f"a block {block.kind} without commands:\n{block.text}")
        for command in block.commands if block.kind not in skipped else ():
            run(block, command)
            count += 1
    return count
