#!/usr/bin/env python3
"""Tests of the program's command line.  cli_test.py PROGRAM DATA CASE

Standard library only. Each case runs in a folder of its own.
"""

import cases_distances  # noqa: F401: importing a module puts its cases into CASES
import cases_documents  # noqa: F401
import cases_files  # noqa: F401
import cases_gpu  # noqa: F401
import cases_hdf5  # noqa: F401
import cases_jobs  # noqa: F401
import cases_laws  # noqa: F401
import cases_limits  # noqa: F401
import cases_maps  # noqa: F401
import cases_plot  # noqa: F401
import cases_programs  # noqa: F401
import cases_progress  # noqa: F401
import cases_ranks  # noqa: F401
import cases_report  # noqa: F401
import cases_restart  # noqa: F401
import cases_run  # noqa: F401
import cases_shell  # noqa: F401
import cases_words  # noqa: F401
from harness import main

if __name__ == "__main__":
    main()
