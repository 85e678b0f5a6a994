"""triangulum.Simulation: closed forms, conserved energy, equal hashes, files, and what it refuses."""

import sys
import warnings

import numpy as np
import pytest
import triangulum
from triangulum import Simulation


def test_kepler_orbit_closes():
    sim = Simulation("kepler", precision="fp64", backend="cpu")
    begin = sim.positions
    separation = np.linalg.norm(begin[0] - begin[1])
    assert begin.shape == (2, 3) and sim.velocities.shape == (2, 3) and sim.masses.shape == (2,)
    # Kepler's third law with G = 1; the semi-major axis follows from the energy about the centre of mass, at rest.
    m = sim.masses
    axis = m.prod() / (-2 * sim.energy())
    period = 2 * np.pi * np.sqrt(axis**3 / m.sum())
    taken = sim.run(until=period)
    assert taken == sim.steps > 0
    assert abs(sim.time - period) < 0.01
    assert np.linalg.norm(sim.positions - begin) < 0.02 * separation


def test_energy_and_momentum_are_conserved():
    sim = Simulation("plummer:n=200", precision="fp64", backend="cpu")
    before = sim.diagnostics
    sim.step(200)
    after = sim.diagnostics
    assert after["step"] == 200 and after["time"] == sim.time > 0
    assert 0 < abs(after["energy_error"]) < 1e-3
    assert after["energy"] == pytest.approx(after["kinetic"] + after["potential"], rel=1e-14)
    assert sim.energy() == after["energy"]
    np.testing.assert_allclose(after["momentum"], before["momentum"], atol=1e-12)
    assert after["mass"] == pytest.approx(sim.masses.sum())


def test_diagnostics_against_numpy():
    sim = Simulation("plummer:n=100,eps=0", precision="fp64", backend="cpu")
    x, v, m = sim.positions, sim.velocities, sim.masses
    i, j = np.triu_indices(len(m), 1)
    row = sim.diagnostics
    assert row["kinetic"] == pytest.approx(0.5 * (m * (v**2).sum(axis=1)).sum(), rel=1e-12)
    assert row["potential"] == pytest.approx(-(m[i] * m[j] / triangulum.pdist(x, backend="cpu")).sum(), rel=1e-12)


def test_hash_is_that_of_every_map_under_ordered_sums():
    hashes = set()
    for name in ("lambda", "fold", "bb"):
        sim = Simulation("plummer:n=150", map=name, accumulate="ordered", backend="cpu")
        sim.step(20)
        hashes.add(sim.hash())
    # As `triangulum run plummer:n=150 --steps 20 --accumulate ordered` prints it.
    assert hashes == {"1bb75ed54e61c08c"}
    sim.step()
    assert sim.hash() not in hashes


def test_gravity_by_a_tree(tmp_path):
    how = dict(accumulate="ordered", pairs="tree", tolerance=1e-3, backend="cpu")
    sims = [Simulation("plummer:n=12000", map=name, **how) for name in ("lambda", "bb")]
    for sim in sims:
        sim.step(2)
    assert (sims[0].pairs, sims[0].tolerance) == ("tree", 1e-3) and sims[0].hash() == sims[1].hash()
    sims[0].save(tmp_path / "run.h5")
    again = Simulation.load(tmp_path / "run.h5", backend="cpu")
    assert (again.pairs, again.tolerance) == ("tree", 1e-3)
    again.step(), sims[0].step()
    assert again.hash() == sims[0].hash()
    plain = Simulation.load(tmp_path / "run.h5", pairs="all", backend="cpu")
    assert (plain.pairs, plain.tolerance) == ("all", None)
    plain.step()
    assert plain.hash() != again.hash() and abs(plain.positions - again.positions).max() < 1e-4
    assert Simulation("plummer:n=300", tolerance=1e-4, backend="cpu").pairs == "all"
    with pytest.raises(ValueError, match="Leave pairs and tolerance out, or use integrator="):
        Simulation("plummer:n=300", integrator="hermite", pairs="tree", backend="cpu").step()


