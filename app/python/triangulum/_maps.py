"""maps: every map by name, and each of them at a side."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import SupportsIndex

from . import _arrays, _core
from ._core import SizedMap

Key = str | tuple[str, str]


@dataclass(frozen=True)
class Map:
    """A map of launch positions to tiles; call it with a side: maps["lambda"](64)."""

    domain: str
    name: str
    space: str
    formula: str
    source: str
    limit: str
    max_side: int
    alternative: str | None
    historical: bool

    def __call__(self, side: SupportsIndex, *, diagonal: bool = True, workers: SupportsIndex | None = None) -> SizedMap:
        """The map at `side` tiles (a map for threads: elements; the gasket: a power of two).

        diagonal: False leaves out tiles with equal coordinates. workers: the positions of a persistent map, None: 1;
        on a GPU, multiprocessors times resident blocks. Raises ValueError beyond the limit of the map, with the map to
        take instead, and MemoryError for a table that does not fit.
        """
        workers = None if workers is None else _arrays.whole("workers", workers)
        side, diagonal = _arrays.whole("side", side), _arrays.flag("diagonal", diagonal)
        return SizedMap(self.domain, self.name, side, diagonal, workers)


class Maps(Mapping):
    """The maps by name. A name of several domains needs its domain: maps["bb", "pairs"]; with one, any name works.

    maps() is the same as a list of dicts, as `triangulum list maps` prints them.
    """

    def __init__(self) -> None:
        self._read()

    def _read(self) -> None:
        every = [Map(**row) for row in _core.maps()]
        names = [map.name for map in every]
        self._by_both = {(map.name, map.domain): map for map in every}
        self._by_key = {m.name if names.count(m.name) == 1 else (m.name, m.domain): m for m in every}

    def __call__(self) -> list[dict[str, object]]:
        return _core.maps()

    def open(self, path: str | os.PathLike[str]) -> Map:
        """Makes a map file (docs/typed-maps.md) one of the maps, under its name, and returns it.

        Raises OSError (no file, or none of a map, with the line), ValueError (a formula that cannot be understood, with
        line and column; the name of another map). It drives a kernel only at sides at which it is proved, at first use.
        """
        domain, name = _core.open_map(_arrays.path("path", path))
        self._read()
        return self._by_both[name, domain]

    def __getitem__(self, key: Key) -> Map:
        found = self._by_key.get(key) or self._by_both.get(key)
        if found is None:
            raise KeyError(self._refusal(key))
        return found

    def __iter__(self) -> Iterator[Key]:
        return iter(self._by_key)

    def __len__(self) -> int:
        return len(self._by_key)

    def __repr__(self) -> str:
        return f"<triangulum.maps: {', '.join(str(key) for key in self)}>"

    def _refusal(self, key) -> str:
        domains = [domain for name, domain in self._by_both if name == key]
        if domains:
            return f"{key} is a map of {', '.join(domains)}; give maps[{key!r}, {domains[0]!r}] or another of them"
        known = ", ".join(dict.fromkeys(name for name, _ in self._by_both))
        return f"no map is {key!r}; the maps are {known}"


maps = Maps()
