"""Typed laws: the text of an energy with parameters as keywords, in forces and simulations."""

import os
import subprocess
import sys

import numpy as np
import pytest

import triangulum as tri

LJ = "4*eps*((s/r)^12 - (s/r)^6)"
NEWTON = "-G*mi*mj/r; G = 6.674e-11"


@pytest.fixture
def lattice():
    cells = np.stack(np.meshgrid(*[np.arange(3.0)] * 3), -1).reshape(-1, 3)
    return 1.1 * cells + 0.1 * np.random.default_rng(1).uniform(-1, 1, cells.shape)


def test_a_retyped_law_is_the_law(lattice, backend):
    typed = tri.forces(lattice, 1.0, tri.law(LJ, eps=1.2, s=0.9), energy=True, backend=backend)
    own = tri.forces(lattice, 1.0, "lennard-jones", epsilon=1.2, sigma=0.9, energy=True, backend=backend)
    np.testing.assert_allclose(typed[0], own[0], rtol=0, atol=1e-11 * np.abs(own[0]).max())
    assert typed[1] == pytest.approx(own[1], rel=1e-12)
    by_keywords = tri.forces(lattice, 1.0, LJ, eps=1.2, s=0.9, backend=backend)
    np.testing.assert_allclose(by_keywords, typed[0], atol=1e-12)
    in_dict = tri.forces(lattice, 1.0, {"pair": tri.law(LJ, eps=1.2, s=0.9)}, backend=backend)
    np.testing.assert_allclose(in_dict, typed[0], atol=1e-12)


def test_charges_and_triples(lattice, backend):
    q = np.where(np.arange(27) % 2 == 0, 1.0, -1.0)
    f = tri.forces(lattice, 1.0, "qi*qj/r", charges=q, backend=backend)
    d = lattice[None] - lattice[:, None]
    r = np.linalg.norm(d, axis=-1)
    np.fill_diagonal(r, np.inf)
    np.testing.assert_allclose(f, -(q[:, None, None] * q[None, :, None] * d / r[..., None] ** 3).sum(1), atol=1e-12)
    with pytest.raises(ValueError, match="charges"):
        tri.forces(lattice, 1.0, "qi*qj/r", backend=backend)
    own = tri.forces(lattice, 1.0, "axilrod-teller", nu=0.5, backend=backend)
    text = "nu*(1 + 3*x*y*z/(8*a^2*b^2*c^2))/(a*b*c)^3; x = a^2+b^2-c^2; y = b^2+c^2-a^2; z = c^2+a^2-b^2"
    typed = tri.forces(lattice, 1.0, tri.law(text, over="triples", nu=0.5), backend=backend)
    np.testing.assert_allclose(typed, own, rtol=0, atol=1e-11 * np.abs(own).max())


def test_keywords_replace_and_add_parameters():
    assert tri.law("k*r^2; k = 1", k=2) == "k*r^2; k = 2.0"
    assert tri.law("k*r^2\nk=1\n", k=0.1) == "k*r^2\nk= 0.1\n"
    assert tri.law("k*r^2;", k=3, cutoff=2) == "k*r^2; k = 3.0; cutoff = 2.0"
    assert tri.law("-1/r", cutoff=2, shifted=True).endswith("shifted = 1.0")
    assert isinstance(tri.law("-1/r"), tri.Law)


def test_simulations_take_laws(lattice, backend):
    law = tri.law(LJ, eps=1, s=1)
    typed = tri.Simulation(positions=lattice, masses=1.0, law=law, dt=1e-3, precision="fp64", backend=backend)
    own = tri.Simulation(positions=lattice, masses=1.0, laws={"pair": "lennard-jones"}, dt=1e-3, precision="fp64",
                         backend=backend)
    typed.step(50), own.step(50)
    np.testing.assert_allclose(typed.positions, own.positions, atol=1e-10)
    assert typed.laws["pair"].startswith("4*eps*")
    scene = tri.Simulation("plummer:n=50", law="-G*mi*mj/r; G = 1; softening = 0.02", precision="fp64", backend=backend)
    same = tri.Simulation("plummer:n=50", precision="fp64", backend=backend)
    scene.step(20), same.step(20)
    np.testing.assert_allclose(scene.positions, same.positions, atol=1e-11)


def test_parameters_are_keywords(lattice, backend):
    def sim(*scene, **given):
        bodies = {} if scene else {"positions": lattice, "masses": 1.0}
        return tri.Simulation(*scene, **bodies, **given, dt=1e-3, precision="fp64", backend=backend)

    for own, same in (
        (sim(law="lennard-jones", sigma=0.9), sim(laws={"pair": "lennard-jones", "sigma": 0.9})),
        (sim(eps=0.5), sim(laws={"eps": 0.5})),
        (sim(law="axilrod-teller", nu=0.5), sim(laws={"pair": "none", "triple": "axilrod-teller", "nu": 0.5})),
        (sim(law=LJ, eps=1, s=0.9), sim(law=tri.law(LJ, eps=1, s=0.9))),
        (sim("plummer:n=50", eps=0.5), sim("plummer:n=50,eps=0.5")),
    ):
        own.step(20), same.step(20)
        assert (own.positions == same.positions).all()
    lj = sim("plummer:n=50", law="lennard-jones", sigma=0.1, cutoff=0.5, shifted=True)
    assert lj.laws["sigma"] == 0.1 and lj.laws["shifted"] is True
    hard = sim("falling-pile:n=9", response="impulses", restitution=0.25)
    assert hard.laws["response"] == "impulses" and hard.laws["restitution"] == 0.25
    for scene, given, error, words in (
        ((), {"law": "gravity", "sigma": 2}, ValueError, "sigma belongs to lennard-jones"),
        (("plummer:n=9",), {"sigma": 2}, ValueError, "sigma belongs to lennard-jones"),
        (("plummer:n=9",), {"sigmar": 2}, TypeError, "unexpected keyword 'sigmar'"),
        ((), {"laws": {"pair": "gravity"}, "eps": 2}, TypeError, "'eps' belongs into it"),
        (("plummer:n=9",), {"law": "lennard-jones", "sigma": -1}, ValueError, "more than 0"),
        (("plummer:n=9",), {"law": "none", "accumulate": "ordered"}, ValueError, "no law gives any"),
    ):
        with pytest.raises(error, match=words):
            sim(*scene, **given)


