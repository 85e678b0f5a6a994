"""Triangulum: all pairs, each met once, on CPUs and NVIDIA GPUs.

pdist, contacts and triplets take NumPy arrays; Simulation runs a scene; maps holds the maps of launches by name, and
scenes() lists the scenes; bench and verify do what the commands of these names do.
"""

from ._core import NumericalError, Simulation, SizedMap, __version__, scenes
from ._maps import Map, maps
from ._measure import bench, verify
from ._pairs import contacts, pdist, triplets

for _public in (NumericalError, Simulation, SizedMap, Map):
    _public.__module__ = __name__

__all__ = [
    "Map",
    "NumericalError",
    "Simulation",
    "SizedMap",
    "__version__",
    "bench",
    "contacts",
    "maps",
    "pdist",
    "scenes",
    "triplets",
    "verify",
]
