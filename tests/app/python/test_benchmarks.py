"""python -m triangulum.benchmarks: its figures are sane, its checks see damage, and what is missing is skipped aloud."""

import json

import numpy as np
import pytest
import triangulum
from triangulum import benchmarks


def test_rows_on_the_cpu():
    pytest.importorskip("scipy")
    (row,) = benchmarks.run(only="contacts_of_100000")
    assert row["skipped"] is None and row["ms"] > 0 and row["ratio"] == row["other_ms"] / row["ms"]
    assert row["pairs"] > 10_000 and "cKDTree" in benchmarks.line(row)


def test_what_is_missing_is_skipped_with_its_reason(capsys):
    assert benchmarks.main(["--only", "simulation_of_10000", "--json", "--triangulum", "/bin/false"]) == 0
    results = json.loads(capsys.readouterr().out)["results"]
    assert [row["name"] for row in results] == ["simulation_of_10000"] and "/bin/false" in results[0]["skipped"]
    assert benchmarks.main(["--only", "simulation_of_10000", "--triangulum", "/bin/false"]) == 0
    assert "skipped: /bin/false" in capsys.readouterr().out


def test_a_program_that_is_none(capsys):
    with pytest.raises(SystemExit):
        benchmarks.main(["--triangulum", "/nowhere/triangulum"])
    assert "is no program" in capsys.readouterr().err


@pytest.mark.parametrize("damage", (lambda d: d * 1.01, lambda d: d[:-1], lambda d: np.where(d == d[7], np.nan, d)))
def test_wrong_distances_are_seen(damage):
    x = benchmarks.points(60, 4)
    d, wide = triangulum.pdist(x, backend="cpu"), x.astype(np.float64)
    benchmarks.checked_distances(d, wide)
    with pytest.raises((AssertionError, ValueError)):
        benchmarks.checked_distances(damage(d), wide)


@pytest.mark.parametrize("damage", (lambda p: p[1:], lambda p: np.vstack([p, p[:1]]), lambda p: p + 1))
def test_wrong_contacts_are_seen(damage):
    pytest.importorskip("scipy")
    x, r = benchmarks.points(2000, 3), 0.03
    pairs = triangulum.contacts(x, r, backend="cpu")
    assert benchmarks.checked_contacts(x, r, pairs) == len(pairs) > 100
    with pytest.raises(AssertionError):
        benchmarks.checked_contacts(x, r, damage(pairs))


def test_targets():
    assert benchmarks.rated("x", 2.0, 1.0, least=0.6)["met"] is False
    assert benchmarks.rated("x", 2.0, 1.0, least=0.5)["met"] is True
    assert benchmarks.rated("x", 2.0, None, most=2.5) | {"name": "n", "skipped": None} == {
        "name": "n", "against": "x", "ms": 2.0, "other_ms": None, "ratio": None, "target": "<= 2.5 ms", "met": True,
        "skipped": None}  # fmt: skip
    assert "<= 2.5 ms: met" in benchmarks.line(
        benchmarks.rated("x", 2.0, None, most=2.5) | {"name": "n", "skipped": None}
    )
