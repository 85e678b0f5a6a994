"""Triangulum: all pairs, each met once, on CPUs and NVIDIA GPUs.

pdist, contacts, triplets and forces take NumPy arrays; Simulation runs a scene, or bodies of yours; maps() and scenes()
list what there is.
"""

from ._bodies import Arrays, DeviceArray, Simulation, forces
from ._core import NumericalError, __version__, maps, scenes
from ._pairs import contacts, pdist, triplets

for _public in (Arrays, DeviceArray, NumericalError, Simulation):
    _public.__module__ = __name__

__all__ = [
    "Arrays",
    "DeviceArray",
    "NumericalError",
    "Simulation",
    "__version__",
    "contacts",
    "forces",
    "maps",
    "pdist",
    "scenes",
    "triplets",
]
