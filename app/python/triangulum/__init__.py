"""Triangulum: all pairs, each met once, on CPUs and NVIDIA GPUs.

pdist, contacts and triplets take NumPy arrays; Simulation runs a scene; maps() and scenes() list what there is.
"""

from ._core import NumericalError, Simulation, __version__, maps, scenes
from ._pairs import contacts, pdist, triplets

for _public in (NumericalError, Simulation):
    _public.__module__ = __name__

__all__ = ["NumericalError", "Simulation", "__version__", "contacts", "maps", "pdist", "scenes", "triplets"]
