"""Triangulum: all pairs, each met once, on CPUs and NVIDIA GPUs.

pdist, contacts and triplets take arrays of NumPy, CuPy, PyTorch and others, where they are; forces takes arrays of
NumPy; Simulation runs a scene, or bodies of yours; maps holds the maps of launches by name, and scenes() lists the
scenes; bench and verify do what the commands of these names do.
"""

from ._bodies import Arrays, DeviceArray, Simulation, forces
from ._core import NumericalError, SizedMap, __version__, scenes
from ._laws import Law, law
from ._maps import Map, maps
from ._measure import BenchResults, bench, verify
from ._pairs import contacts, pdist, triplets

for _public in (Arrays, BenchResults, DeviceArray, Map, NumericalError, Simulation, SizedMap):
    _public.__module__ = __name__

__all__ = [
    "Arrays",
    "BenchResults",
    "DeviceArray",
    "Law",
    "Map",
    "NumericalError",
    "Simulation",
    "SizedMap",
    "__version__",
    "bench",
    "contacts",
    "forces",
    "law",
    "maps",
    "pdist",
    "scenes",
    "triplets",
    "verify",
]