def test_what_float32_loses_runs_in_float64(lattice):
    typed = tri.Simulation(positions=1e11 * lattice, masses=1e25, law=NEWTON, dt=1e5, backend="cpu")
    own = tri.Simulation(positions=1e11 * lattice, masses=1e25, units="si", dt=1e5, backend="cpu")
    assert typed.precision == own.precision == "fp64"
    typed.step(20), own.step(20)
    assert np.abs(typed.velocities).max() > 0
    np.testing.assert_allclose(typed.velocities, own.velocities, rtol=1e-3, atol=1e-9)


def test_snapshots_keep_them(lattice, tmp_path):
    sim = tri.Simulation(positions=lattice, masses=1.0, law=tri.law(LJ, eps=1 / 3, s=1), dt=1e-3, backend="cpu")
    sim.step(10)
    sim.save(str(tmp_path / "s.h5"))
    again = tri.Simulation(str(tmp_path / "s.h5"), backend="cpu")
    sim.step(10), again.step(10)
    assert (sim.positions == again.positions).all()


@pytest.mark.parametrize(
    "make, error, words",
    [
        (lambda x: tri.law("4*epz/r", eps=1), ValueError, "epz"),
        (lambda x: tri.law("mi/r"), ValueError, "change places"), (lambda x: tri.law(3), TypeError, "text"),
        (lambda x: tri.law("k/r", k="one"), TypeError, "number"),
        (lambda x: tri.law("1/r", over="quadruples"), ValueError, "triples"),
        (lambda x: tri.forces(x, 1.0, "1/r + "), ValueError, "line 1"),
        (lambda x: tri.forces(x, 1.0, "k/r", q=1), ValueError, "'k'"),
        (lambda x: tri.forces(x, 1.0, "gravitation"), ValueError, "gravity"),
        (lambda x: tri.forces(x, 1.0, "(ri + rj)*r"), ValueError, "reads the radii"),
        (lambda x: tri.law("-min(mi, 10)*mj/r"), ValueError, "change places"),
        (lambda x: tri.forces(np.float32(1e11 * x), np.float32(1e25), NEWTON), ValueError, "lost in float32"),
        (lambda x: tri.Simulation(positions=1e11 * x, masses=1e25, law=NEWTON, precision="fp32"), ValueError, "lost"),
        (lambda x: tri.Simulation(positions=x, masses=1.0, law=3), TypeError, "law"),
        (lambda x: tri.Simulation(positions=x, masses=1.0, law="1/r", laws={"pair": "gravity"}), ValueError, "short"),
    ],
)
def test_refusals(lattice, make, error, words):
    with pytest.raises(error, match=words):
        make(lattice)


LINE = """name = "line"
domain = "pairs"
launch = ["m*(m + 1)/2"]
tile = """ + "\"\"\"\n  row = (isqrt(8*w + 1) - 1)/2\n  col = w - row*(row + 1)/2\n\"\"\"\n"

FORCES = "tri.forces(x, 1.0, 'k*log(r^2 + 0.01); k = 2', backend='cuda')"
PROGRAMS = {
    "forces": (FORCES, 0),
    "step": ("tri.Simulation('plummer:n=300', law='k*log(r^2 + 0.01); k = 2', backend='cuda').step(3)", 0),
    "made": ("sim = tri.Simulation('plummer:n=300', law='k*log(r^2 + 0.01); k = 2', backend='cuda')", 0),
    "triples": ("tri.forces(x, 1.0, tri.law('k/(a*b*c)', over='triples', k=1), backend='cuda')", 0),
    "map": ("tri.pdist(x, map=tri.maps.open('line.toml'), backend='cuda')", 0),
    "sys.exit": (FORCES + "; sys.exit(3)", 3), "exception": (FORCES + "; 1 / 0", 1),
    "thread": ("t = threading.Thread(target=lambda: " + FORCES + "); t.start(); t.join()", 0),
    "running thread": ("threading.Thread(target=lambda: " + FORCES + ").start()", 0),
}


@pytest.mark.parametrize("kept", (False, True))
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_with_compiled_kernels_end_as_they_should(name, kept, gpu, tmp_path):
    (tmp_path / "line.toml").write_text(LINE)
    text, code = PROGRAMS[name]
    program = "import sys, threading, numpy as np, triangulum as tri\nx = np.random.default_rng(1).random((300, 3))\n"
    for _ in range(1 + kept):
        done = subprocess.run([sys.executable, "-c", program + text], cwd=tmp_path, capture_output=True, text=True,
                              timeout=120, env=dict(os.environ, TRI_CACHE=str(tmp_path)))
        assert done.returncode == code, (done.returncode, done.stderr)
