"""Arrays that lie on a GPU, of PyTorch, CuPy and a home-made DLPack producer: values, order of work, graphs.

Skipped, with the reason, where there is no GPU or no such library; TRI_REQUIRE_CUDA=1 makes that a failure.
"""

import gc
import itertools
import re
import threading
import warnings

import numpy as np
import pytest
import triangulum as tr
from device_libraries import Producer, Torch, points

LAYOUTS = ("condensed", "square", "lower", "blocks")
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


TRIPLES = {"pair": "lennard-jones", "sigma": 0.5, "triple": "axilrod-teller", "nu": 0.1}
LAWS = (
    ("gravity", dict(G=1.5, eps=0.2)), ("lennard-jones", dict(sigma=0.5)),
    ("lennard-jones", dict(sigma=0.5, cutoff=2.0, box=(8.0, 9.0, 10.0))), ("axilrod-teller", dict(nu=0.5)),
    (TRIPLES, {}), ("contact", dict(radii=0.4, stiffness=20.0)),
)


def bodies(n, dtype):
    """Not at one place, and some outside the box."""
    rng = np.random.default_rng(n)
    side = int(np.ceil(n ** (1 / 3))) + 1
    cells = rng.permutation(side**3)[:n]
    x = np.stack([cells % side, cells // side % side, cells // side**2], axis=1) * 0.6 - 1.0
    return (x + 0.1 * rng.random((n, 3))).astype(dtype), rng.random(n).astype(dtype)


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
@pytest.mark.parametrize("n", (0, 1, 2, 3, 33, 257, 1000))
@pytest.mark.parametrize("law, how", LAWS)
def test_forces_have_the_bits_of_the_host_array(lib, law, how, n, dtype):
    x, m = bodies(n, dtype)
    given, masses = lib.device(x), lib.device(m)
    how = dict(how, accumulate="ordered")
    expected, energy = tr.forces(x, m, law, energy=True, backend="cuda", **how)
    result, total = tr.forces(given, masses, law, energy=True, **how)
    assert lib.where(result) == 0 and lib.host(result).dtype == dtype
    assert np.array_equal(lib.host(result), expected) and isinstance(total, float)
    assert total == pytest.approx(energy, rel=1e-12)
    assert np.array_equal(lib.host(given), x) and np.array_equal(lib.host(masses), m)
    alone = tr.forces(given, masses, law, **how)
    assert np.array_equal(lib.host(alone), expected)
    same = np.full(n, 0.5, dtype)
    assert np.array_equal(lib.host(tr.forces(given, 0.5, law, **how)), tr.forces(x, same, law, backend="cuda", **how))


def test_a_place_far_from_its_box_is_refused_by_the_dtype(lib):
    x = np.array([[0.5, 0.5, 0.5], [0, 1e9, 0]])
    for call in (lambda a: tr.forces(a, 1.0, "lennard-jones", cutoff=2.0, box=8.0),
                 lambda a: tr.contacts(a, 0.5, box=8.0), lambda a: tr.contacts(a, 0.5, box=8.0, per_body=True)):
        for negative in (1, -1):
            call(lib.device(negative * x))
            with pytest.raises(ValueError, match="body 1 .*float32.*its place in the periodic box is not known"):
                call(lib.device(negative * x.astype(np.float32)))
    assert len(lib.host(tr.contacts(lib.device(x.astype(np.float32)), 0.5))) == 0  # open space


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
@pytest.mark.parametrize("accumulate", ("fast", "ordered"))
@pytest.mark.parametrize("law", ("gravity", "-mi*mj/r"))
def test_bodies_without_mass_at_one_place(lib, law, accumulate, dtype):
    x, m = bodies(40, dtype)
    x[7] = x[3]
    m[[3, 7, 11]] = 0
    expected, energy = tr.forces(x, m, law, energy=True, backend="cpu")
    result, total = tr.forces(lib.device(x), lib.device(m), law, energy=True, accumulate=accumulate)
    np.testing.assert_allclose(lib.host(result), expected, rtol=1e-4, atol=1e-5 * np.abs(expected).max())
    assert (lib.host(result)[[3, 7, 11]] == 0).all() and total == pytest.approx(energy, rel=1e-6)
    m[3] = 1
    with pytest.raises(tr.NumericalError, match="coincides"):
        tr.forces(lib.device(x), lib.device(m), law, accumulate=accumulate)


@pytest.mark.parametrize("law, how", (("gravity", dict(eps=0.1)), ({"pair": "lennard-jones", "sigma": 0.01}, {})))
@pytest.mark.parametrize("dtype, tolerance", ((np.float32, 1e-4), (np.float64, 1e-9)))
def test_fast_sums_are_those_of_the_cpu(place, dtype, tolerance, law, how):
    x, m = bodies(3000, dtype)
    expected, energy = tr.forces(x, m, law, energy=True, backend="cpu", **how)
    result, total = tr.forces(place.device(x), place.device(m), law, energy=True, **{**place.how, **how})
    np.testing.assert_allclose(place.host(result), expected, rtol=tolerance, atol=tolerance * np.abs(expected).max())
    assert total == pytest.approx(energy, rel=1e-6 if dtype == np.float32 else 1e-10)


def test_many_bodies_on_tensor_cores_and_on_a_line(lib):
    x = np.random.default_rng(3).normal(size=(70000, 3)).astype(np.float32)
    line = np.outer(np.arange(70000), [1, 2, 3]).astype(np.float32)
    for places in (x, line):
        expected = tr.forces(places, 1e-4, "gravity", eps=0.01, backend="cuda")
        result = lib.host(tr.forces(lib.device(places), 1e-4, "gravity", eps=0.01))
        np.testing.assert_allclose(result, expected, rtol=2e-3, atol=1e-4 * np.abs(expected).max())


def test_contacts_that_move(lib):
    x, m = bodies(300, np.float64)
    rng = np.random.default_rng(8)
    r, v = 0.2 + 0.2 * rng.random(300), rng.normal(size=(300, 3))
    how = dict(stiffness=50.0, damping=2.0, shear=1.0, accumulate="ordered")
    expected = tr.forces(x, m, "contact", radii=r, velocities=v, backend="cuda", **how)
    there = dict(radii=lib.device(r), velocities=lib.device(v))
    assert np.abs(expected).max() > 0
    assert np.array_equal(lib.host(tr.forces(lib.device(x), lib.device(m), "contact", **there, **how)), expected)


def test_forces_that_float32_loses_are_a_warning(lib):
    """As those of arrays in host memory; and none where a force is 0 of itself."""
    x = np.array([[0, 0, 0], [1, 0, 0], [1e8, 0, 0]], np.float32)
    with pytest.warns(RuntimeWarning, match="float32 loses the force on 1 body: 4.8e-55 on body 2, .*float64 arrays"):
        tr.forces(lib.device(x), np.float32(1), "lennard-jones")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tr.forces(lib.device(x), np.float32(1), "lennard-jones", cutoff=2.5)
        tr.forces(lib.device(x), lib.device(np.array([1, 0, 0], np.float32)), "gravity")
        tr.forces(lib.device(x.astype(np.float64)), 1.0, "lennard-jones")


def test_values_near_the_limits_of_float32(lib):
    """Those that an engine looks at: what it takes has its forces, what it refuses its sentence."""
    x, m = bodies(50, np.float32)
    x[0] = 2e7
    with pytest.raises(ValueError, match="would vanish in float32"):
        tr.forces(lib.device(x * np.float32(1e6)), lib.device(m), "gravity")
    how = dict(eps=0.1, accumulate="ordered")
    far = x.copy()
    far[0], far[1] = 2e12, -2e12  # two bodies, whose distance is too large and whose distances from the centre are not
    try:
        expected = tr.forces(far, m, "gravity", backend="cuda", **how)
    except (ValueError, tr.NumericalError) as error:
        with pytest.raises(type(error), match=re.escape(str(error)[:30])):
            tr.forces(lib.device(far), lib.device(m), "gravity", **how)
    else:
        assert np.array_equal(lib.host(tr.forces(lib.device(far), lib.device(m), "gravity", **how)), expected)


def test_order_of_forces_on_a_stream_of_the_caller(lib):
    x, m = bodies(500, np.float32)
    how = dict(eps=0.1, accumulate="ordered")
    expected = tr.forces(x, m, "gravity", backend="cuda", **how)
    new, given, masses = lib.device(x), lib.device(np.zeros_like(x)), lib.device(m)
    copy = lib.empty(x.shape, np.float32)
    lib.synchronize()
    with lib.stream():
        lib.delay()
        given[:] = new
        result = tr.forces(given, masses, "gravity", **how)
        copy[:] = result
        result[:] = 0
        given[:] = 0
    lib.synchronize()
    assert np.array_equal(lib.host(copy), expected)


def test_a_producer(lib):
    x, m = bodies(100, np.float64)
    how = dict(eps=0.1, accumulate="ordered")
    result = tr.forces(Producer(lib.device(x)), Producer(lib.device(m)), "gravity", **how)
    assert np.array_equal(lib.host(lib.from_dlpack(result)), tr.forces(x, m, "gravity", backend="cuda", **how))


def test_a_capture_is_refused(lib):
    x, m = bodies(20, np.float32)
    given, masses, out = lib.device(x), lib.device(m), lib.empty((190,), np.float32)
    tr.forces(given, masses, "gravity"), tr.pdist(given, out=out)
    refused = []

    def work():
        with pytest.raises(ValueError, match="capture into a CUDA graph"):
            tr.forces(given, masses, "gravity")
        refused.append(True)
        tr.pdist(given, out=out)

    lib.capture(work)
    assert refused


def test_refusals_of_forces(lib):
    x, m = bodies(5, np.float64)
    given, masses = lib.device(x), lib.device(m)
    for error, words, arguments, more in (
        (TypeError, "m is a numpy.ndarray and x a", (given, m, "gravity"), {}),
        (TypeError, "m has dtype float32", (given, lib.device(m.astype(np.float32)), "gravity"), {}),
        (TypeError, "radii is a numpy.ndarray and x a", (given, masses, "contact"), dict(radii=m)),
        (ValueError, "backend is 'cpu' and x is on GPU 0", (given, masses, "gravity"), dict(backend="cpu")),
        (ValueError, "block", (given, masses, "gravity"), dict(block=100)),
    ):
        with pytest.raises(error, match=words):
            tr.forces(*arguments, **more)
    with pytest.raises(ValueError, match="m is on GPU 0; give it in host memory"):
        tr.forces(x, masses, "gravity")
    assert lib.host(tr.forces(given, masses, "gravity")).shape == (5, 3)


def test_places_must_agree():
    lib = Torch()
    x, m = bodies(5, np.float64)
    with pytest.raises(ValueError, match="m is in host memory and x on GPU 0; give both in one place"):
        tr.forces(lib.device(x), lib.torch.from_numpy(m), "gravity")
    with pytest.raises(ValueError, match="m is on GPU 0; give it in host memory"):
        tr.forces(lib.torch.from_numpy(x), lib.device(m), "gravity")


def test_another_gpu_and_the_current_device(lib):
    if lib.devices() < 2:
        pytest.skip("one GPU")
    x, m = bodies(300, np.float64)
    how = dict(eps=0.1, accumulate="ordered")
    expected = tr.forces(x, m, "gravity", backend="cuda", **how)
    result = tr.forces(lib.device(x, 1), lib.device(m, 1), "gravity", **how)
    assert lib.where(result) == 1 and np.array_equal(lib.host(result), expected)
    with pytest.raises(ValueError, match="m is on GPU 0 and x on GPU 1"):
        tr.forces(lib.device(x, 1), lib.device(m, 0), "gravity")
    given, masses = lib.device(x, 0), lib.device(m, 0)
    with lib.on(1):
        for law, more in (("gravity", how), ("contact", dict(radii=0.3))):
            tr.forces(given, masses, law, **more)
            assert lib.current() == 1
            tr.forces(x, m, law, **more)
            assert lib.current() == 1


def test_no_memory_is_lost_by_forces(lib):
    x, m = bodies(200, np.float32)
    given, masses = lib.device(x), lib.device(m)

    def free():
        for _ in range(300):
            tr.forces(given, masses, "gravity", eps=0.1, energy=True)
        lib.synchronize()
        return lib.free_memory()

    left = [free() for _ in range(6)]  # other programs take and return memory; what is lost is lost in every round
    assert min(before - after for before, after in zip(left, left[1:])) < 16 << 20
