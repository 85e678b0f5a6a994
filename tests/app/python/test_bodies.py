"""triangulum.Simulation of bodies given as arrays, against the same scene by name; its properties; load()."""

import warnings

import numpy as np
import pytest
import triangulum
from triangulum import Simulation

TRIANGLE = np.array([[0.0, 0, 0], [1, 0, 0], [0, 2, 0]])


def as_arrays(sim):
    of_each = dict(masses=sim.masses, radii=sim.radii, charges=sim.charges)
    return dict(positions=sim.positions, velocities=sim.velocities) | of_each


def same_way(sim):
    """What a simulation is of, but for its bodies."""
    how = dict(laws=sim.laws, integrator=sim.integrator, precision=sim.precision, accumulate=sim.accumulate)
    return how | (dict(eta=sim.eta) if sim.eta else dict(dt=sim.dt)) | dict(backend=sim.backend)


def test_arrays_of_a_scene_are_that_scene(backend):
    named = Simulation("plummer:n=500", accumulate="ordered", backend=backend)
    laws = {"pair": "gravity", "G": 1, "eps": 0.02}
    how = dict(laws=laws, dt=1 / 256, accumulate="ordered", backend=backend)
    given = Simulation(**as_arrays(named), **how)
    narrow = Simulation(**{k: v.astype(np.float32) for k, v in as_arrays(named).items() if v is not None}, **how)
    assert given.precision == narrow.precision == "fp32"
    assert given.hash() == narrow.hash() == named.hash()
    for sim in (named, given, narrow):
        sim.step(100)
    assert given.hash() == narrow.hash() == named.hash()
    assert given.energy() == named.energy() and given.time == named.time


def test_charges_are_a_column_that_bodies_may_have(backend, tmp_path):
    salt = Simulation("salt:n=37", backend=backend)
    assert sorted(set(salt.charges)) == [-1, 1] and salt.charges.shape == (37,)
    assert Simulation("plummer:n=5", backend=backend).charges is None
    q = np.array([1.5, -2, 0])
    sim = Simulation(positions=TRIANGLE, masses=1.0, charges=q, backend=backend)
    sim.step(3)
    assert np.array_equal(sim.charges, q)
    sim.save(tmp_path / "q.h5"), sim.save(tmp_path / "q.csv")
    assert np.array_equal(Simulation.load(tmp_path / "q.h5", backend=backend).charges, q)
    assert np.array_equal(Simulation(tmp_path / "q.csv", backend=backend).charges, q)
    assert Simulation(positions=TRIANGLE, masses=1.0, charges=-1, backend=backend).charges.tolist() == [-1] * 3
    plain = triangulum.forces(TRIANGLE, 1.0, "gravity", backend=backend)
    charged = triangulum.forces(TRIANGLE, 1.0, "gravity", charges=q, backend=backend)
    assert np.allclose(plain, charged, rtol=1e-12, atol=0), "gravity does not read them"
    for bad, message in ((np.ones(2), "charges has length 2"), (np.array([0, np.nan, 0]), "body 1 has q = nan")):
        with pytest.raises(ValueError, match=message):
            Simulation(positions=TRIANGLE, masses=1.0, charges=bad, backend=backend)
        with pytest.raises(ValueError, match=message):
            triangulum.forces(TRIANGLE, 1.0, "gravity", charges=bad, backend=backend)
    with pytest.raises(TypeError, match="charges is of bodies"):
        Simulation("kepler", charges=q)


@pytest.mark.parametrize("scene", [row["name"] for row in triangulum.scenes()])
def test_every_scene_by_its_own_laws(scene):
    few = {"galaxy": ":n=300", "merger": ":n=200", "argon-crystal": ":n=32", "argon-droplet": ":n=40"}
    keys = {row["name"]: row["keys"] for row in triangulum.scenes()}[scene]
    spec = scene + few.get(scene, ":n=60" if keys.startswith("n=") else "")
    named = Simulation(spec, accumulate="ordered", backend="cpu")
    given = Simulation(**as_arrays(named), **same_way(named))
    assert given.laws == named.laws and given.integrator == named.integrator
    named.step(20), given.step(20)
    assert given.hash() == named.hash()


