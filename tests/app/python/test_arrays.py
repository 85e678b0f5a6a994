"""with sim.arrays(): the state itself, read and written, in host memory and on a GPU."""

import gc
import importlib
import time

import numpy as np
import pytest
import triangulum
from device_libraries import WAYS, taken_by
from triangulum import Simulation


def ordered(scene="plummer:n=100", **how):
    return Simulation(scene, accumulate="ordered", backend="cpu", **how)


@pytest.mark.parametrize("precision, dtype", (("fp32", np.float32), ("fp64", np.float64)))
@pytest.mark.parametrize("n", (1, 2, 3, 16, 65, 1000))
def test_they_are_the_state(n, precision, dtype):
    sim = ordered(f"plummer:n={n}", precision=precision)
    sim.step(5)
    copies = sim.positions, sim.velocities, sim.masses, sim.radii
    with sim.arrays() as a:
        views = a.positions, a.velocities, a.masses, a.radii
        for view, copy in zip(views, copies):
            assert view.dtype == dtype and view.flags.writeable and not view.flags.owndata
            assert np.array_equal(view, copy)
        first = views[0].__array_interface__["data"][0]
    with sim.arrays() as a:
        assert a.positions.__array_interface__["data"][0] == first


def test_reading_changes_nothing():
    for how in ({}, dict(dt="auto", integrator="hermite")):
        sim, other = ordered(**how), ordered(**how)
        for _ in range(3):
            sim.step(4), other.step(4)
            with sim.arrays() as a:
                a.positions.sum()
        assert sim.hash() == other.hash() and sim.diagnostics == other.diagnostics


def test_what_is_written_is_where_it_goes_on(state):
    backend, take = state
    sim = Simulation("plummer:n=700", accumulate="ordered", backend=backend)
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
    assert np.array_equal(sim.masses, m) and sim.steps == 40
    how = dict(laws=sim.laws, dt=sim.dt, accumulate="ordered", backend=backend)
    other = Simulation(positions=x, velocities=0.5 * v, masses=m, **how)
    sim.step(60), other.step(60)
    assert sim.hash() == other.hash() and sim.steps == 100
    if backend == "cpu":  # where energies do not differ from run to run
        assert sim.energy() == other.energy()
        assert sim.diagnostics["energy_error"] == other.diagnostics["energy_error"]  # relative to what was written


def test_before_the_first_step_the_run_begins_with_them(tmp_path):
    sim = ordered()
    with sim.arrays() as a:
        a.velocities[:] = 0
    assert sim.diagnostics["kinetic"] == 0 and sim.diagnostics["energy_error"] == 0
    sim.step(3)
    sim.save(tmp_path / "run.h5")
    assert Simulation.load(tmp_path / "run.h5", backend="cpu").steps == 3


def test_a_run_that_was_changed_is_saved_as_a_new_one(tmp_path):
    sim = ordered()
    sim.step(3)
    with sim.arrays() as a:
        a.velocities[:] = 0
    sim.step(2)
    sim.save(tmp_path / "run.h5")
    again = Simulation.load(tmp_path / "run.h5", backend="cpu")
    assert again.steps == 0 and again.hash() == sim.hash()
    sim.step(4), again.step(4)
    assert again.hash() == sim.hash()


def test_radii_that_grow_touch(state):
    backend, take = state
    laws = {"pair": "contact", "stiffness": 10.0}
    x = np.array([[0.0, 0, 0], [1, 0, 0]])
    sim = Simulation(positions=x, masses=1.0, radii=0.1, laws=laws, backend=backend)
    sim.step(5)
    assert np.array_equal(sim.positions, x)
    with sim.arrays() as a:
        take(a.radii)[:] = 0.75
    sim.step(5)
    assert sim.positions[0, 0] < 0 and sim.positions[1, 0] > 1


