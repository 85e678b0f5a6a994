"""bench and verify: the commands of these names."""

from __future__ import annotations

import json
import numbers
import os
from collections.abc import Iterable, Mapping

import numpy as np

from . import _arrays, _core
from ._pairs import _tolerance


def _texts(options: dict) -> list[tuple[str, str | None]]:
    """As the command line has them: lists with commas, flags that are True without a text; None: not given."""
    given = []
    for name, value in options.items():
        if isinstance(value, np.bool_):
            value = bool(value)
        name = name.replace("_", "-")
        if value is None or isinstance(value, bool):
            given.append((name, None if value is None else "" if value else "False"))
            continue
        listed = isinstance(value, Iterable) and not isinstance(value, (str, bytes, bytearray, Mapping))
        values = list(value) if listed else [value]
        for part in values:
            if not isinstance(part, (str, numbers.Real)) or isinstance(part, bool):
                raise TypeError(f"{name} has a {type(part).__name__}; give a number, a name, or a list of these.")
        text = ",".join(f"{_tolerance(part) if name == 'tolerance' else part}" for part in values)
        if not text:
            raise ValueError(f"{name} is empty; give a value, or None to leave it out.")
        given.append((name, text))
    return given


def _in_keywords(value):
    """The same with sentences about keywords, in place of options of the command line."""
    if isinstance(value, str):
        return _core.in_keywords(value)
    if isinstance(value, dict):
        return {key: _in_keywords(part) for key, part in value.items()}
    return [_in_keywords(part) for part in value] if isinstance(value, list) else value


class BenchResults(list):
    """The results of a bench, a list of dicts, with what else its report says.

    meta: version, device, settings and command, a dict. comparison: None, or with `compare` a dict whose keys
    docs/results/README.md lists; slower says whether a row is, and rows has a verdict for each.
    """

    meta: dict
    comparison: dict | None

    def __init__(self, report: dict, old: str = ""):
        super().__init__(_in_keywords(report["results"]))
        self._old = os.path.abspath(old)
        self.meta, self.comparison = report["meta"], report.get("comparison")

    def save(self, path) -> None:
        """Writes the report as `triangulum bench -o FILE.json` does: for `compare`, and for `triangulum plot`. It does not
        replace the old report that these results were compared with (ValueError)."""
        path = _arrays.path("path", path)
        if not path.endswith(".json"):
            raise ValueError(f"path is {path!r}, and a report is JSON; give a name that ends in .json.")
        report = {"schema": 1, "meta": self.meta, "results": list(self)}
        if self.comparison is not None:
            report["comparison"] = self.comparison
            if os.path.exists(path) and os.path.exists(self._old) and os.path.samefile(path, self._old):
                raise ValueError(f"path is {path!r}, the old report, which would be lost; name another file.")
        text = json.dumps(report, indent=1)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + "\n")


def bench(kernel=None, *, n=None, map=None, compare=None, threshold=None, **options) -> BenchResults:
    """Times kernels on maps as `triangulum bench` does: its results, a dict each with the keys of its JSON.

    kernel: 'edm', 'collision', 'gravity', 'triplet', 'gasket', 'dummy' or 'dummy3', or a list. n: sizes, a number, a list,
    or a range such as '2^10:2^14'. map: names, or 'all'. options are those of the command without their dashes, such as
    samples=7 and warmup=0 (ms).
    compare: a report of before, written by save() or by `triangulum bench -o FILE.json`; what became slower or faster
    since is in the comparison of the results. A row is slower when it takes more than `threshold` (1.05) times as long
    and its interval is above 1.

    Every map of a group is timed in turn and its whole output checked: row["check"]["passed"]. What a map or the memory
    does not allow has its reason in row["skipped"]. Raises ValueError (an unknown name, an option that no kernel
    reads, an old report without a row in common), OSError (no such report), RuntimeError (no such backend). Ctrl-C ends
    it, on a GPU after the sample in progress.
    """
    old = None if compare is None else _arrays.path("compare", compare)
    given = {"kernel": kernel, "n": n, "map": map, "compare": old, "threshold": threshold, **options}
    return BenchResults(json.loads(_core.bench(_texts(given))), old or "")


def verify(*, full=False, backend=None, device=None, seed=None, threads=None) -> list[dict]:
    """Checks every map and every law, job and kernel of the backends against independent results, as `triangulum verify`.

    A dict for each check with the keys of its JSON: name, what, cases, worst, limit, passed, note, skipped, seconds. backend: 'cpu' or
    'cuda'; None: every one there is. full: more sizes. Raises ValueError, RuntimeError (no such backend). Ctrl-C ends it.
    """
    options = {"full": full, "backend": backend, "device": device, "seed": seed, "threads": threads}
    return _in_keywords(json.loads(_core.verify(_texts(options)))["results"])