def test_defaults_are_those_of_a_scene_that_lists_bodies(tmp_path):
    path = tmp_path / "three.toml"
    path.write_text('title = "three"\nbodies = [[3, 0, 0, 0, 0, 0, 0], [4, 1, 0, 0, 0, 0, 0], [5, 0, 2, 0, 0, 0, 0]]\n')
    listed = Simulation(path, backend="cpu")
    given = Simulation(positions=TRIANGLE, masses=np.array([3.0, 4, 5]), backend="cpu")
    assert given.laws == listed.laws == {"pair": "gravity", "triple": "none", "G": 1, "eps": 0, "walls": "open"}
    assert (given.dt, given.integrator, given.eta, given.precision) == (0.01, "kdk", 0, "fp32")
    listed.step(50), given.step(50)
    assert given.hash() == listed.hash()


def test_keys_of_a_scene_file_reach_the_same_simulation(tmp_path):
    path = tmp_path / "gas.toml"
    path.write_text(
        """title = "spheres"
integrator = "yoshida4"
precision = "fp64"
bodies = [[1, 0.2, 0.5, 0.5, 1, 0.5, 0.25, 0.1], [2, 0.7, 0.5, 0.5, -1, 0, 0, 0.15]]
[parameters]
dt = 0.001
[physics]
pair = "contact"
stiffness = 2000
damping = 0.5
shear = 0.25
walls = "reflecting"
low = [0, 0, 0]
high = [1, 1, 1]
field = [0, 0, -2]
"""
    )
    listed = Simulation(path, backend="cpu")
    laws = {"pair": "contact", "stiffness": 2000, "damping": 0.5, "shear": 0.25, "walls": "reflecting"}
    given = Simulation(
        positions=np.array([[0.2, 0.5, 0.5], [0.7, 0.5, 0.5]]), velocities=np.array([[1, 0.5, 0.25], [-1, 0, 0]]),
        masses=np.array([1.0, 2]), radii=np.array([0.1, 0.15]),
        laws={**laws, "low": [0, 0, 0], "high": (1, 1, 1), "field": np.array([0, 0, -2.0])}, integrator="yoshida4",
        precision="fp64", dt=0.001, backend="cpu",
    )
    assert given.laws == listed.laws and given.laws["field"] == (0, 0, -2) and given.laws["response"] == "springs"
    listed.step(500), given.step(500)
    assert given.hash() == listed.hash()


def test_impulses_shifts_triples_and_boxes_round_trip():
    for laws in (
        {"pair": "contact", "response": "impulses", "restitution": 0.5},
        {"pair": "lennard-jones", "cutoff": 0.4, "shifted": True, "sigma": 0.2},
        {"pair": "none", "triple": "axilrod-teller", "nu": 0.1}, {"pair": "none"},
    ):
        box = dict(box=(3.0, 3.0, 4.0)) if laws.get("triple") is None else {}
        sim = Simulation(positions=TRIANGLE, masses=1.0, radii=0.25, laws=laws, backend="cpu", **box)
        assert laws.items() <= sim.laws.items()
        if box:
            assert (sim.laws["walls"], sim.laws["low"], sim.laws["high"]) == ("periodic", (0, 0, 0), (3, 3, 4))
        again = Simulation(**as_arrays(sim), laws=sim.laws, backend="cpu")
        assert again.laws == sim.laws
        sim.step(20), again.step(20)
        assert again.hash() == sim.hash()


def test_units_set_G():
    sim = Simulation(positions=TRIANGLE * 1e9, masses=1e24, units="si", precision="fp64", dt=60.0, backend="cpu")
    assert sim.laws["G"] == 6.67430e-11 and sim.units == "si" and sim.dt == 60


