"""Triangulum: all pairs, each met once, on CPUs and NVIDIA GPUs.

pdist, contacts, triplets and forces take arrays of NumPy, CuPy, PyTorch and others with DLPack, where they are: one on a
GPU is computed there. Simulation runs a scene, or bodies of yours, given in host memory. law() makes a law of the text of
an energy. maps holds the maps of launches by name, scenes() lists the scenes; bench and verify are the commands of these
names. Pages that docstrings name, docs/NAME.md, are in the source, and in share/doc/triangulum of an installed program.
"""

from ._bodies import Arrays, DeviceArray, Simulation
from ._core import NumericalError, SizedMap, scenes
from ._core import version as __version__
from ._forces import forces
from ._laws import Law, law
from ._maps import Map, maps
from ._measure import BenchResults, bench, verify
from ._hdf5_reader import read_apart as _read_hdf5_apart
from ._pairs import contacts, pdist, triplets

_read_hdf5_apart()
for _public in (Arrays, BenchResults, DeviceArray, Map, NumericalError, Simulation, SizedMap):
    _public.__module__ = __name__

__all__ = [
    "Arrays", "BenchResults", "DeviceArray", "Law", "Map", "NumericalError", "Simulation", "SizedMap", "__version__",
    "bench", "contacts", "forces", "law", "maps", "pdist", "scenes", "triplets", "verify",
]
