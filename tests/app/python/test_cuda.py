"""A GPU against the CPU, and the state on a GPU in CuPy and torch. Tests that run alike on both take `backend`."""

import gc
import importlib
import os

import numpy as np
import pytest
import triangulum
from triangulum import Simulation

pytestmark = pytest.mark.usefixtures("gpu")


def taken_by(way):
    """What takes a DeviceArray without a copy, and brings it to NumPy."""
    name, call = way.split(".")
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        (pytest.fail if os.environ.get("TRI_REQUIRE_CUDA") == "1" else pytest.skip)(str(error))
    how = {"device": "cuda"} if call == "as_tensor" else {}
    to_numpy = module.asnumpy if name == "cupy" else lambda tensor: tensor.cpu().numpy()
    return lambda array: getattr(module, call)(array, **how), to_numpy


WAYS = ("cupy.asarray", "cupy.from_dlpack", "torch.as_tensor", "torch.from_dlpack")


@pytest.mark.parametrize("layout", ("condensed", "square", "lower"))
@pytest.mark.parametrize("dtype", (np.float32, np.float64))
@pytest.mark.parametrize("n, d", ((0, 2), (1, 3), (2, 1), (3, 16), (700, 4)))
def test_pdist(n, d, dtype, layout):
    x = np.random.default_rng(n).normal(size=(n, d)).astype(dtype)
    result = triangulum.pdist(x, layout=layout, backend="cuda")
    expected = triangulum.pdist(x, layout=layout, backend="cpu")
    assert result.dtype == dtype and result.shape == expected.shape
    np.testing.assert_allclose(result, expected, rtol=8 * np.finfo(dtype).eps)


def test_the_gpu_is_the_default():
    x = np.random.default_rng(1).random((900, 3), dtype=np.float32)
    assert np.array_equal(triangulum.pdist(x), triangulum.pdist(x, backend="cuda"))
    assert "on cuda" in repr(Simulation("plummer:n=50"))


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
@pytest.mark.parametrize("n", (0, 1, 2, 5000))
def test_contacts(n, dtype):
    rng = np.random.default_rng(n)
    x = (rng.integers(0, 640, (n, 3)) / 64).astype(dtype)
    r = (rng.integers(0, 20, n) / 64).astype(dtype)
    assert np.array_equal(triangulum.contacts(x, r, backend="cuda"), triangulum.contacts(x, r, backend="cpu"))
    for box in (None, 12.0):
        counts = [triangulum.contacts(x, r, box=box, per_body=True, backend=name) for name in ("cuda", "cpu")]
        assert counts[0].dtype == np.int64 and np.array_equal(*counts)


def test_triplets():
    x, edges = np.random.default_rng(4).random((150, 3)), np.linspace(0, 1.2, 7)
    (counts, outside), (expected, beyond) = (triangulum.triplets(x, edges, backend=b) for b in ("cuda", "cpu"))
    assert np.array_equal(counts, expected) and outside == beyond


def test_simulation(tmp_path):
    sims = [Simulation("plummer:n=300", precision="fp64", accumulate="ordered", backend=b) for b in ("cuda", "cpu")]
    for sim in sims:
        sim.step(50)
    np.testing.assert_allclose(sims[0].positions, sims[1].positions, atol=1e-9)
    assert sims[0].energy() == pytest.approx(sims[1].energy(), rel=1e-10)
    sims[0].save(tmp_path / "run.h5")
    assert Simulation(tmp_path / "run.h5", backend="cuda").hash() == sims[0].hash()


@pytest.mark.parametrize("precision, dtype", (("fp32", np.float32), ("fp64", np.float64)))
@pytest.mark.parametrize("way", WAYS)
def test_the_state_itself(way, precision, dtype):
    take, to_numpy = taken_by(way)
    for n in (1, 3, 1000):
        sim = Simulation(f"plummer:n={n}", precision=precision, accumulate="ordered", backend="cuda")
        sim.step(20)
        hash = sim.hash()
        with sim.arrays() as a:
            assert a.positions.shape == (n, 3) and a.masses.shape == (n,) and a.positions.dtype == dtype
            for name in ("positions", "velocities", "masses", "radii"):
                values = to_numpy(take(getattr(a, name)))
                assert values.dtype == dtype and np.array_equal(values, getattr(sim, name)), name
        other = Simulation(f"plummer:n={n}", precision=precision, accumulate="ordered", backend="cuda")
        other.step(20)
        assert sim.hash() == hash == other.hash()
        sim.step(20), other.step(20)
        assert sim.hash() == other.hash()