def test_files_of_others(tmp_path):
    """A periodic cell acts, or is refused; numbers in nm are saved as ASE takes them."""
    law = "4*((1/r)^12 - (1/r)^6); cutoff = 2"
    rows = "2\nProperties=species:S:1:pos:R:3:momenta:R:3 Lattice=\"{}\"\nAr 0.1 2 2 3 0 0\nAr 4.9 2 2 0 0 0\n"
    path = tmp_path / "a.extxyz"
    path.write_text(rows.format("6 0 0 0 6 0 0 0 6"))
    sim = Simulation(path, law=law, precision="fp64", backend="cpu")
    near = 4 * (1.2**-12 - 1.2**-6)
    assert sim.energy() == pytest.approx(near + 9 / 2 / 39.948, rel=1e-12)
    assert sim.laws["walls"] == "periodic" and sim.units == "angstrom-ev-amu"
    with pytest.raises(OSError, match="periodic cell.*law="):
        Simulation(path, backend="cpu")
    path.write_text(rows.format("6 0 0 1 6 0 0 0 6"))
    with pytest.raises(OSError, match="slanted"):
        Simulation(path, law=law, backend="cpu")
    x, v = np.array([[0.0, 0, 0], [0.24, 0, 0]]), np.array([[0.5, 0, 0], [-0.5, 0, 0]])
    liquid = Simulation(positions=x, velocities=v, masses=39.948, units="nm-ps-amu", precision="fp64", backend="cpu")
    liquid.save(tmp_path / "liquid.extxyz")
    saved = Simulation(tmp_path / "liquid.extxyz", precision="fp64", backend="cpu")
    assert saved.units == "angstrom-ps-amu"
    np.testing.assert_allclose(saved.positions, 10 * x)
    np.testing.assert_allclose(saved.velocities, 10 * v)
    row = (tmp_path / "liquid.extxyz").read_text().split("\n")[2].split()
    assert float(row[9]) == pytest.approx(39.948 * 5 * 0.0101805057, rel=1e-7)  # its momentum in sqrt(eV u)
    (tmp_path / "b.csv").write_text("# units: kpc-kms-msun\nx,y,z\n0,0,0\n1,0,0\n")
    bodies = Simulation(tmp_path / "b.csv", backend="cpu")
    assert bodies.laws["G"] == pytest.approx(4.30091727e-6) and "every mass is 1" in bodies.notes[0]


def test_options_of_named_scenes_and_files(tmp_path):
    sim = Simulation("plummer:n=50", dt=1 / 512, integrator="yoshida4", backend="cpu")
    assert (sim.dt, sim.integrator) == (1 / 512, "yoshida4")
    auto = Simulation("plummer:n=50", dt="auto", integrator="hermite", eta=0.01, backend="cpu")
    assert (auto.eta, auto.precision) == (0.01, "fp64")
    sim.save(tmp_path / "bodies.npy")
    bodies = Simulation(tmp_path / "bodies.npy", dt=0.125, integrator="symplectic-euler", backend="cpu")
    assert (bodies.dt, bodies.integrator, len(bodies)) == (0.125, "symplectic-euler", 50)


def test_save_says_what_a_format_leaves_out(tmp_path):
    x = np.array([[1.0, 1, 1], [2, 2, 2]])
    sim = Simulation(positions=x, masses=1.0, charges=np.array([1.0, -1]), units="si", box=10, backend="cpu",
                     law=triangulum.law("qi*qj/r; cutoff = 2"))
    with pytest.warns(RuntimeWarning, match="does not store") as seen:
        sim.save(tmp_path / "b.npy")
    assert {str(w.message).split("store ")[1] for w in seen} == {"charges; dropped.", "the units; dropped.",
                                                                  "the periodic box; dropped."}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.save(tmp_path / "b.h5"), sim.save(tmp_path / "b.xyz")


