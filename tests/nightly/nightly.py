"""nightly.py [--minutes M] [--preset P] [ROW...]: what takes too long for every change. Usually called as .ci/nightly.

Every unit test under the address, undefined-behaviour and thread sanitizers; each test program as one process, in random
orders; every file and header compiled alone; a wheel of the Python module, tested with the oldest NumPy and the newest;
`make run` and `make test` in fresh systems with their own compilers; the map headers with many more; the fuzzers; mutants of maps and typed laws; the
app's tour with its memory watched; times against those of the last report. Ends with one table, in Markdown, and exits
with 1 if a row failed. Logs, reports and what the fuzzers found stay in build/nightly and build/PRESET/fuzz.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FOLDER = ROOT / "build/nightly"
SKIPPED = 77  # as ctest has it
SYSTEMS = [("bookworm", "g++"), ("trixie", "g++"), ("trixie", "clang-19"), ("testing", "g++-15"), ("testing", "g++"),
           ("noble", "g++")]  # Debian 12, 13 and the next, Ubuntu 24.04
# The compilers of the map headers: g++ 11 to 14 and the newest, clang 14 to 19 and the newest, g++ for
# Windows and for ARM.
HEADERS = [("bookworm", "g++-12 g++-11 clang-14 clang-15 clang-16 clang-19 g++-mingw-w64-x86-64-posix g++-aarch64-linux-gnu"),
           ("noble", "g++-13 g++-14 clang-17 clang-18"), ("testing", "g++-15 g++ clang")]
FUZZERS = ("tab csv npy hdf5 tipsy xyz ply vtp pvd csv-points npy-points scene options law mapfile").split()


class Row:
    """A row of the table: what runs, and how a log becomes a remark."""

    def __init__(self, name, commands, remark=lambda log: ""):
        self.name, self.commands, self.remark = name, commands, remark
        self.state, self.seconds, self.said = "not run", 0.0, ""

    def run(self, log):
        """Runs the commands in turn until one fails; all that they print goes to the log."""
        start = time.monotonic()
        self.state = "passed"
        with open(log, "w") as out:
            for command in self.commands:
                out.write(f"$ {' '.join(map(str, command))}\n")
                out.flush()
                try:
                    code = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out,
                                          stderr=subprocess.STDOUT, check=False).returncode
                except OSError as error:
                    out.write(f"{command[0]}: {error.strerror}\n")
                    code = 127
                if code != 0:
                    self.state = "left out" if code == SKIPPED else "FAILED"
                    break
        self.seconds = time.monotonic() - start
        text = Path(log).read_text(errors="replace")
        self.said = self.remark(text) or ("" if self.state == "passed" else last_line(text))


def last_line(log):
    lines = [line for line in log.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def found(pattern):
    """What the last match of the pattern in a log says."""
    def remark(log):
        matches = re.findall(pattern, log, re.M)
        return matches[-1] if matches else ""
    return remark


def failed_tests(log):
    """ctest's summary, with the names of what failed."""
    names = re.findall(r"^\s+\d+ - (\S+) \(", log, re.M)
    return found(r"^(\d+% tests passed.*)$")(log) + (": " + ", ".join(names[:5]) if names else "")


def mutants_said(log):
    survivors = re.findall(r"^survivor: (\S+?):? ", log, re.M)
    return found(r"^(\d+ of \d+ mutants killed.*)$")(log) + ("; survivors: " + ", ".join(survivors) if survivors else "")


def table(rows):
    """The rows as Markdown; '|' in a remark would end its cell."""
    lines = ["| what | result | time | remark |", "|---|---|---|---|"]
    for row in rows:
        minutes = f"{row.seconds / 60:.1f} min"
        lines.append(f"| {row.name} | {row.state} | {minutes} | {row.said.strip().replace('|', '/')} |")
    return "\n".join(lines)


def tests_of(preset):
    return [["cmake", "--preset", preset],
            ["cmake", "--build", "--preset", preset, "--target", "unit_tests"],
            ["ctest", "--preset", preset, "--label-regex", "unit", "--parallel", str(os.cpu_count() or 1)]]


def wheel():
    """Left out where no package index is in reach."""
    return [["bash", "-c", f"bash cmake/python_venv.sh wheel || {{ [ $? -eq 3 ] && exit {SKIPPED}; exit 1; }}"],
            ["make", "wheel-test", "PRESET=cpu"]]


def performance(program):
    """Times against those of the last night, whose report this night's replaces once the comparison is made."""
    report, old = FOLDER / "bench.json", FOLDER / "bench.last.json"
    script = ('"$1" bench --help | grep -q -e "--compare" || '
              '{ echo "this program compares no reports"; exit 77; }; '
              '[ ! -e "$2" ] || mv "$2" "$3"; '
              'if [ -e "$3" ]; then exec "$1" bench --preset smoke -o "$2" --compare "$3"; fi; '
              '"$1" bench --preset smoke -o "$2" && echo "the first report: the next night is compared with it"')
    return [["bash", "-c", script, "performance", str(program), str(report), str(old)]]


