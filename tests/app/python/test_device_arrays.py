"""pdist of arrays that lie on a GPU, of PyTorch, CuPy and a home-made DLPack producer: values, order of work, graphs.

Skipped, with the reason, where there is no GPU or no such library; TRI_REQUIRE_CUDA=1 makes that a failure.
"""

import gc
import itertools
import threading

import numpy as np
import pytest
import triangulum as tr
from device_libraries import Producer, Torch, points

LAYOUTS = ("condensed", "square", "lower")
PAIR_MAPS = [row["name"] for row in tr.maps() if row["domain"] == "pairs"]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", (np.float32, np.float64))
@pytest.mark.parametrize("n", (0, 1, 2, 3, 33, 257, 700))
def test_pdist_has_the_bits_of_the_host_array(lib, n, dtype, layout):
    for d in (1, 2, 3, 4, 5, 8, 15, 16):
        x = points(n, d, dtype)
        given = lib.device(x)
        result = tr.pdist(given, layout=layout)
        expected = tr.pdist(x, layout=layout, backend="cuda")
        assert lib.where(result) == 0
        assert lib.host(result).dtype == dtype and np.array_equal(lib.host(result), expected), d
        assert np.array_equal(lib.host(given), x)


@pytest.mark.parametrize("name", PAIR_MAPS)
def test_maps_and_blocks(lib, name):
    x = points(300, 3)
    expected = tr.pdist(x, backend="cuda")
    given, computed = lib.device(x), 0
    for block in (None, 1, 16, 32, 256):
        try:
            tr.pdist(x, map=name, block=block, backend="cuda")
        except ValueError:  # beyond what the map can
            with pytest.raises(ValueError):
                tr.pdist(given, map=name, block=block)
            continue
        assert np.array_equal(lib.host(tr.pdist(given, map=name, block=block)), expected), block
        computed += 1
    assert computed > 1


