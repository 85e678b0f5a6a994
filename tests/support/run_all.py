"""Runs all cases of a test script side by side, without ctest and without a build tree: see `usage` of program.py.

Each case is a process of its own with a time limit. With --backend cuda, cases that need a GPU fail where there is none
that works, and documents run their commands for a GPU, too.
"""

import argparse
import collections
import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
Case = collections.namedtuple("Case", "name command environment")
Result = collections.namedtuple("Result", "name verdict seconds code output")
SKIPPED = 77


def arguments_of(words):
    parser = argparse.ArgumentParser(prog=f"{sys.argv[0]} PROGRAM DATA --all")
    parser.add_argument("--backend", choices=("cpu", "cuda"), help="the one that must work; cpu hides all GPUs")
    parser.add_argument("--jobs", type=int, default=max(1, len(os.sched_getaffinity(0)) // 2), help="cases at a time")
    parser.add_argument("--timeout", type=float, default=300, help="seconds that a case may take")
    parser.add_argument("--display", action="store_true", help="give each case a virtual display of its own")
    parser.add_argument("--json", metavar="FILE", help="write the results there, too")
    parser.add_argument("--only", metavar="REGEX", default="", help="the cases whose names have this")
    parser.add_argument("--file", metavar="NAME", help="the cases that this module defines")
    parser.add_argument("--short", action="store_true", help="leave out the cases that are declared with @long_case")
    parser.add_argument("--long", action="store_true", help="those alone")
    parser.add_argument("--python", metavar="FOLDER", help="run tests/app/python, too, with the module in this folder")
    return parser.parse_args(words)


def cases_of_python(folder, environment):
    """A case for each file of tests/app/python."""
    there = dict(environment, PYTHONPATH=os.path.abspath(folder))
    for file in sorted((ROOT / "tests/app/python").glob("test_*.py")):
        yield Case("python." + file.stem[5:], [sys.executable, "-B", "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider",
                                               "-o", "faulthandler_timeout=200", str(file)], there)


def run_case(case, timeout):
    begin = time.monotonic()
    process = subprocess.Popen(case.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, errors="replace", env=case.environment, start_new_session=True)
    late = ""
    try:
        output, _ = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        late = f"ended after {timeout:g} s\n"
    code = process.returncode
    all_skipped = case.name.startswith("python.") and re.search(r"^[0-9]+ skipped in ", output, re.M)
    verdict = "skipped" if code == SKIPPED or code == 0 and all_skipped else "passed" if code == 0 else "FAILED"
    return Result(case.name, verdict, round(time.monotonic() - begin, 2), code, late + output)


def run_all(program, data, functions, words):
    """Runs the cases that are wanted and returns the exit code: 1 if one failed, or if there was none, 77 if all were
    skipped. functions: by name."""
    wanted = arguments_of(words)
    environment = dict(os.environ)
    if wanted.backend == "cuda":
        environment["TRI_REQUIRE_CUDA"] = "1"
    elif wanted.backend == "cpu":
        environment["CUDA_VISIBLE_DEVICES"] = ""
    program, data = os.path.abspath(program), os.path.abspath(data)
    names = [name for name, function in sorted(functions.items())
             if wanted.file in (None, function.__module__) and
             (function.long if wanted.long else not (wanted.short and function.long))]
    display = [sys.executable, "-B", str(ROOT / "tests/support/with_display.py")] if wanted.display else []
    cases = [Case(name, [*display, sys.executable, "-B", sys.argv[0], program, data, name], environment) for name in names]
    if wanted.python:
        cases += cases_of_python(wanted.python, environment)
    cases = [case for case in cases if re.search(wanted.only, case.name)]
    results = []
    with ThreadPoolExecutor(wanted.jobs) as pool:
        for result in pool.map(lambda case: run_case(case, wanted.timeout), cases):
            results.append(result)
            print(f"{result.name:<34} {result.verdict:<8} {result.seconds:7.1f} s", flush=True)
            if result.verdict == "FAILED":
                print(f"  exit code {result.code}\n" + result.output[-4000:], flush=True)
            elif result.verdict == "skipped":
                print("  " + result.output.strip()[-300:], flush=True)
    if wanted.json:
        Path(wanted.json).write_text(json.dumps([result._asdict() for result in results], indent=2) + "\n")
    count = collections.Counter(result.verdict for result in results)
    failed = [result.name for result in results if result.verdict == "FAILED"]
    print(f"{len(results)} cases: {count['passed']} passed, {count['skipped']} skipped, {count['FAILED']} failed")
    print("".join(f"  FAILED {name}\n" for name in failed), end="")
    return 1 if failed or not results else SKIPPED if count["skipped"] == len(results) else 0
