"""triangulum.triplets against counts one by one, of arrays in host memory and on a GPU."""

from itertools import combinations

import numpy as np
import pytest
import triangulum
from device_libraries import points, there


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
def test_counts(place, n, d, dtype):
    x = np.random.default_rng(n).random((n, d)).astype(dtype)
    edges = [0.05, 0.3, 0.5, 0.55, 0.9]
    expected, beyond = brute_force(x, edges)
    given = place.device(x)
    for name in (None, *(row["name"] for row in triangulum.maps() if row["domain"] == "triples")):
        counts, outside = triangulum.triplets(given, edges, map=name, **place.how)
        assert counts.dtype == np.uint64 and np.array_equal(counts, expected) and outside == beyond
    assert int(counts.sum()) + outside == n * (n - 1) * (n - 2) // 6
    assert np.array_equal(place.host(given), x)


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
@pytest.mark.parametrize("n, d", ((33, 2), (257, 3), (700, 16)))
def test_counts_are_those_of_the_cpu(place, n, d, dtype):
    x = points(n, d, dtype)
    for edges in ([0, 1], [0, 1, 2], [0.1, 0.5, 1.0, 2.5], np.linspace(0, 8, 17)):
        expected, beyond = triangulum.triplets(x, edges, backend="cpu")
        for name in (None, "bb"):
            counts, outside = triangulum.triplets(place.device(x), edges, map=name, **place.how)
            assert isinstance(counts, np.ndarray) and np.array_equal(counts, expected) and outside == beyond


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
    (TypeError, "x is a list", ([[0.0]], [0, 1])), (TypeError, "edges is a float; give 2 to 65 numbers", (X, 1.5)),
    (TypeError, "edges is a str; give 2 to 65 numbers", (X, "0,1")),
    (ValueError, "17 features", (np.ones((3, 17)), [0, 1])),
    (ValueError, "point 1 has feature 1 = inf", (np.array([[0.0, 0, 0], [0, np.inf, 0]]), [0, 1])),
    (ValueError, "", (X, [])), (ValueError, "", (X, [1.0])), (ValueError, "", (X, [0.0, 2.0, 1.0])),
    (ValueError, "", (X, [-1.0, 1.0])), (ValueError, "", (X, [0.0, float("nan")])), (ValueError, "", (X, range(70))),
    (TypeError, "", (X, 3)), (TypeError, "", (X, [None, 1])),
)


@pytest.mark.parametrize("error, words, arguments", REFUSED)
def test_refusals(place, error, words, arguments):
    with pytest.raises(error, match=words or None) as caught:
        triangulum.triplets(*there(place, arguments), **place.how)
    assert str(caught.value)


def test_a_map_of_pairs_is_refused():
    with pytest.raises(ValueError, match="map is a map of pairs, which"):
        triangulum.triplets(X, [0, 1], map=triangulum.maps["bb", "pairs"], backend="cpu")


def test_the_backend_of_a_gpu_is_its_own(lib):
    with pytest.raises(ValueError, match="backend is 'cpu' and x is on GPU 0"):
        triangulum.triplets(lib.device(X), [0, 1], backend="cpu")
