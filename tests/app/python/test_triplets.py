"""triangulum.triplets against counts one by one."""

from itertools import combinations

import numpy as np
import pytest
import triangulum


def brute_force(x, edges):
    x = x.astype(np.float64)
    counts, outside = np.zeros((len(edges) - 1,) * 3, np.uint64), 0
    for i, j, k in combinations(range(len(x)), 3):
        sides = [np.sqrt(((x[a] - x[b]) ** 2).sum()) for a, b in ((i, j), (i, k), (j, k))]
        bins = sorted(int(np.searchsorted(edges, s, side="right")) - 1 for s in sides)
        if bins[0] < 0 or bins[2] >= len(edges) - 1:
            outside += 1
        else:
            counts[tuple(bins)] += 1
    return counts, outside


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
@pytest.mark.parametrize("n, d", ((0, 3), (1, 3), (2, 3), (3, 1), (4, 2), (37, 3)))
def test_counts(n, d, dtype):
    x = np.random.default_rng(n).random((n, d)).astype(dtype)
    edges = [0.05, 0.3, 0.5, 0.55, 0.9]
    expected, beyond = brute_force(x, edges)
    for name in (None, *(row["name"] for row in triangulum.maps() if row["domain"] == "triples")):
        counts, outside = triangulum.triplets(x, edges, map=name, backend="cpu")
        assert counts.dtype == np.uint64 and np.array_equal(counts, expected) and outside == beyond
    assert int(counts.sum()) + outside == n * (n - 1) * (n - 2) // 6


def test_a_length_that_is_an_edge_is_in_the_bin_above():
    """Squares of edges would round: that of the root of 2 is above 2."""
    x = np.indices((3, 3, 3)).reshape(3, -1).T
    lengths = np.unique(triangulum.pdist(x, backend="cpu"))
    edges = np.append(lengths, 4.0)
    assert (edges[:-1] ** 2 > np.rint(edges[:-1] ** 2)).any()
    for name in (None, "tetra"):
        counts, outside = triangulum.triplets(x, edges, map=name, backend="cpu")
        expected, _ = brute_force(x, edges)
        assert outside == 0 and np.array_equal(counts, expected)


X = np.random.default_rng(0).random((5, 3))
REFUSED = (
    (TypeError, "x is a list", ([[0.0]], [0, 1])),
    (TypeError, "edges is a float; give 2 to 65 numbers", (X, 1.5)),
    (TypeError, "edges is a str; give 2 to 65 numbers", (X, "0,1")),
    (ValueError, "17 features", (np.ones((3, 17)), [0, 1])),
    (ValueError, "", (X, [])),
    (ValueError, "", (X, [1.0])),
    (ValueError, "", (X, [0.0, 2.0, 1.0])),
    (ValueError, "", (X, [-1.0, 1.0])),
    (ValueError, "", (X, [0.0, float("nan")])),
    (ValueError, "", (X, range(70))),
    (TypeError, "", (X, 3)),
    (TypeError, "", (X, [None, 1])),
)


@pytest.mark.parametrize("error, words, arguments", REFUSED)
def test_refusals(error, words, arguments):
    with pytest.raises(error, match=words or None) as caught:
        triangulum.triplets(*arguments, backend="cpu")
    assert str(caught.value)