def test_steps_in_portions_are_the_same_run():
    whole, parts = (Simulation("plummer:n=100", accumulate="ordered", backend="cpu") for _ in range(2))
    whole.step(30)
    for n in (1, 0, 9, 20):
        parts.step(n)
    assert whole.hash() == parts.hash() and whole.time == parts.time and parts.steps == 30


def test_copies_are_copies():
    sim = Simulation("plummer:n=50", backend="cpu")
    x = sim.positions
    x[:] = 0
    assert np.any(sim.positions != 0)
    kept = sim.velocities
    del sim
    assert np.isfinite(kept).all()


def test_a_snapshot_goes_on_bit_for_bit(tmp_path, backend):
    path = tmp_path / "run.h5"
    sim = Simulation("plummer:n=80", precision="fp64", accumulate="ordered", backend=backend)
    sim.step(10)
    sim.save(path)
    again = Simulation(path, backend=backend)
    assert (again.steps, again.time, again.hash()) == (10, sim.time, sim.hash())
    sim.step(10), again.step(10)
    assert again.hash() == sim.hash() and again.energy() == sim.energy()


def test_bodies_from_a_file(tmp_path):
    path = tmp_path / "two.csv"
    path.write_text("x,y,z,vx,vy,vz,m\n0,0,0,0,0,0,2\n1,0,0,0,1,0,3\n")
    sim = Simulation(str(path), precision="fp64", backend="cpu")
    assert sim.positions.tolist() == [[0, 0, 0], [1, 0, 0]] and sim.masses.tolist() == [2, 3]
    assert sim.energy() == pytest.approx(0.5 * 3 - 6)
    sim.save(tmp_path / "bodies.npy")
    assert np.load(tmp_path / "bodies.npy").shape == (2, 7)


def test_automatic_steps_end_at_the_time():
    sim = Simulation("plummer:n=40,dt=auto", backend="cpu")
    sim.run(until=0.25)
    assert sim.time == 0.25


def test_triples():
    sim = Simulation("argon-crystal:n=32", map="tetra", backend="cpu")
    sim.step(2)
    assert sim.steps == 2


def kwargs(**more):
    return {"backend": "cpu", **more}


REFUSED = (
    (ValueError, "plumer", "plumer", {}), (ValueError, "n", "plummer:n=0", {}),
    (ValueError, "plummer", "plummer:m=3", {}), (OSError, "nothing.csv", "./nothing.csv", {}),
    (OSError, "nothing.toml", "nothing.toml", {}),
    (ValueError, "unknown map of the triangle 'lamda'. Did you mean 'lambda'", "plummer:n=10", dict(map="lamda")),
    (ValueError, "no law of triples", "plummer:n=10", dict(map="tetra")),
    (ValueError, "fp16", "plummer:n=10", dict(precision="fp16")),
    (ValueError, "slow", "plummer:n=10", dict(accumulate="slow")),
    (ValueError, "backend is 'tpu'", "plummer:n=10", dict(backend="tpu")),
    (TypeError, "scene is a int; give a name or a path", 3, {}),
)


@pytest.mark.parametrize("error, words, scene, arguments", REFUSED)
def test_refusals(error, words, scene, arguments):
    with pytest.raises(error, match=words):
        Simulation(scene, **kwargs(**arguments))


def test_refusals_of_calls(tmp_path):
    sim = Simulation("plummer:n=10", backend="cpu")
    sim.step(3)
    for call, error in (
        (lambda: sim.step(-1), ValueError), (lambda: sim.step(1.5), TypeError), (lambda: sim.step(2**70), ValueError),
        (lambda: sim.run(0.1), TypeError), (lambda: sim.run(until="3"), TypeError), (lambda: sim.save(None), TypeError),
        (lambda: Simulation.load(None), TypeError),
        (lambda: sim.run(until=float("nan")), ValueError), (lambda: sim.run(until=-1.0), ValueError),
        (lambda: sim.save(tmp_path / "state.unknown"), OSError), (lambda: sim.save("/nowhere/at/all.npy"), OSError),
    ):
        with pytest.raises(error) as caught:
            call()
        assert "\n" not in str(caught.value)
    assert sim.steps == 3 and "step 3" in repr(sim)


