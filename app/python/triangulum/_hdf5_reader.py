"""HDF5 files are read by a process of its own, without other rights: a file that breaks the library ends that process.

It runs this file as its program: the compiled part alone, without NumPy.
"""

import importlib.machinery
import importlib.util
import os
import sys


def read_apart() -> None:
    """Where there is an interpreter to run; a program that embeds Python reads in its own process."""
    from . import _core

    if os.path.basename(sys.executable or "").startswith("python") and os.path.isfile(__file__):
        _core.read_hdf5_apart(sys.executable, os.path.abspath(__file__))


def _serve() -> int:
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != here]  # it has a torch.py
    found = importlib.machinery.PathFinder.find_spec("_core", [here])
    assert found is not None and found.loader is not None
    core = importlib.util.module_from_spec(found)
    found.loader.exec_module(core)
    return core.serve_hdf5()


if __name__ == "__main__":
    sys.exit(_serve())
