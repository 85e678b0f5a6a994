"""A GPU against the CPU, and the state on a GPU in CuPy and torch. Tests that run alike on both take `backend`."""

import gc
import importlib

import numpy as np
import pytest
import triangulum
from device_libraries import WAYS, taken_by
from triangulum import Simulation

pytestmark = pytest.mark.usefixtures("gpu")


def test_the_gpu_is_the_default():
    x = np.random.default_rng(1).random((900, 3), dtype=np.float32)
    assert np.array_equal(triangulum.pdist(x), triangulum.pdist(x, backend="cuda"))
    assert "on cuda" in repr(Simulation("plummer:n=50"))


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
