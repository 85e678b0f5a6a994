"""triangulum.ase against ASE's own Lennard-Jones calculator and finite differences of the energy."""

import numpy as np
import pytest

ase = pytest.importorskip("ase")

from ase.build import bulk  # noqa: E402
from ase.calculators.lj import LennardJones  # noqa: E402
from ase.md.verlet import VelocityVerlet  # noqa: E402
from triangulum.ase import Calculator  # noqa: E402

ARGON = dict(epsilon=0.0104, sigma=3.4, cutoff=9.0, shifted=True, backend="cpu")


def argon(repeat=4, pbc=True):
    atoms = bulk("Ar", "fcc", a=5.3, cubic=True).repeat(repeat)
    atoms.pbc = pbc
    atoms.rattle(0.15, seed=3)
    return atoms


@pytest.mark.parametrize("pbc", (False, True))
def test_lennard_jones_is_that_of_ase(pbc):
    atoms = argon(pbc=pbc)
    atoms.calc = LennardJones(epsilon=0.0104, sigma=3.4, rc=9.0)
    energy, forces = atoms.get_potential_energy(), atoms.get_forces()
    atoms.calc = Calculator(**ARGON)
    assert atoms.get_potential_energy() == pytest.approx(energy, rel=1e-12)
    np.testing.assert_allclose(atoms.get_forces(), forces, rtol=1e-9, atol=1e-12)


def test_atoms_outside_a_periodic_cell():
    atoms = argon()
    atoms.calc = Calculator(**ARGON)
    energy = atoms.get_potential_energy()
    atoms.positions += 3 * atoms.cell.lengths() * np.random.default_rng(1).integers(-1, 2, (len(atoms), 3))
    assert atoms.get_potential_energy() == pytest.approx(energy, rel=1e-9)


@pytest.mark.parametrize(
    "law, options, repeat",
    (
        ("lennard-jones", ARGON, 4), ("axilrod-teller", dict(nu=50.0, backend="cpu"), 1),
        ("gravity", dict(G=1e-3, eps=0.5, backend="cpu"), 1),
        ({"pair": "lennard-jones", "sigma": 3.4, "triple": "axilrod-teller", "nu": 50.0}, dict(backend="cpu"), 1),
    ),
)
def test_forces_are_the_negative_gradient(law, options, repeat):
    atoms = argon(repeat, pbc=repeat == 4)
    atoms.calc = Calculator(law, **options)
    forces, h = atoms.get_forces(), 1e-4
    assert np.abs(forces).max() > 1e-8
    for atom, axis in ((0, 0), (1, 1), (3, 2)):
        ends = []
        for sign in (1, -1):
            moved = atoms.copy()
            moved.calc = Calculator(law, **options)
            moved.positions[atom, axis] += sign * h
            ends.append(moved.get_potential_energy())
        expected = (ends[1] - ends[0]) / (2 * h)
        assert forces[atom, axis] == pytest.approx(expected, rel=1e-5, abs=1e-7 * np.abs(forces).max())


def test_gravity_takes_the_masses_of_the_atoms():
    atoms = ase.Atoms("ArNe", [(0, 0, 0), (0, 0, 2.0)], calculator=Calculator("gravity", G=0.5, backend="cpu"))
    product = float(np.prod(atoms.get_masses()))
    assert atoms.get_potential_energy() == pytest.approx(-0.5 * product / 2.0, rel=1e-12)
    np.testing.assert_allclose(atoms.get_forces()[0], [0, 0, 0.5 * product / 4.0], rtol=1e-12)


def test_motion_conserves_energy():
    atoms = argon(2, pbc=False)
    atoms.calc = Calculator(**ARGON)
    before = atoms.get_total_energy()
    VelocityVerlet(atoms, timestep=2 * ase.units.fs).run(100)
    assert atoms.get_kinetic_energy() > 1e-3
    assert atoms.get_total_energy() == pytest.approx(before, abs=1e-4)


def test_results_are_kept_until_atoms_move():
    atoms = argon(1, pbc=False)
    atoms.calc = Calculator(**ARGON)
    first = atoms.get_potential_energy()
    assert atoms.get_potential_energy() == first and not atoms.calc.calculation_required(atoms, ["forces"])
    atoms.positions[0] += 0.3
    assert atoms.get_potential_energy() != first


def cell(atoms, array):
    atoms.cell = array
    return atoms


@pytest.mark.parametrize(
    "atoms, law, options, words",
    (
        (argon(pbc=(True, True, False)), "lennard-jones", ARGON, "all three"),
        (cell(argon(), [[21, 0, 0], [1, 21, 0], [0, 0, 21]]), "lennard-jones", ARGON, "right angles"),
        (cell(argon(), [0, 0, 0]), "lennard-jones", ARGON, "right angles"), (argon(), "gravity", {}, "periodic"),
        (argon(), "axilrod-teller", {}, "periodic"), (argon(), "lennard-jones", {}, "cutoff"),
        (argon(1), "lennard-jones", ARGON, "cutoff"), (argon(), "lennard-johns", {}, "one of none, gravity"),
    ),
)
def test_refusals(atoms, law, options, words):
    atoms.calc = Calculator(law, **options)
    with pytest.raises(ValueError, match=words):
        atoms.get_potential_energy()


@pytest.mark.parametrize("name", ("energy", "box", "velocities"))
def test_what_the_atoms_say_is_no_option(name):
    with pytest.raises(TypeError, match=f"{name} comes from the atoms"):
        Calculator("lennard-jones", **{name: 1})


def test_what_changes_is_computed_anew():
    atoms = argon(2, False)
    atoms.calc = Calculator("gravity", G=1.0, eps=0.1, backend="cpu")
    before = atoms.get_potential_energy()
    atoms.set_masses(2 * atoms.get_masses())
    assert atoms.get_potential_energy() == pytest.approx(4 * before, rel=1e-12)
    atoms.calc.set(G=3.0)
    assert atoms.get_potential_energy() == pytest.approx(12 * before, rel=1e-12)
    assert atoms.calc.todict() == {"G": 3.0, "eps": 0.1, "backend": "cpu"}
    atoms.calc = Calculator("qi*qj/r", backend="cpu")
    atoms.set_initial_charges([1, -1] * (len(atoms) // 2))
    before = atoms.get_potential_energy()
    atoms.calc.set(law="2*qi*qj/r")
    assert atoms.get_potential_energy() == pytest.approx(2 * before, rel=1e-12)
    with pytest.raises(TypeError, match="box comes from the atoms"):
        atoms.calc.set(box=1.0)