@pytest.mark.parametrize("way", WAYS)
def test_what_is_written_is_where_it_goes_on(way):
    take, _ = taken_by(way)
    how = dict(accumulate="ordered", backend="cuda")
    sim = Simulation("plummer:n=700", **how)
    sim.step(40)
    x, v, m = sim.positions, sim.velocities, sim.masses
    with sim.arrays() as a:
        positions, velocities, masses = take(a.positions), take(a.velocities), take(a.masses)
        velocities *= 0.5
        positions[3] *= 2
        masses[4] = 0.25
    x[3] *= 2
    m[4] = 0.25
    assert np.array_equal(sim.positions, x) and np.array_equal(sim.velocities, 0.5 * v)
    assert np.array_equal(sim.masses, m)
    other = Simulation(positions=x, velocities=0.5 * v, masses=m, laws=sim.laws, dt=sim.dt, **how)
    sim.step(60), other.step(60)
    assert sim.hash() == other.hash() and sim.steps == 100


def test_writes_on_another_stream_arrive():
    take, _ = taken_by("cupy.asarray")
    cupy = importlib.import_module("cupy")
    sim = Simulation("plummer:n=3000", backend="cuda")
    with sim.arrays() as a:
        with cupy.cuda.Stream(non_blocking=True):
            velocities = take(a.velocities)
            big = cupy.random.random((3000, 3000))
            for _ in range(20):
                big = big @ big
                big /= big.max()
            velocities[:] = velocities + 0 * big[:, :3].astype(cupy.float32) + 1
    assert sim.velocities.mean() > 0.5


@pytest.mark.parametrize("name, words", (("positions", "= nan"), ("velocities", "= nan"), ("masses", "m = nan")))
def test_numbers_that_no_simulation_has_are_refused_and_undone(name, words):
    take, _ = taken_by("cupy.asarray")
    sim = Simulation("plummer:n=300", accumulate="ordered", backend="cuda")
    sim.step(5)
    before = sim.hash()
    with pytest.raises(ValueError, match=words):
        with sim.arrays() as a:
            take(getattr(a, name))[7] = float("nan")
            take(a.masses)[1] = 3
    assert sim.hash() == before and np.isfinite(sim.masses).all() and sim.masses[1] != 3
    with pytest.raises(KeyError):
        with sim.arrays() as a:
            take(a.positions)[:] = 0
            raise KeyError
    assert sim.hash() == before
    sim.step(5)


def test_radii_that_grow_touch():
    take, _ = taken_by("cupy.asarray")
    x = np.array([[0.0, 0, 0], [1, 0, 0]])
    laws = {"pair": "contact", "stiffness": 10.0}
    sim = Simulation(positions=x, masses=1.0, radii=0.1, laws=laws, backend="cuda")
    sim.step(5)
    assert np.array_equal(sim.positions, x)
    with sim.arrays() as a:
        take(a.radii)[:] = 0.75
    sim.step(5)
    assert sim.positions[0, 0] < 0 and sim.positions[1, 0] > 1


def test_no_step_within_and_no_array_after():
    sim = Simulation("plummer:n=100", backend="cuda")
    with sim.arrays() as a:
        with pytest.raises(RuntimeError, match="with sim.arrays"):
            sim.step()
        assert a.positions.__dlpack_device__()[0] == 2 and a.positions.__cuda_array_interface__["shape"] == (100, 3)
        assert "(100, 3) float32" in repr(a.positions)
    for use in (lambda: a.positions.__dlpack__(), lambda: a.masses.__cuda_array_interface__, a.radii.__dlpack_device__):
        with pytest.raises(RuntimeError, match="has ended"):
            use()
    sim.step()


@pytest.mark.parametrize("way", WAYS)
def test_what_was_taken_keeps_the_memory(way):
    take, to_numpy = taken_by(way)
    sim = Simulation("plummer:n=5000", backend="cuda")
    with sim.arrays() as a:
        positions = take(a.positions)
    expected = sim.positions
    del sim, a
    gc.collect()
    others = [Simulation("plummer:n=5000,seed=7", backend="cuda") for _ in range(3)]
    assert np.array_equal(to_numpy(positions), expected)
    del others


def test_forces():
    x = np.random.default_rng(3).random((3000, 3))
    m = np.ones(3000)
    for law in ("gravity", {"pair": "lennard-jones", "sigma": 0.01}):
        (f, e), (g, h) = (triangulum.forces(x, m, law, energy=True, backend=b) for b in ("cuda", "cpu"))
        np.testing.assert_allclose(f, g, rtol=1e-9, atol=1e-9 * np.abs(g).max())
        assert e == pytest.approx(h, rel=1e-10)
    for n in (1, 2):
        f = triangulum.forces(x[:n], m[:n], "gravity", backend="cuda")
        np.testing.assert_allclose(f, triangulum.forces(x[:n], m[:n], "gravity", backend="cpu"))