def test_properties():
    sim = Simulation("falling-pile:n=20", map="fold", accumulate="ordered", backend="cpu")
    assert len(sim) == 20 and sim.radii.shape == (20,) and (sim.radii > 0).all()
    assert (sim.map, sim.precision, sim.accumulate, sim.backend) == ("fold", "fp32", "ordered", "cpu")
    assert isinstance(sim.device, str) and sim.device
    assert sim.laws["pair"] == "contact" and sim.laws["walls"] == "reflecting"
    points = Simulation("plummer:n=7", backend="cpu")
    assert points.radii.tolist() == [0] * 7 and points.laws["eps"] == 0.02
    for name in ("laws", "dt", "map", "positions"):
        words = "with sim.arrays" if name == "positions" else "make another simulation"
        with pytest.raises(AttributeError, match=f"^{name} cannot be set; .*{words}"):
            setattr(sim, name, None)
    with pytest.raises(AttributeError, match="velocities cannot be set"):
        sim.velocities *= 0.5


def test_load_goes_on_with_everything(tmp_path, backend):
    path = tmp_path / "run.h5"
    how = dict(accumulate="ordered", map="fold", backend=backend)
    sim = Simulation("kepler:e=0.9", dt="auto", integrator="hermite", eta=0.02, **how)
    sim.step(9)
    sim.save(path)
    again = Simulation.load(path, backend=backend)
    for name in ("steps", "time", "laws", "dt", "eta", "integrator", "map", "precision", "accumulate", "units"):
        assert getattr(again, name) == getattr(sim, name), name
    for name in ("positions", "velocities", "masses", "radii"):
        assert np.array_equal(getattr(again, name), getattr(sim, name))
    assert again.diagnostics == sim.diagnostics
    sim.step(9), again.step(9)
    assert again.hash() == sim.hash() and again.time == sim.time


def test_load_refuses_what_is_no_run(tmp_path):
    sim = Simulation("plummer:n=9", backend="cpu")
    sim.save(tmp_path / "bodies.npy")
    sim.save(tmp_path / "run.h5")
    (tmp_path / "broken.h5").write_bytes((tmp_path / "run.h5").read_bytes()[:-700])
    errors = {"plummer": OSError, "bodies.npy": ValueError, "nowhere.h5": OSError, "broken.h5": OSError}
    for path, error in errors.items():
        with pytest.raises(error, match=path):
            Simulation.load(tmp_path / path, backend="cpu")
    with pytest.raises(ValueError, match="goes on with its own dt"):
        Simulation(tmp_path / "run.h5", dt=0.5, backend="cpu")


def given(**more):
    return dict(positions=TRIANGLE, masses=np.ones(3)) | more


