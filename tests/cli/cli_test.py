#!/usr/bin/env python3
"""Tests of the program's command line.  cli_test.py PROGRAM DATA CASE

Standard library only. Each case runs in a folder of its own.
"""

import importlib
from pathlib import Path

from harness import main

for module in sorted(Path(__file__).parent.glob("cases_*.py")):
    importlib.import_module(module.stem)  # which puts its cases into CASES

if __name__ == "__main__":
    main()