def test_large(lib):
    x = points(20000, 4)
    result = lib.host(tr.pdist(lib.device(x)))
    rng, n = np.random.default_rng(1), len(x)
    i, j = np.sort(rng.integers(0, n, (2, 10000)), axis=0)
    i, j = i[i < j].astype(np.int64), j[i < j].astype(np.int64)
    expected = np.sqrt(((x[i].astype(np.float64) - x[j]) ** 2).sum(1))
    np.testing.assert_allclose(result[n * i - i * (i + 1) // 2 + j - i - 1], expected, rtol=1e-5)


def test_a_view_at_an_odd_address(lib):
    x = points(101, 4)
    whole = lib.device(np.concatenate([[0.0], x.ravel()]).astype(np.float32))
    assert np.array_equal(lib.host(tr.pdist(whole[1:].reshape(101, 4))), tr.pdist(x, backend="cuda"))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_out(lib, layout):
    x = points(300, 3, np.float64)
    expected = tr.pdist(x, layout=layout, backend="cuda")
    out = lib.empty(expected.shape, np.float64)
    assert tr.pdist(lib.device(x), layout=layout, out=out) is out
    assert np.array_equal(lib.host(out), expected)


def test_order_on_a_stream_of_the_caller(lib):
    """The points come, and the result goes, behind a kernel that takes a tenth of a second, on a stream that no other
    stream waits for."""
    x = points(500, 3)
    expected = tr.pdist(x, backend="cuda")
    new, given, copy = lib.device(x), lib.device(np.zeros_like(x)), lib.empty(expected.shape, np.float32)
    tr.pdist(given)
    lib.synchronize()
    with lib.stream():
        lib.delay()
        given[:] = new
        result = tr.pdist(given)
        copy[:] = result
        result[:] = 0
        given[:] = 0
    lib.synchronize()
    assert np.array_equal(lib.host(copy), expected)


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


def test_threads_with_streams(lib):
    xs = [points(600 + k, 3) for k in range(4)]
    expected = [tr.pdist(x, backend="cuda") for x in xs]
    wrong = []

    def work(k):
        with lib.stream():
            given = lib.device(xs[k])
            for _ in range(50):
                if not np.array_equal(lib.host(tr.pdist(given)), expected[k]):
                    wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("layout, d, block", (("condensed", 4, None), ("square", 3, None), ("lower", 7, 16)))
def test_a_captured_graph(lib, layout, d, block):
    x, y = points(400, d), points(400, d)[::-1].copy()
    given = lib.device(x)
    out = lib.empty(tr.pdist(x, layout=layout, backend="cuda").shape, np.float32)
    tr.pdist(given, layout=layout, block=block, out=out)
    lib.synchronize()
    replay = lib.capture(lambda: tr.pdist(given, layout=layout, block=block, out=out))
    for values in (x, y, x):
        given[:] = lib.device(values)
        out[:] = -1
        lib.synchronize()
        replay()
        lib.synchronize()
        assert np.array_equal(lib.host(out), tr.pdist(values, layout=layout, backend="cuda"))


def test_a_map_with_a_table_is_not_captured(lib):
    given, out = lib.device(points(100, 3)), lib.empty((4950,), np.float32)
    refused = []
    tr.pdist(given, out=out)

    def work():
        with pytest.raises(ValueError, match="lambda-lut needs a table.*capture another map"):
            tr.pdist(given, map="lambda-lut", out=out)
        refused.append(True)
        tr.pdist(given, out=out)

    lib.capture(work)
    assert refused


def test_dlpack_producers(lib):
    for n in (0, 1, 2):
        assert tr.pdist(Producer(lib.device(points(n, 3)))).__dlpack_device__() == (2, 0)
    x = points(300, 5)
    given = Producer(lib.device(x))
    result = tr.pdist(given)
    assert given.streams == [1]
    result = lib.from_dlpack(result)
    del given
    gc.collect()
    assert np.array_equal(lib.host(result), tr.pdist(x, backend="cuda"))
    out = lib.empty((300 * 299 // 2,), np.float32)
    tr.pdist(Producer(lib.device(x)), out=Producer(out))
    assert np.array_equal(lib.host(out), tr.pdist(x, backend="cuda"))


def test_refusals(lib):
    x = lib.device(points(6, 3))
    copy = "contiguous"
    for error, words, call in (
        (TypeError, "dtype int64; give float32 or float64", lambda: tr.pdist(lib.device(np.ones((3, 2), np.int64)))),
        (TypeError, "dtype float16", lambda: tr.pdist(lib.device(np.ones((3, 2), np.float16)))),
        (ValueError, f"not C-contiguous; give a copy that is: .*{copy}", lambda: tr.pdist(x[:, ::2])),
        (ValueError, f"not C-contiguous; give a copy that is: .*{copy}", lambda: tr.pdist(x.T)),
        (ValueError, "backend is 'cpu' and X is on GPU 0", lambda: tr.pdist(x, backend="cpu")),
        (TypeError, "out is a numpy.ndarray and X a", lambda: tr.pdist(x, out=np.empty(15, np.float32))),
        (TypeError, "and X a numpy.ndarray", lambda: tr.pdist(points(6, 3), out=lib.empty((15,), np.float32))),
        (ValueError, "out is not C-contiguous", lambda: tr.pdist(x, out=lib.empty((30,), np.float32)[::2])),
        (ValueError, "out and X overlap", lambda: tr.pdist(x, out=x.reshape(-1)[:15])),
        (ValueError, "block", lambda: tr.pdist(x, block=100)),
    ):
        with pytest.raises(error, match=words):
            call()
    assert lib.host(tr.pdist(x)).shape == (15,)


def test_out_in_host_memory():
    lib = Torch()
    x = lib.device(points(6, 3))
    with pytest.raises(ValueError, match="out is in host memory and X on GPU 0; give both in one place"):
        tr.pdist(x, out=lib.torch.empty(15))
    with pytest.raises(TypeError, match="requires a gradient"):
        tr.pdist(x.clone().requires_grad_())
    with lib.torch.no_grad():
        assert tr.pdist(x.clone().requires_grad_()).shape == (15,)


def test_another_gpu(lib):
    if lib.devices() < 2:
        pytest.skip("one GPU")
    x = points(300, 3)
    given = lib.device(x, 1)
    pairs, (counts, _) = tr.contacts(given, 0.2), tr.triplets(given, [0, 1])
    assert lib.where(pairs) == 1 and np.array_equal(lib.host(pairs), tr.contacts(x, 0.2, backend="cpu"))
    assert np.array_equal(counts, tr.triplets(x, [0, 1], backend="cpu")[0])
    result = tr.pdist(given)
    assert lib.where(result) == 1 and np.array_equal(lib.host(result), tr.pdist(x, backend="cuda"))
    assert lib.where(lib.empty((3,), np.float32)) == 0
    with pytest.raises(ValueError, match="out is on GPU 0 and X on GPU 1"):
        tr.pdist(given, out=lib.empty((300 * 299 // 2,), np.float32))


def test_the_current_device_stays(lib):
    if lib.devices() < 2:
        pytest.skip("one GPU")
    x = points(50, 3)
    given = lib.device(x, 0)

    with lib.on(1):
        for call in (tr.pdist, lambda a: tr.contacts(a, 0.1), lambda a: tr.triplets(a, [0, 1])):
            for array in (given, x):
                call(array)
                assert lib.current() == 1


def test_what_is_not_finite_goes_through(lib):
    x = points(5, 2)
    x[3, 1] = np.nan
    assert np.isnan(lib.host(tr.pdist(lib.device(x), layout="square"))).sum() == 9


def test_no_memory_is_lost(lib):
    resource = pytest.importorskip("resource")
    given = lib.device(points(200, 3))

    def used():
        for k in range(2500):
            tr.pdist(given)
            if k % 10 == 0:
                tr.contacts(given, 0.1)
        lib.synchronize()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, lib.free_memory()

    used()
    rounds = [used() for _ in range(7)]
    assert rounds[2][0] - rounds[0][0] < 4096  # KiB; 5,000 lost objects of 1 KB would be as many
    # Other programs take and return memory; what is lost is lost in every round.
    assert min(before[1] - after[1] for before, after in itertools.pairwise(rounds)) < 8 << 20
