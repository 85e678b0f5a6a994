#!/usr/bin/env python3
"""Tests of the program's command line.   cli_test.py PROGRAM DATA CASE   |   cli_test.py --check-list CMakeLists.txt

Standard library only. Each case runs in a folder of its own.
"""

import re
import sys

import cases_files  # noqa: F401: importing a module puts its cases into CASES
import cases_jobs  # noqa: F401
import cases_plot  # noqa: F401
import cases_progress  # noqa: F401
import cases_restart  # noqa: F401
import cases_run  # noqa: F401
import cases_shell  # noqa: F401
import cases_words  # noqa: F401
from harness import CASES, expect, main


def check_list(path):
    with open(path) as f:
        listed = re.search(r"foreach\(case IN ITEMS(.*?)\)", f.read(), re.S).group(1).split()
    expect(sorted(listed) == sorted(CASES), sorted(set(listed) ^ set(CASES)))


if __name__ == "__main__":
    check_list(sys.argv[2]) if sys.argv[1] == "--check-list" else main()