def shuffled(folder, seeds=(1, 2, 3)):
    """Each test program as one process, in random orders: a test that relies on another, or disturbs one, fails. ctest
    has a process a test."""
    script = ('failed=""; for program in "$0"/test_* "$0"/*_test; do for seed in "$@"; do '
              '"$program" --gtest_shuffle --gtest_random_seed="$seed" --gtest_brief=1 || '
              'failed="$failed $(basename "$program"):$seed"; done; done; '
              '[ -z "$failed" ] || { echo "failed:$failed"; exit 1; }')
    return [["bash", "-c", script, str(folder), *map(str, seeds)]]


def all_rows(args):
    program = ROOT / "build" / args.preset / "bin/triangulum"
    build = [["cmake", "--preset", args.preset], ["cmake", "--build", "--preset", args.preset, "--target"]]
    python = [sys.executable, "-B"]
    fuzz_seconds = max(1, round(60 * args.minutes))
    rows = [Row("address, undefined", tests_of("asan"), failed_tests), Row("thread", tests_of("tsan"), failed_tests),
            Row("tests shuffled", [*tests_of(args.preset)[:2], *shuffled(ROOT / "build" / args.preset / "bin")],
                found(r"^(failed:.*)$")),
            Row("every file and header alone",
                [["cmake", "--preset", "dev"], ["cmake", "--build", "--preset", "dev", "--", "-k", "0"]]),
            Row("wheel", wheel(), found(r"^((?:\d+ failed, )?\d+ passed.*)$"))]
    for suite, compiler in SYSTEMS:
        script = ["bash", "tests/package/fresh_root.sh", "build", suite, compiler, str(FOLDER / f"roots/{suite}.tar")]
        rows.append(Row(f"build on {suite}, {compiler}", [script], failed_tests))
    for suite, compilers in HEADERS:
        script = ["bash", "tests/package/fresh_root.sh", "headers", suite, compilers, str(FOLDER / f"roots/{suite}.tar")]
        rows.append(Row(f"map headers on {suite}", [script], last_line))
    for target in FUZZERS:
        rows.append(Row(f"fuzz {target}",
                        [build[0], build[1] + ["fuzz_driver"],
                         ["bash", "tests/fuzz/libfuzzer.sh", f"build/{args.preset}", str(fuzz_seconds), target]],
                        found(r"^(?:Done \d+ runs.*|.*ERROR: .*)$")))
    rows.append(Row("a law and a column by the book", [[*python, str(HERE / "walk_test.py"), str(FOLDER / "walk")]],
                    last_line))
    mutants = [*python, str(HERE / "mutate.py"), "--build-preset", "cpu", "--count", str(max(1, round(4 * args.minutes)))]
    rows.append(Row("mutants", [mutants + (["--seed", str(args.seed)] if args.seed is not None else [])], mutants_said))
    rows.append(Row("memory of the tour",
                    [build[0], build[1] + ["triangulum"],
                     [*python, "tests/support/with_display.py", *python, str(HERE / "watch.py"),
                      "--seconds", str(360 * args.minutes), "--growth", str(args.growth), str(program), "demo", "tour",
                      "--backend", "cpu", "--quiet"]],
                    found(r"^(resident memory.*|the command ended.*)$")))
    rows.append(Row("times", [build[0], build[1] + ["triangulum"], *performance(program)], last_line))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10,
                        help="of each fuzzer (10); the tour takes six times as long, and mutants are four a minute")
    parser.add_argument("--preset", default="release", help="of fuzzers, tour and times (release)")
    parser.add_argument("--seed", type=int, help="of the mutants")
    parser.add_argument("--growth", type=float, default=64, help="MB that the tour may grow by (64)")
    parser.add_argument("rows", nargs="*", metavar="ROW", help="only rows whose name starts so; --list names them")
    parser.add_argument("--list", action="store_true", help="name the rows, and run nothing")
    args = parser.parse_args()
    rows = [row for row in all_rows(args) if not args.rows or any(row.name.startswith(name) for name in args.rows)]
    if not rows:
        parser.error(f"no row starts with {' or '.join(args.rows)}; --list names them")
    if args.list:
        print("\n".join(row.name for row in rows))
        return 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for row in rows:
        print(f"{time.strftime('%H:%M:%S')} {row.name}", flush=True)
        row.run(FOLDER / f"{re.sub('[^a-z0-9]+', '-', row.name)}.log")
    text = table(rows)
    (FOLDER / "summary.md").write_text(text + "\n")
    print(f"\n{text}")
    return int(any(row.state == "FAILED" for row in rows))


if __name__ == "__main__":
    sys.exit(main())