def test_positions_enter_a_periodic_box():
    laws = {"pair": "none"}
    sim = Simulation(positions=np.full((2, 3), 0.5), masses=1.0, laws=laws, box=1.0, backend="cpu")
    with sim.arrays() as a:
        a.positions[1] = (1.25, -0.25, 0.5)
    assert sim.positions[1].tolist() == [0.25, 0.75, 0.5]


def test_another_array_is_refused_and_an_operator_writes():
    sim = ordered()
    with sim.arrays() as a:
        with pytest.raises(AttributeError, match=r"a.masses\[:\] ="):
            a.masses = np.ones(100)
        a.masses *= 2
        a.velocities += (0, 0, 1)
    assert sim.masses.sum() == pytest.approx(2) and sim.velocities[:, 2].mean() == pytest.approx(1, abs=1e-3)


def test_no_step_within():
    sim = ordered()
    with sim.arrays() as a:
        again = sim.arrays()
        for call in (sim.step, lambda: sim.run(until=1.0), lambda: sim.save("state.h5"), again.__enter__):
            with pytest.raises(RuntimeError, match="with sim.arrays"):
                call()
        assert sim.steps == 0 and np.array_equal(sim.positions, a.positions) and sim.energy() < 0
    sim.step()
    assert sim.steps == 1


BAD = (
    ("positions", (1, 2), np.nan, "body 1 has z = nan"), ("velocities", (0, 0), np.inf, "body 0 has vx = inf"),
    ("masses", 5, -1, "body 5 has m = -1"), ("masses", 7, np.nan, "body 7 has m = nan"),
    ("radii", 5, -1, "body 5 has r = -1"),
)


@pytest.mark.parametrize("name, place, value, words", BAD)
def test_numbers_that_no_simulation_has_are_refused_and_undone(state, name, place, value, words):
    backend, take = state
    sim, other = (Simulation("plummer:n=300", accumulate="ordered", backend=backend) for _ in range(2))
    sim.step(5), other.step(5)
    with pytest.raises(ValueError, match=words):
        with sim.arrays() as a:
            take(a.masses)[1] = 3
            take(getattr(a, name))[place] = value
    with pytest.raises(KeyError):
        with sim.arrays() as a:
            take(a.positions)[:] = 0
            raise KeyError
    assert sim.hash() == other.hash() and np.array_equal(sim.masses, other.masses)
    sim.step(5), other.step(5)
    assert sim.hash() == other.hash()


def test_what_was_written_is_checked_as_bodies_of_a_scene_are():
    sim = Simulation(positions=np.eye(3), masses=1.0, laws={"pair": "gravity", "eps": 1}, precision="fp32", backend="cpu")
    with pytest.raises(ValueError, match="body 1 has the mass .*, below the range of float32"):
        with sim.arrays() as a:
            a.masses[1] = 1e-44
    walls = {"pair": "contact", "walls": "reflecting", "low": (-1, -1, -1), "high": (3, 3, 3)}
    sim = Simulation(positions=np.eye(3), masses=1.0, radii=0.1, laws=walls, backend="cpu")
    with pytest.warns(RuntimeWarning, match=r"1 of 3 bodies are outside the reflecting walls .* folded in or flung back"):
        with sim.arrays() as a:
            a.positions[2] = 9
    with pytest.warns(RuntimeWarning, match="reads the radii"):
        with sim.arrays() as a:
            a.positions[2], a.radii[:] = 0.5, 0
    with sim.arrays() as a:
        a.velocities[:] = 1
    assert len(sim.notes) == 2


def test_an_exception_in_the_block_undoes_it():
    sim, other = ordered(dt="auto", integrator="hermite"), ordered(dt="auto", integrator="hermite")
    sim.step(5), other.step(5)
    with pytest.raises(KeyError):
        with sim.arrays() as a:
            a.positions[:] = 0
            raise KeyError
    sim.step(5), other.step(5)
    assert sim.hash() == other.hash()


