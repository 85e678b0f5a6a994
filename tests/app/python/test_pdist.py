"""triangulum.pdist against SciPy and NumPy: values, order, dtype, and what it refuses."""

import os
import signal
import threading
import time

import numpy as np
import pytest
import triangulum
from device_libraries import there

LAYOUTS = ("condensed", "square", "lower", "blocks")


def points(n, d, dtype=np.float64):
    return np.random.default_rng(1000 * n + d).normal(size=(n, d)).astype(dtype)


def brute_force(x, layout):
    square = np.sqrt(((x[:, None, :] - x[None, :, :]) ** 2).sum(axis=2))
    if layout == "square":
        return square
    if layout == "blocks":
        side = -(-len(x) // 32)
        cells = np.zeros((32 * side, 32 * side))
        cells[: len(x), : len(x)] = square
        return cells.reshape(side, 32, side, 32).swapaxes(1, 2)[np.tril_indices(side)]
    return square[np.triu_indices(len(x), 1) if layout == "condensed" else np.tril_indices(len(x))]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", (np.float32, np.float64))
@pytest.mark.parametrize("n, d", ((0, 3), (1, 3), (2, 1), (3, 2), (17, 4), (130, 16), (401, 3), (700, 4)))
def test_values_order_and_dtype(n, d, dtype, layout, backend):
    x = points(n, d, dtype)
    before = x.copy()
    result = triangulum.pdist(x, layout=layout, backend=backend)
    expected = brute_force(x.astype(np.float64), layout)
    assert result.dtype == dtype and result.shape == expected.shape
    np.testing.assert_allclose(result, expected, rtol=(4 if backend == "cpu" else 8) * np.finfo(dtype).eps, atol=0)
    assert np.array_equal(x, before)


def test_equals_scipy():
    distance = pytest.importorskip("scipy.spatial.distance")
    x = points(500, 5)
    np.testing.assert_allclose(triangulum.pdist(x, backend="cpu"), distance.pdist(x), rtol=1e-15, atol=0)


def test_float32_is_rounded_once():
    x = np.array([[0.0], [1.0], [1e30]], np.float32)
    assert triangulum.pdist(x, backend="cpu").tolist() == [1.0, x[2, 0], x[2, 0]]
    x = points(300, 13, np.float32)
    wide = triangulum.pdist(x.astype(float), backend="cpu")
    for layout in LAYOUTS:
        rounded = triangulum.pdist(x.astype(float), layout=layout, backend="cpu").astype(np.float32)
        assert np.array_equal(triangulum.pdist(x, layout=layout, backend="cpu"), rounded)
    out = np.full(wide.shape, -1.0)
    assert triangulum.pdist(x, out=out, backend="cpu") is out
    assert np.array_equal(out, wide.astype(np.float32).astype(float))


SCALES = ((np.float32, (1e-37, 1e-30, 1e-21, 1e21, 1e37)), (np.float64, (1e-300, 1e-170, 1e170, 1e300)))


@pytest.mark.parametrize("dtype, scales", SCALES)
def test_any_order_of_magnitude(dtype, scales):
    """Though squares leave the range of the dtype."""
    distance = pytest.importorskip("scipy.spatial.distance")
    x = points(100, 3)
    for scale in scales:
        got = triangulum.pdist((scale * x).astype(dtype), backend="cpu").astype(np.float64) / scale
        np.testing.assert_allclose(got, distance.pdist(x), rtol=1e-5 if dtype == np.float32 else 1e-13)


def test_maps_and_blocks_change_no_bit():
    x = points(300, 3, np.float32)
    usual = triangulum.pdist(x, backend="cpu")
    for row in triangulum.maps():
        if row["domain"] == "pairs":
            for block in (None, 1, 7, 64, 1 << 20):
                assert np.array_equal(triangulum.pdist(x, map=row["name"], block=block, backend="cpu"), usual), row


@pytest.mark.parametrize("layout", LAYOUTS)
def test_out_is_filled_and_returned(layout):
    x = points(50, 3, np.float32)
    expected = triangulum.pdist(x, layout=layout, backend="cpu")
    out = np.full(expected.shape, -1, np.float32)
    assert triangulum.pdist(x, layout=layout, out=out, backend="cpu") is out
    assert np.array_equal(out, expected)
    for n in (0, 1):
        out = np.full(triangulum.pdist(x[:n], layout=layout, backend="cpu").shape, -1, np.float32)
        assert not triangulum.pdist(x[:n], layout=layout, out=out, backend="cpu").any()


def test_a_result_outlives_its_points_and_may_be_written():
    result = triangulum.pdist(points(100, 2), backend="cpu")
    result *= 2
    np.testing.assert_allclose(result, 2 * brute_force(points(100, 2), "condensed"))


def test_random_shapes():
    rng = np.random.default_rng(5)
    for _ in range(60):
        n, d, dtype = rng.integers(0, 90), rng.integers(1, 17), rng.choice([np.float32, np.float64])
        x, layout = points(n, d, dtype), str(rng.choice(LAYOUTS))
        result = triangulum.pdist(x, layout=layout, block=int(rng.integers(1, 100)), backend="cpu")
        np.testing.assert_allclose(result, brute_force(x, layout), rtol=8 * np.finfo(dtype).eps)


X = points(6, 3)
REFUSED = (
    (TypeError, "X is a list", dict(X=[[1.0, 2.0]])), (TypeError, "X has a mask", dict(X=np.ma.zeros((3, 2)))),
    (ValueError, r"shape \(3,\); give \(n, d\)", dict(X=np.ones(3))),
    (ValueError, r"shape \(1, 3, 1\)", dict(X=np.ones((1, 3, 1)))),
    (ValueError, "17 features; give 1 to 16", dict(X=np.ones((3, 17)))),
    (ValueError, "0 features", dict(X=np.ones((3, 0)))),
    (ValueError, "metric is 'cosine'", dict(X=X, metric="cosine")),
    (ValueError, "layout is 'upper'; give 'condensed'", dict(X=X, layout="upper")),
    (ValueError, "unknown map of the triangle 'lamda'. Did you mean 'lambda'", dict(X=X, map="lamda")),
    (ValueError, "map is a map of triples, which", dict(X=X, map=triangulum.maps["bb", "triples"])),
    (TypeError, "map is a int", dict(X=X, map=3)), (ValueError, "block is -1; give 1 to", dict(X=X, block=-1)),
    (ValueError, "block is 0; give 1 to", dict(X=X, block=0)),
    (ValueError, "block is 1048577", dict(X=X, block=(1 << 20) + 1)), (TypeError, "float", dict(X=X, block=2.5)),
    (ValueError, "backend is 'gpu'; give 'cpu', 'cuda' or None", dict(X=X, backend="gpu")),
    (ValueError, "out has dtype float32; give float64", dict(X=X, out=np.empty(15, np.float32))),
    (ValueError, "out has dtype int64; give float64", dict(X=X, out=np.empty(15, int))),
    (ValueError, r"out has shape \(14,\); give \(15,\)", dict(X=X, out=np.empty(14))),
    (ValueError, "out has shape", dict(X=X, out=np.empty((6, 6)))),
    (TypeError, "out is a list", dict(X=X, out=[0.0] * 15)),
)


@pytest.mark.parametrize("error, words, arguments", REFUSED)
def test_refusals_say_what_to_do(place, error, words, arguments):
    with pytest.raises(error, match=words):
        triangulum.pdist(**{**place.how, **there(place, arguments)})


@pytest.mark.parametrize(
    "words, arguments",
    (
        ("point 1 has feature 0 = nan", dict(X=np.array([[0.0], [np.nan], [1.0]]))),
        ("point 0 has feature 0 = inf", dict(X=np.array([[np.inf]]))),
        ("out is not C-contiguous", dict(X=X, out=np.empty(30)[::2])),
    ),
)
def test_refusals_in_host_memory(words, arguments, backend):
    with pytest.raises(ValueError, match=words):
        triangulum.pdist(**arguments, backend=backend)


def test_a_read_only_out_is_refused_and_read_only_points_are_not():
    x = X.copy()
    x.flags.writeable = False
    out = triangulum.pdist(x, backend="cpu")
    out.flags.writeable = False
    with pytest.raises(ValueError, match="out is read-only"):
        triangulum.pdist(x, out=out, backend="cpu")


def test_other_threads_run_meanwhile():
    x, done, ticks = points(9000, 16), threading.Event(), 0

    def work():
        triangulum.pdist(x, backend="cpu")
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.wait(0.002):
        ticks += 1
    thread.join()
    assert ticks > 2


def test_two_threads_at_once():
    x = [points(700, 3), points(701, 3, np.float32)]
    results = [None, None]

    def work(k):
        for _ in range(20):
            results[k] = triangulum.pdist(x[k], backend="cpu")

    threads = [threading.Thread(target=work, args=(k,)) for k in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k in (0, 1):
        assert np.array_equal(results[k], triangulum.pdist(x[k], backend="cpu"))


def test_ctrl_c_ends_it_midway():
    for n in (5000, 10000, 20000, 40000):
        x = points(n, 16, np.float32)
        begin = time.monotonic()
        out = triangulum.pdist(x, backend="cpu")
        if time.monotonic() - begin > 0.3:
            break
    out[:] = -1
    timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        triangulum.pdist(x, out=out, backend="cpu")
    timer.join()
    assert (out == -1).any()
    assert triangulum.pdist(X, backend="cpu").shape == (15,)


def test_no_memory_is_lost():
    resource = pytest.importorskip("resource")
    x = points(200, 3)

    def used():
        for _ in range(2000):
            triangulum.pdist(x, backend="cpu")
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    used()
    assert used() - used() > -4096  # KiB; 2,000 lost results would be 300,000


def peak_of(call):
    """Bytes beyond those before, at most, and page faults."""
    resource = pytest.importorskip("resource")
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # the peak begins anew
    before, faults = read_status("VmRSS"), resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    call()
    return read_status("VmHWM") - before, resource.getrusage(resource.RUSAGE_SELF).ru_minflt - faults


def read_status(key):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith(key + ":"))


@pytest.mark.skipif(not os.access("/proc/self/clear_refs", os.W_OK), reason="no peak of memory to read")
def test_results_are_computed_where_they_are_returned():
    x = points(6000, 3)
    size = 8 * (6000 * 5999 // 2)
    out = np.full(size // 8, 1.0)
    triangulum.pdist(x[:99], backend="cpu")
    more, _ = peak_of(lambda: triangulum.pdist(x, out=out, backend="cpu"))
    assert more < size / 8, "a second buffer"
    more, _ = peak_of(lambda: triangulum.pdist(x.astype(np.float32), out=out, backend="cpu"))
    assert more < size / 8, "a second buffer"
    more, faults = peak_of(lambda: triangulum.pdist(x, backend="cpu"))
    assert more < size * 9 / 8
    with open("/sys/kernel/mm/transparent_hugepage/enabled") as file:
        if "[never]" not in file.read():
            assert faults < size >> 14, "small pages"  # of 4 KiB it would be size >> 12