def test_float32_that_would_lose_the_motion():
    """Far from the origin the precision is float64 unless another one is named, and then there is a warning."""
    given = {"positions": np.array([[1e6, 0, 0]]), "velocities": np.array([[1.0, 0, 0]]), "masses": 1.0, "dt": 0.01}
    sim = Simulation(**given, backend="cpu")
    sim.step(1000)
    assert sim.precision == "fp64" and abs(sim.positions[0, 0] - 1000010) < 1e-6
    assert any("so the run is in float64" in note for note in sim.notes)
    with pytest.warns(RuntimeWarning, match="this motion is lost. Use precision='fp64'"):
        assert Simulation(**given, precision="fp32", backend="cpu").precision == "fp32"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Simulation("plummer:n=10", backend="cpu").step(2)
        with pytest.raises(RuntimeWarning):
            Simulation(**given, precision="fp32", backend="cpu")
    # A body that flies away in the run.
    away = Simulation(
        positions=np.eye(3), velocities=np.full((3, 3), 1e4), masses=0.0, dt=1.0, precision="fp32", backend="cpu"
    )
    away.step()
    with pytest.warns(RuntimeWarning, match="body 0 is at 1e[+]13.*this motion is lost"):
        with away.arrays() as a:
            a.positions[0] = 1e13
    assert "1e+13" in away.notes[-1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with away.arrays() as a:
            assert a.positions[0, 0] == np.float32(1e13)
        away.step()
    # Two that meet on the way and part again, in one call.
    meet = Simulation(
        positions=np.array([[0, -409.6, 0], [0.5, 0, 0]]), velocities=np.array([[1000, 10, 0], [1000, 0, 0.0]]),
        masses=1.0, dt=0.01, law="-mi*mj/r", precision="fp32", backend="cpu"
    )
    with pytest.warns(RuntimeWarning, match="^step [34][0-9]{3}: bodies 0 and 1 .* from each other: this motion is lost"):
        meet.step(10000)
    # On the way: no typed law of float32 holds what is so far apart.
    away = Simulation(
        positions=np.array([[0, 0, 0], [1e12, 0, 0]]), velocities=np.array([[0, 0, 0], [5e14, 0, 0]]), masses=1.0,
        law="-mi*mj/r", dt=1.0, precision="fp32", backend="cpu",
    )
    with pytest.warns(RuntimeWarning, match="step [1-4]: the typed law of pairs would be lost in float32"):
        away.step(4)


def test_springs_that_are_too_soft():
    """Two spheres that pass through each other: said from their energies before, by their overlap then, and as a number."""
    two = {"positions": np.array([[-0.5, 0, 0], [0.5, 0, 0]]), "velocities": np.array([[1.0, 0, 0], [-1.0, 0, 0]])}
    two |= {"masses": 1.0, "radii": 0.1, "dt": 0.001, "backend": "cpu"}
    with pytest.warns(RuntimeWarning, match="overlap by 1.41.*too soft"):
        sim = Simulation(**two, laws={"pair": "contact", "stiffness": 1.0})
    assert sim.overlap_max == 0
    with pytest.warns(RuntimeWarning, match="bodies 0 and 1 overlap by .* at t = 0[.]4") as told:
        sim.step(1000)
    assert told[0].filename == __file__
    assert sim.overlap_max > 1.5
    assert sum("too soft" in note for note in sim.notes) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.step(10)
        hard = Simulation(**two, laws={"pair": "contact", "stiffness": 4000.0})
        hard.run(until=1.0)
    assert 0 < hard.overlap_max < 0.5
    assert Simulation("plummer:n=10", backend="cpu").overlap_max is None


@pytest.mark.parametrize("law", ["gravity", "-mi*mj/r"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_bodies_without_mass_at_one_place(law, dtype):
    x = np.array([[0, 0, 0], [1, 0, 0], [1, 0, 0], [0, 2, 0]], dtype)
    m = np.array([1, 0, 0, 2], dtype)
    f, energy = triangulum.forces(x, m, law, energy=True, backend="cpu")
    alone = triangulum.forces(x[[0, 3]], m[[0, 3]], law, backend="cpu")
    np.testing.assert_allclose(f[[0, 3]], alone, rtol=1e-6)
    assert (f[1:3] == 0).all() and np.isclose(energy, -1)
    with pytest.raises(triangulum.NumericalError, match="coincides"):
        triangulum.forces(x, np.ones(4, dtype), law, backend="cpu")
    sim = Simulation(positions=x, masses=m, law=law, dt=0.01, backend="cpu")
    sim.step(3)
    assert (sim.velocities[1] == sim.velocities[2]).all() and sim.velocities[1, 0] < -0.01


def test_numerical_errors_name_the_step(tmp_path):
    path = tmp_path / "far.csv"
    path.write_text("x,y,z,vx,vy,vz,m\n0,0,0,1e308,0,0,1\n1,0,0,-1e308,0,0,1\n")
    sim = Simulation(path, precision="fp64", backend="cpu")
    with pytest.raises(triangulum.NumericalError, match=r"^step (\d+) \(t = ") as caught:
        sim.step(1000)
    assert isinstance(caught.value, ArithmeticError)
    assert f"step {sim.steps + 1} " in str(caught.value)


def test_lists():
    maps, scenes = triangulum.maps(), triangulum.scenes()
    assert {"lambda", "fold", "bb"} <= {row["name"] for row in maps if row["domain"] == "pairs"}
    assert {"kepler", "plummer"} <= {row["name"] for row in scenes}
    assert triangulum.__version__.count(".") == 2


def test_save_replaces_no_input(tmp_path):
    """As `triangulum run` does; but the file that was given may be saved again, and those of other simulations too."""
    text = "m,x,y,z\n1,0,0,0\n1,1,0,0\n"
    for name in ("bodies.csv", "other.csv"):
        (tmp_path / name).write_text(text)
    (tmp_path / "scene.toml").write_text('title = "t"\n[[part]]\nname = "a"\ngenerator = "file"\npath = "bodies.csv"\n')
    (tmp_path / "link.csv").symlink_to("bodies.csv")
    (tmp_path / "hard.csv").hardlink_to(tmp_path / "bodies.csv")
    sim, other = (Simulation(tmp_path / name, backend="cpu") for name in ("scene.toml", "other.csv"))
    for name in ("bodies.csv", "link.csv", "hard.csv"):
        with pytest.raises(ValueError, match=f"{name}', an input of this simulation, which would be lost"):
            sim.save(tmp_path / name)
    assert (tmp_path / "bodies.csv").read_text() == text
    sim.save(tmp_path / "new.csv"), sim.save(tmp_path / "other.csv")
    other.save(tmp_path / "other.csv"), other.save(tmp_path / "hard.csv")
    sim.save(tmp_path / "run.h5")
    again = Simulation.load(tmp_path / "run.h5", backend="cpu")
    again.step(2), again.save(tmp_path / "run.h5")
    assert Simulation.load(tmp_path / "run.h5", backend="cpu").steps == 2


def test_hdf5_is_read_by_a_process_of_its_own(tmp_path, monkeypatch):
    """What a hostile file makes of the library ends that process."""
    Simulation("plummer:n=5", backend="cpu").save(tmp_path / "run.h5")
    reader = tmp_path / "reader"
    reader.write_text("#!/bin/sh\nkill -SEGV $$\n")
    reader.chmod(0o700)
    with monkeypatch.context() as patched:
        patched.setenv("PYTHONHOME", "/nonexistent")  # of the interpreter that reads
        with pytest.raises(OSError, match="run.h5' made the HDF5 reader crash"):
            Simulation.load(tmp_path / "run.h5", backend="cpu")
        patched.setattr(sys, "executable", str(tmp_path / "python-reader"))
        reader.rename(sys.executable)
        triangulum._read_hdf5_apart()
        with pytest.raises(OSError, match="crash .Segmentation fault."):
            Simulation.load(tmp_path / "run.h5", backend="cpu")
    triangulum._read_hdf5_apart()
    assert len(Simulation.load(tmp_path / "run.h5", backend="cpu")) == 5
    assert triangulum._core.serve_hdf5() == 1, "this is no such process"


def test_names_of_files_are_bytes(tmp_path):
    """Also those that are no UTF-8."""
    odd = tmp_path / "\udcff.csv"
    with pytest.raises(OSError, match="there is no file"):
        Simulation(odd, backend="cpu")
    odd.write_text("x,y,z\n0,0,0\n1,0,0\n")
    with pytest.warns(RuntimeWarning, match="every mass is 1"):
        sim = Simulation(odd, backend="cpu")
    assert "\udcff.csv" in repr(sim) and any("mass" in note for note in sim.notes)
    for call in (lambda: Simulation("a\0b"), lambda: sim.save("a\0b.csv"), lambda: Simulation.load("\0")):
        with pytest.raises(ValueError, match="with a NUL"):
            call()


@pytest.mark.usefixtures("gpu")
def test_the_gpu_is_the_default():
    x = np.random.default_rng(1).random((900, 3), dtype=np.float32)
    assert np.array_equal(triangulum.pdist(x), triangulum.pdist(x, backend="cuda"))
    assert "on cuda" in repr(Simulation("plummer:n=50"))


@pytest.mark.usefixtures("gpu")
def test_a_gpu_against_the_cpu(tmp_path):
    sims = [Simulation("plummer:n=300", precision="fp64", accumulate="ordered", backend=b) for b in ("cuda", "cpu")]
    for sim in sims:
        sim.step(50)
    np.testing.assert_allclose(sims[0].positions, sims[1].positions, atol=1e-9)
    assert sims[0].energy() == pytest.approx(sims[1].energy(), rel=1e-10)
    sims[0].save(tmp_path / "run.h5")
    assert Simulation(tmp_path / "run.h5", backend="cuda").hash() == sims[0].hash()


@pytest.mark.parametrize("how, words", (
    (dict(radii=0.1), "have a radius, but the law of pairs is gravity"),
    (dict(charges=1.0), "have charges, but the law of pairs is gravity"),
    (dict(law="qi*qj/r"), "reads the charges .* and no body has one"),
    (dict(law="(ri + rj)/r"), "reads the radii .* and every one is 0"),
    (dict(laws={"pair": "none", "walls": "periodic"}), r"without corners: the box is from \(0, 0, 0\) to \(1, 1, 1\)"),
    (dict(dt=1e-30, precision="fp64"), "float64 .* this motion is lost"),
))
def test_what_a_command_prints_is_a_warning(how, words):
    """Columns that no law reads or all bodies lack, walls that nobody placed, motion that float64 loses, too."""
    given = {"positions": np.eye(3), "masses": 1.0, "dt": 0.01, "backend": "cpu"}
    with pytest.warns(RuntimeWarning, match=words) as told:
        sim = Simulation(**{**given, **how})
    assert len(told) == len(sim.notes) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.step()


def test_what_a_file_leaves_open_is_a_warning(tmp_path):
    """As a command says it: here the masses."""
    path = tmp_path / "a.csv"
    path.write_text("x,y,z\n0,0,0\n1,0,0\n")
    with pytest.warns(RuntimeWarning, match="every mass is 1"):
        Simulation(path, backend="cpu")


def test_keys_of_a_scene_are_no_keywords():
    with pytest.raises(TypeError, match="unexpected keyword 'n'.*Keys of a scene stand in its name: 'plummer:n=1000'"):
        Simulation("plummer", n=50)
