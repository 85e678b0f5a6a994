"""Triangulum's laws as a calculator of ASE.

    from triangulum.ase import Calculator

    atoms.calc = Calculator("lennard-jones", epsilon=0.0104, sigma=3.4, cutoff=8.5, shifted=True)
    atoms.get_potential_energy()

Units are ASE's: eV, Angstrom and u. So epsilon is in eV, sigma and cutoff are in Angstrom, nu is in eV Angstrom^9, eps in
Angstrom, and G in eV Angstrom / u^2. With shifted=True and cutoff = 3 sigma, energies are those of ase.calculators.lj.
"""

from __future__ import annotations

import re

import numpy as np
from ase.calculators import calculator

import triangulum

__all__ = ["Calculator"]


class Calculator(calculator.Calculator):
    """Energy and forces of atoms by a law of triangulum.forces, in float64.

    law: 'lennard-jones', 'axilrod-teller', 'gravity', ..., with its parameters as keywords; or a dict of both laws:
    {'pair': 'lennard-jones', 'sigma': 3.4, 'cutoff': 8.5, 'triple': 'axilrod-teller', 'nu': 73.2}.
    A law that reads qi and qj has the atoms' initial charges.
    options: parameters of the law, and map, block, accumulate, pairs, tolerance and backend as in triangulum.forces.

    A periodic cell has right angles, its vectors along x, y and z, and pbc in all three: each pair acts between nearest
    images, so the law has to end within half of the shortest side. Other cells, and laws without an end in a periodic
    one, are a ValueError.
    """

    implemented_properties = ["energy", "free_energy", "forces"]

    def __init__(self, law="lennard-jones", **options):
        self.law, self.options = law, {}
        super().__init__()
        self.set(**options)

    def set(self, **options):
        """Other options, or another law, from here on; returns them."""
        for name in ("energy", "box", "velocities"):
            if name in options:
                raise TypeError(f"{name} comes from the atoms, and the calculator takes none; leave it out.")
        super().set(**options)
        self.law = options.get("law", self.law)
        self.options |= {name: value for name, value in options.items() if name != "law"}
        self.reset()
        return options

    def check_state(self, atoms, tol=1e-15):
        """Masses are among what a result depends on, unlike in ASE's own."""
        changes = super().check_state(atoms, tol)
        if self.atoms is not None and not np.array_equal(self.atoms.get_masses(), atoms.get_masses()):
            changes.append("masses")
        return changes

    def calculate(self, atoms=None, properties=("energy",), system_changes=calculator.all_changes):
        super().calculate(atoms, properties, system_changes)
        x, m = (np.ascontiguousarray(a, np.float64) for a in (self.atoms.positions, self.atoms.get_masses()))
        charges = self.atoms.arrays.get("initial_charges") if _reads_charges(self.law) else None
        columns = {"charges": charges, **self.options}
        forces, energy = triangulum.forces(x, m, self.law, energy=True, box=_box(self.atoms), **columns)
        self.results = {"energy": energy, "free_energy": energy, "forces": forces}


def _reads_charges(law) -> bool:
    return any(re.search(r"\bq[ij]\b", str(text)) for text in (law.values() if isinstance(law, dict) else (law,)))


def _box(atoms) -> tuple[float, ...] | None:
    """The sides of the periodic cell; None for atoms in open space."""
    if not atoms.pbc.any():
        return None
    if not atoms.pbc.all():
        raise ValueError(f"pbc is {atoms.pbc.tolist()}; give True to all three, or to none: atoms.pbc = True.")
    sides = atoms.cell.diagonal()
    if not np.array_equal(atoms.cell.array, np.diag(sides)) or not (sides > 0).all():
        raise ValueError(
            f"the cell is {atoms.cell.tolist()}; give one with right angles, whose vectors lie along x, y and z."
        )
    return tuple(map(float, sides))
