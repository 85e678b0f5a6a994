"""mutate.py --build-preset P [--count N] [--seed S] [--folder F]: which small errors in maps and typed laws the tests miss.

Clones HEAD, changes one random line of sim/maps or sim/text at a time (a comparison, a number by one, a term left
out), builds the tests of that file and runs them. Prints a line a mutant and the survivors; exits with 1 if the tests
fail without a change. Equivalent mutants survive, too: look at each.
"""

import argparse
import os
import random
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGETS = {"sim/maps/*.hpp": "test_maps", "sim/text/[!mp]*.[ch]pp": "test_expression",  # laws
           "sim/text/[mp]*.[ch]pp": "test_mapfile"}  # maps and proofs
FLIPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
COMPARISON = re.compile(r"(?<= )(<=|>=|==|!=|<|>)(?= )")
NUMBER = re.compile(r"(?<![\w.'])(\d+)(?=(?:u|ull)?\b(?![\w.']))")
TERM = re.compile(r" [+-] [A-Za-z_]\w*(?:\.\w+\(\))?(?=[),;\]]| [-+*<>=!?:&|])")
# No code, or code that says what it is: the compiler's checks and what lists print.
SKIPPED = re.compile(r"^\s*(//|#|$|static_assert|namespace|using |template|\"|\})|kInfo|inline constexpr")


def code_of(line):
    """The line with its texts and its comment as blanks, so that columns stay."""
    line = re.sub(r'"(?:\\.|[^"\\])*"', lambda m: " " * len(m.group()), line)
    return re.sub(r"//.*", lambda m: " " * len(m.group()), line)


def mutants_of(line):
    """Every changed form of a line, with what was done."""
    if SKIPPED.search(line):
        return []
    code, found = code_of(line), []

    def change(match, text, what):
        found.append((line[:match.start()] + text + line[match.end():], what))

    for m in COMPARISON.finditer(code):
        change(m, FLIPS[m.group()], "comparison")
    for m in NUMBER.finditer(code):
        change(m, str(int(m.group()) + 1), "off by one")
    for m in TERM.finditer(code):
        change(m, "", "term left out")
    return found


def choose(files, rng):
    """A random line that can be changed, and a random change: (file, line number from 0, changed line, what)."""
    while True:
        path = rng.choice(files)
        lines = path.read_text().splitlines()
        number = rng.randrange(len(lines))
        forms = mutants_of(lines[number])
        if forms:
            return path, number, *rng.choice(forms)


def run(command, folder, seconds=None):
    """The exit code; None after the time."""
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          start_new_session=True) as process:
        try:
            output, _ = process.communicate(timeout=seconds)
            return process.returncode, output
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.communicate()
            return None, ""


class Clone:
    """HEAD in a folder of its own, with the tests built there."""

    def __init__(self, folder, preset):
        self.folder, self.preset, self.seconds = folder, preset, {}
        if not (folder / ".git").exists():
            subprocess.run(["git", "clone", "--quiet", "--shared", str(ROOT), str(folder)], check=True)
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
        subprocess.run(["git", "fetch", "--quiet", str(ROOT), head.strip()], cwd=folder, check=True)
        subprocess.run(["git", "checkout", "--quiet", "--force", "--detach", head.strip()], cwd=folder, check=True)
        code, output = run(["cmake", "--preset", preset], folder)
        if code != 0:
            sys.exit(f"the clone cannot be configured:\n{output[-2000:]}")

    def files(self, pattern):
        return sorted(self.folder.glob(pattern))

    def build(self, target):
        return run(["cmake", "--build", "--preset", self.preset, "--target", target], self.folder, 3600)

    def test(self, target, seconds):
        program = self.folder / "build" / self.preset / "bin" / target
        return run([str(program), "--gtest_brief=1", "--gtest_fail_fast"], self.folder, seconds)

    def outcome(self, path, number, changed, target):
        """"killed", "survived", or "not compiled"."""
        text = path.read_text()
        lines = text.splitlines(keepends=True)
        lines[number] = changed + "\n"
        path.write_text("".join(lines))
        try:
            if self.build(target)[0] != 0:
                return "not compiled"
            code, _ = self.test(target, 10 * self.seconds[target] + 10)
            return "survived" if code == 0 else "killed"
        finally:
            path.write_text(text)

    def baseline(self, target):
        """Builds and runs without a change, and notes how long that takes."""
        code, output = self.build(target)
        if code != 0:
            sys.exit(f"{target} does not build without a change:\n{output[-2000:]}")
        before = os.times().elapsed
        code, output = self.test(target, 3600)
        if code != 0:
            sys.exit(f"{target} fails without a change:\n{output[-2000:]}")
        self.seconds[target] = os.times().elapsed - before


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=40, help="mutants that compile (40)")
    parser.add_argument("--seed", type=int, help="of the choice; the same seed and commit are the same mutants")
    parser.add_argument("--build-preset", default="cpu")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/nightly/mutants", help="of the clone")
    args = parser.parse_args()
    seed = args.seed if args.seed is not None else random.SystemRandom().randrange(10**6)
    print(f"seed {seed}", flush=True)
    rng = random.Random(seed)
    args.folder.parent.mkdir(parents=True, exist_ok=True)
    clone = Clone(args.folder, args.build_preset)
    for target in TARGETS.values():
        clone.baseline(target)
    counts, survivors, tried = {"killed": 0, "survived": 0, "not compiled": 0}, [], set()
    while counts["killed"] + counts["survived"] < args.count:
        pattern = rng.choice(sorted(TARGETS))
        path, number, changed, what = choose(clone.files(pattern), rng)
        if (path, number, changed) in tried:
            continue
        tried.add((path, number, changed))
        outcome = clone.outcome(path, number, changed, TARGETS[pattern])
        counts[outcome] += 1
        line = f"{path.relative_to(clone.folder)}:{number + 1}: {what}: {changed.strip()}"
        print(f"{outcome}: {line}", flush=True)
        if outcome == "survived":
            survivors.append(line)
    print(f"{counts['killed']} of {args.count} mutants killed, {counts['not compiled']} more did not compile, seed {seed}")
    for line in survivors:
        print(f"survivor: {line}")


if __name__ == "__main__":
    main()