def test_afterwards_views_are_read_only_and_safe():
    sim = ordered()
    with sim.arrays() as a:
        part = a.positions[::2]
    for view in (a.positions, a.velocities, a.masses, a.radii):
        with pytest.raises(ValueError, match="read-only"):
            view[0] = 1
    sim.step(10)
    assert np.array_equal(a.positions, sim.positions)  # the present state
    expected = sim.positions
    del sim
    gc.collect()
    junk = [np.zeros(100000) for _ in range(20)]
    assert np.array_equal(a.positions, expected) and np.array_equal(part, expected[::2])
    del junk, a
    assert np.array_equal(part, expected[::2])


def test_forces_of_the_state_itself():
    sim = ordered(precision="fp64")
    with sim.arrays() as a:
        f = triangulum.forces(np.ascontiguousarray(a.positions), a.masses, "gravity", eps=0.02, backend="cpu")
        a.velocities[:] += 0.001 * f / a.masses[:, None]
    sim.step()
    assert np.isfinite(sim.energy())


def test_a_view_that_is_left_writes_as_in_a_block():
    sim, other = (Simulation("plummer:n=50", accumulate="ordered", backend="cpu") for _ in range(2))
    with sim.arrays() as a:
        view = a.velocities[:5]
    sim.step(3), other.step(3)
    assert sim.hash() == other.hash(), "reading through calls changes nothing"
    view *= 0.5
    with other.arrays() as b:
        b.velocities[:5] *= 0.5
    with pytest.warns(RuntimeWarning, match="written after its block"):
        sim.step(3)
    other.step(3)
    assert sim.hash() == other.hash() and sim.diagnostics == other.diagnostics
    assert any("written after" in note for note in sim.notes)
    before = sim.hash()
    view[0, 0] = np.nan
    with pytest.raises(ValueError, match="body 0 has vx = nan"):
        sim.energy()
    assert sim.hash() == before and np.isfinite(view).all(), "the state is that of before"
    with sim.arrays() as c:
        c.masses[0] *= 2
    view[0, 0] = 0
    with pytest.warns(RuntimeWarning, match="written after its block"):
        assert sim.velocities[0, 0] == 0


def test_a_view_that_is_gone_costs_nothing():
    sim = Simulation(positions=np.random.default_rng(0).random((300_000, 3)), masses=1.0, laws={"pair": "none"}, backend="cpu")

    def cost():
        begin = time.process_time()
        for _ in range(10):
            sim.step(0)
        return time.process_time() - begin

    with sim.arrays() as a:
        view, all_of_it = a.velocities[:5], a
    kept = cost()
    view[0] = 1
    del view, all_of_it, a
    with pytest.warns(RuntimeWarning, match="written after its block"):
        sim.step(0)
    assert sim.velocities[0, 0] == 1
    assert cost() < kept / 3


def test_only_views_are_watched(monkeypatch):
    """A copy of the state a call is for those who kept one."""
    kept = []
    sim = Simulation("plummer:n=50", backend="cpu")
    given_back = Simulation._return_borrowed
    monkeypatch.setattr(Simulation, "_return_borrowed", lambda self, no, left: (kept.append(left), given_back(self, no, left)))
    with sim.arrays() as a:
        a.velocities *= 0.9
        a.positions[:] = a.positions + a.velocities[::2][0]
    with sim.arrays() as a:
        view = a.masses[1:]
    assert kept == [False, True] and len(view) == 49


@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("precision, dtype", (("fp32", np.float32), ("fp64", np.float64)))
@pytest.mark.parametrize("way", WAYS)
def test_they_are_the_state_on_a_gpu(way, precision, dtype):
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


@pytest.mark.usefixtures("gpu")
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


@pytest.mark.usefixtures("gpu")
def test_no_step_within_and_no_array_after_on_a_gpu():
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


@pytest.mark.usefixtures("gpu")
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
