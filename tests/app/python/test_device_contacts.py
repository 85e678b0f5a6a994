"""contacts and triplets of arrays that lie on a GPU. Skipped like test_device_arrays.py."""

import numpy as np
import pytest
import triangulum as tr
from device_libraries import Producer, lib, points  # noqa: F401 (a fixture)


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
@pytest.mark.parametrize("n, d", ((0, 3), (1, 3), (2, 2), (3, 1), (300, 3), (20000, 3), (20000, 2)))
def test_contacts(lib, n, d, dtype):
    rng = np.random.default_rng(n + d)
    x = (rng.integers(0, 640, (n, d)) / 64).astype(dtype)
    r = (rng.integers(0, 6, n) / 64).astype(dtype)
    expected = tr.contacts(x, r, backend="cpu")
    given, radii = lib.device(x), lib.device(r)
    result = tr.contacts(given, radii)
    assert lib.where(result) == 0 and lib.host(result).dtype == np.int64
    assert lib.host(result).shape == expected.shape and np.array_equal(lib.host(result), expected)
    counts = lib.host(tr.contacts(given, radii, per_body=True))
    assert counts.dtype == np.int64 and np.array_equal(counts, np.bincount(expected.ravel(), minlength=n))
    expected = tr.contacts(x, 1 / 64, backend="cpu")
    assert np.array_equal(lib.host(tr.contacts(given, 1 / 64)), expected)


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
@pytest.mark.parametrize("n, d", ((0, 3), (1, 3), (2, 2), (300, 1), (400, 2), (300, 3), (3000, 3), (20000, 3)))
def test_contacts_in_a_periodic_box(lib, n, d, dtype):
    """Centres outside by several sides, and boxes that are too small for a grid."""
    rng = np.random.default_rng(n + d)
    sides = np.array([8.0, 10.1, 12.3])[:d]
    for x in (rng.integers(-1280, 1280, (n, d)) / 64, rng.normal(size=(n, d)) * 40):
        x = x.astype(dtype)
        given = lib.device(x)
        for largest in (10, 100, 400):  # the last: diameters beyond the box
            if n > 1000 and largest > 10:
                continue
            r = (rng.integers(0, largest, n) / 64).astype(dtype)
            radii = lib.device(r)
            expected = tr.contacts(x, r, box=sides, backend="cpu")
            result = lib.host(tr.contacts(given, radii, box=sides))
            assert result.shape == expected.shape and np.array_equal(result, expected)
            counts = lib.host(tr.contacts(given, radii, box=tuple(sides), per_body=True))
            assert np.array_equal(counts, np.bincount(expected.ravel(), minlength=n))


@pytest.mark.parametrize("r", (0.02, 0.3, 0.6))
def test_one_side_is_ckdtree_with_boxsize(lib, r):
    spatial = pytest.importorskip("scipy.spatial")
    x = np.random.default_rng(7).random((1200 if r < 0.1 else 150, 3))
    expected = spatial.cKDTree(x, boxsize=1.0).query_pairs(2 * r, output_type="ndarray")
    expected = expected[np.lexsort(expected.T[::-1])]
    assert np.array_equal(lib.host(tr.contacts(lib.device(x), r, box=1.0)), expected)
    assert len(expected) > len(lib.host(tr.contacts(lib.device(x), r)))


def test_many_contacts(lib):
    """More of them than fit in the list at first, and a million spheres."""
    x = points(800, 3)
    i, j = np.triu_indices(800, 1)
    assert np.array_equal(lib.host(tr.contacts(lib.device(x), 100.0)), np.stack([i, j], axis=1))
    x = np.random.default_rng(9).random((1_000_000, 3), dtype=np.float32)
    result = lib.host(tr.contacts(lib.device(x), 0.006))
    assert len(result) > 2_000_000 and np.array_equal(result, tr.contacts(x, 0.006, backend="cuda"))