REFUSED = (
    (TypeError, "there are no bodies; give a scene", {}), (TypeError, "masses is missing", dict(positions=TRIANGLE)),
    (TypeError, "positions is of bodies given as arrays", dict(scene="kepler", positions=TRIANGLE)),
    (TypeError, "laws is of bodies given as arrays; a scene takes keys", dict(scene="kepler", laws={"eps": 0.1})),
    (TypeError, "radii is of bodies", dict(scene="kepler", radii=1.0)),
    (TypeError, "scene is a ndarray", dict(scene=TRIANGLE)),
    (TypeError, "positions is a list", given(positions=TRIANGLE.tolist())),
    (TypeError, "positions has dtype object; give float32 or float64", given(positions=TRIANGLE.astype(object))),
    (ValueError, r"positions has shape \(3, 2\); give \(n, 3\)", given(positions=TRIANGLE[:, :2].copy())),
    (ValueError, r"positions has shape \(9,\)", given(positions=TRIANGLE.ravel())),
    (ValueError, "body 1 has y = nan", given(positions=np.array([[0.0, 0, 0], [1, np.nan, 0]]), masses=1.0)),
    (ValueError, "no bodies|at least one", given(positions=np.zeros((0, 3)), masses=1.0)),
    (ValueError, "velocities has 2 rows and there are 3 bodies", given(velocities=TRIANGLE[:2])),
    (ValueError, "body 0 has vx = inf", given(velocities=np.full((3, 3), np.inf))),
    (ValueError, "masses has length 2 and there are 3 bodies", given(masses=np.ones(2))),
    (ValueError, r"masses has shape \(3, 1\)", given(masses=np.ones((3, 1)))),
    (ValueError, "body 2 has m = -1; a mass may not be negative", given(masses=np.array([1.0, 0, -1]))),
    (TypeError, "masses is a str", given(masses="1")),
    (ValueError, "body 0 has r = -0.5; a radius may not be negative", given(radii=-0.5)),
    (ValueError, "key dt is given twice", given(dt=1.0, laws={"pair": "gravity", "dt": 5})),
    (ValueError, "precision is given twice, .*; keep one", given(precision="fp32", laws={"precision": "fp64"})),
    (ValueError, "precision is given twice", dict(scene="plummer:n=9,precision=fp64", precision="fp32")),
    (ValueError, "map is a map of triples, which", given(map=triangulum.maps["bb", "triples"])),
    (ValueError, "key units is given twice", given(units="si", laws={"pair": "gravity", "units": "nbody"})),
    (ValueError, "key integrator is given twice", given(integrator="kdk", laws={"integrator": "hermite"})),
    (TypeError, "field is -9.81; give three numbers", given(laws={"field": -9.81})),
    (TypeError, "radii has dtype complex64", given(radii=np.ones(3, np.complex64))),
    (TypeError, "laws is a str; give a dict", given(laws="gravity")),
    (ValueError, "gravty", given(laws={"pair": "gravty"})),
    (ValueError, "unknown .*'softening'.*", given(laws={"softening": 0.1})),
    (ValueError, "eps = '-1', but it must be", given(laws={"eps": -1})),
    (ValueError, "eps = 'nan'", given(laws={"eps": float("nan")})),
    (ValueError, "shifted = '3'", given(laws={"shifted": 3})),
    (TypeError, "low is .*three numbers", given(laws={"low": [0, 0]})),
    (TypeError, r"laws\['eps'\] is None", given(laws={"eps": None})),
    (TypeError, "laws has the key 3", given(laws={3: 1})),
    (ValueError, "periodic walls with gravity", given(box=4.0)), (ValueError, "box has a side of 0", given(box=0.0)),
    (TypeError, "box is 'wide'", given(box="wide")),
    (ValueError, "outside the reflecting walls", given(laws={"walls": "reflecting"})),
    (ValueError, "epsilon belongs to lennard-jones, and the law", given(laws={"pair": "gravity", "epsilon": 1})),
    (ValueError, "eps belongs to gravity, and the law", given(laws={"pair": "lennard-jones", "eps": 0.1})),
    (ValueError, "restitution belongs to contact with response", given(laws={"pair": "contact", "restitution": 0.5})),
    (ValueError, "high is a corner of walls", given(laws={"high": [1, 1, 1]})),
    (ValueError, "3 of 3 bodies have no mass", given(masses=0.0, law="lennard-jones")),
    (ValueError, "shifted belongs to lennard-jones with cutoff above 0", given(laws={"pair": "lennard-jones", "shifted": True})),
    (ValueError, "dt = '-1'", given(dt=-1)), (ValueError, "dt is 'soon'; give a number, or 'auto'", given(dt="soon")),
    (ValueError, "dt = 'nan'", given(dt=float("nan"))),
    (ValueError, "eta is of automatic steps", given(dt=0.1, eta=0.1)),
    (ValueError, "integrator = 'euler'", given(integrator="euler")),
    (ValueError, "units = 'furlong'|furlong", given(units="furlong")),
    (ValueError, "hermite", given(integrator="hermite", laws={"pair": "lennard-jones"})),
    (ValueError, "unknown map", given(map="lamda")), (ValueError, "backend is 'tpu'", given(backend="tpu")),
    (TypeError, "unexpected keyword", given(mass=1.0)),
)


@pytest.mark.parametrize("error, words, arguments", REFUSED)
def test_refusals_say_what_to_do(error, words, arguments):
    with pytest.raises(error, match=words):
        Simulation(**{"backend": "cpu", **arguments})


@pytest.mark.filterwarnings("ignore:nanobind")
def test_an_object_that_was_not_made_refuses():
    sim = Simulation.__new__(Simulation)
    for call in (lambda: sim.step(), lambda: sim.positions, lambda: len(sim), lambda: repr(sim)):
        with pytest.raises((TypeError, RuntimeError)):
            call()
