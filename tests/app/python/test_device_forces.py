"""forces of arrays that lie on a GPU. Skipped like test_device_arrays.py."""

import re

import numpy as np
import pytest
import triangulum as tr
from device_libraries import Producer, Torch

TRIPLES = {"pair": "lennard-jones", "sigma": 0.5, "triple": "axilrod-teller", "nu": 0.1}
LAWS = (
    ("gravity", dict(G=1.5, eps=0.2)),
    ("lennard-jones", dict(sigma=0.5)),
    ("lennard-jones", dict(sigma=0.5, cutoff=2.0, box=(8.0, 9.0, 10.0))),
    ("axilrod-teller", dict(nu=0.5)),
    (TRIPLES, {}),
    ("contact", dict(radii=0.4, stiffness=20.0)),
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


def test_order_on_a_stream_of_the_caller(lib):
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


def test_refusals(lib):
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


def test_no_memory_is_lost(lib):
    x, m = bodies(200, np.float32)
    given, masses = lib.device(x), lib.device(m)

    def free():
        for _ in range(300):
            tr.forces(given, masses, "gravity", eps=0.1, energy=True)
        lib.synchronize()
        return lib.free_memory()

    left = [free() for _ in range(6)]  # other programs take and return memory; what is lost is lost in every round
    assert min(before - after for before, after in zip(left, left[1:])) < 16 << 20