def test_contacts_of_a_producer(lib):
    x = points(500, 3)
    result = tr.contacts(Producer(lib.device(x)), 0.2)
    result = lib.from_dlpack(result)
    assert np.array_equal(lib.host(result), tr.contacts(x, 0.2, backend="cpu"))


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
@pytest.mark.parametrize("n, d", ((0, 3), (1, 3), (2, 3), (3, 1), (33, 2), (257, 3), (700, 16)))
def test_triplets(lib, n, d, dtype):
    x = points(n, d, dtype)
    given = lib.device(x)
    for edges in ([0, 1], [0.1, 0.5, 1.0, 2.5], np.linspace(0, 8, 17)):
        expected, beyond = tr.triplets(x, edges, backend="cpu")
        counts, outside = tr.triplets(given, edges)
        assert isinstance(counts, np.ndarray) and np.array_equal(counts, expected) and outside == beyond
    counts, outside = tr.triplets(given, [0, 1, 2], map="bb")
    expected, beyond = tr.triplets(x, [0, 1, 2], backend="cpu")
    assert np.array_equal(counts, expected) and outside == beyond
    assert np.array_equal(lib.host(given), x)


def test_order_of_contacts_and_triplets_on_a_stream_of_the_caller(lib):
    x = points(400, 3)
    expected, (counts, outside) = tr.contacts(x, 0.2, backend="cpu"), tr.triplets(x, [0, 1, 2], backend="cpu")
    new, given = lib.device(x), lib.device(np.zeros_like(x))
    lib.synchronize()
    with lib.stream():
        lib.delay()
        given[:] = new
        pairs = tr.contacts(given, 0.2)
        given[:] = 0
        lib.delay()
        given[:] = new
        result, beyond = tr.triplets(given, [0, 1, 2])
    lib.synchronize()
    assert np.array_equal(lib.host(pairs), expected)
    assert isinstance(result, np.ndarray) and np.array_equal(result, counts) and beyond == outside


def test_contacts_and_triplets_are_not_captured(lib):
    x, out = lib.device(points(10, 3)), lib.empty((45,), np.float32)
    refused = []
    tr.pdist(x, out=out)

    def work():
        for call in (lambda: tr.contacts(x, 1.0), lambda: tr.triplets(x, [0, 1])):
            with pytest.raises(ValueError, match="capture into a CUDA graph"):
                call()
            refused.append(True)
        tr.pdist(x, out=out)

    lib.capture(work)
    assert len(refused) == 2


def test_refusals_of_contacts_and_triplets(lib):
    x = lib.device(points(4, 3, np.float64))
    bad = lib.device(np.array([[0.0, 0, 0], [0, np.inf, 0]]))
    for error, words, call in (
        (ValueError, "x has 4 columns; give 1 to 3", lambda: tr.contacts(lib.device(np.zeros((2, 4))), 1.0)),
        (ValueError, "body 1 has y = inf", lambda: tr.contacts(bad, 1.0)),
        (ValueError, "body 0 has r = -1; a radius may not be negative", lambda: tr.contacts(x, -1.0)),
        (ValueError, "r holds 3 radii for 4 spheres", lambda: tr.contacts(x, lib.device(np.ones(3)))),
        (TypeError, "r is a numpy.ndarray and x a", lambda: tr.contacts(x, np.ones(4))),
        (TypeError, "r has dtype float32; give float64", lambda: tr.contacts(x, lib.device(np.ones(4, np.float32)))),
        (ValueError, "r is not C-contiguous", lambda: tr.contacts(x, lib.device(np.ones(8))[::2])),
        (ValueError, "box has 2 sides; give one number, or 3", lambda: tr.contacts(x, 1.0, box=(1.0, 2.0))),
        (ValueError, "box has a side of 0", lambda: tr.contacts(x, 1.0, box=0.0)),
        (ValueError, "body 1 has y = inf", lambda: tr.contacts(bad, 1.0, box=1.0)),
        (ValueError, "backend is 'cpu' and x is on GPU 0", lambda: tr.contacts(x, 1.0, backend="cpu")),
        (ValueError, "backend is 'cpu' and x is on GPU 0", lambda: tr.triplets(x, [0, 1], backend="cpu")),
        (ValueError, "point 1 has feature 1 = inf", lambda: tr.triplets(bad, [0, 1])),
        (ValueError, "", lambda: tr.triplets(x, [1.0])),
    ):
        with pytest.raises(error, match=words or None):
            call()
