#!/usr/bin/env python3
"""Tests of the program's command line.  cli_test.py PROGRAM DATA CASE

Standard library only. Each case runs in a folder of its own.
"""

import importlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from program import main  # noqa: E402

for module in sorted(Path(__file__).parent.glob("cases_*.py")):
    importlib.import_module(module.stem)  # which puts its cases into CASES

if __name__ == "__main__":
    main()
