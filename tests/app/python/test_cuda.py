"""The same calls on a GPU. Skipped, with the reason, where there is none; TRI_REQUIRE_CUDA=1 makes that a failure."""

import os
import signal
import threading

import numpy as np
import pytest
import triangulum
from triangulum import Simulation


@pytest.fixture(autouse=True)
def gpu():
    try:
        triangulum.pdist(np.zeros((2, 1)), backend="cuda")
    except RuntimeError as error:
        if os.environ.get("TRI_REQUIRE_CUDA") == "1":
            raise
        pytest.skip(str(error))


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


def test_ctrl_c_ends_a_run_that_goes_on():
    sim = Simulation("plummer:n=2000", backend="cuda")
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        sim.step(10**9)
    timer.join()
    steps = sim.steps
    sim.step(2)
    assert steps > 0 and sim.steps == steps + 2


def test_threads_with_an_object_each():
    results = {}

    def work(k):
        sim = Simulation("plummer:n=400", accumulate="ordered", backend="cuda")
        sim.step(100)
        results[k] = sim.hash(), triangulum.pdist(sim.positions, backend="cuda")

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    assert all(hash == results[0][0] and np.array_equal(d, results[0][1]) for hash, d in results.values())
