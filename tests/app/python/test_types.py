"""What type checkers say of users' programs: nothing of right ones, and where wrong ones are wrong. Neither is run."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import triangulum

RIGHT = """
import numpy as np
from numpy.typing import NDArray
import triangulum as tr

x32 = np.zeros((4, 3), np.float32)
x64 = np.zeros((4, 3), np.float64)
whole = np.zeros((4, 3), np.int64)

d32: NDArray[np.float32] = tr.pdist(x32)
d64: NDArray[np.float64] = tr.pdist(x64, layout="square")
dw: NDArray[np.float64] = tr.pdist(whole)
into: NDArray[np.float64] = tr.pdist(x32, out=np.zeros(6))
(distances,) = tr.pdist(x32, "E").shape
pairs: NDArray[np.int64] = tr.contacts(x32, 0.1)
touching: int = len(tr.contacts(x64, np.float32(0.1), box=np.int64(1)))
counts: NDArray[np.int64] = tr.contacts(x64, np.ones(4), box=(1.0, 1.0, 1.0), per_body=True)
f: NDArray[np.float32] = tr.forces(x32, 1.0, "gravity", eps=np.float32(0.1))
g, u = tr.forces(x64, np.ones(4), "lennard-jones", energy=True, cutoff=2.5, shifted=True)
g64: NDArray[np.float64] = g
energy: float = u
h: NDArray[np.float64] = tr.forces(whole, 1.0, {"pair": "gravity"}, box=5)
by_tree: NDArray[np.float32] = tr.forces(x32, 1.0, "gravity", pairs="tree", tolerance=3e-5)
fi, ui = tr.forces(whole, 1, tr.law("-mi*mj/r"), energy=True)

def either(flag: bool) -> None:
    r = tr.forces(x64, 1.0, "gravity", energy=flag)
    if isinstance(r, tuple):
        v: float = r[1]
    else:
        w: NDArray[np.float64] = r

n, outside = tr.triplets(x64, [0, 1, 2])
sim = tr.Simulation(positions=x64, masses=1.0, velocities=x32, radii=0.5, charges=np.ones(4), box=(1, 2, 3))
sim.step(np.int64(3))
sim.step()
steps: int = sim.run(until=np.float32(2.5))
e: float = sim.energy()
t: float = sim.time
p: NDArray[np.float64] = sim.positions
q: NDArray[np.float64] | None = sim.charges
with sim.arrays() as a:
    a.velocities *= 0.5
sim.save("run.h5")
again: tr.Simulation = tr.Simulation.load("run.h5", backend="cpu")
m = tr.maps["lambda"](4)
tiles: NDArray[np.int64] = m.tiles()
ok = m.verify()["passed"]
w_: float = m.waste
count: int = len(m)
first: tuple[int, ...] | None = m.tile(0)
rows = tr.bench("edm", n=[256], map=["bb"], backend="cpu")
label: str = rows[0]["map"]
checks = tr.verify(backend="cpu")
names = [row["name"] for row in tr.maps()]
scenes: list[dict[str, str]] = tr.scenes()
version: str = tr.__version__
notes: list[str] = list(sim.notes)
diag: float = sim.diagnostics["energy"]
"""

# One error in each line after the third.
WRONG = """import numpy as np, triangulum as tr
from numpy.typing import NDArray
x = np.zeros((4, 3), np.float32)
a: NDArray[np.float32] = tr.contacts(x, 0.1)
b: NDArray[np.float32] = tr.forces(x, 1.0, "gravity", energy=True)
c: float = tr.forces(x, 1.0, "gravity")
e = tr.pdist(x, layout="upper")
f = tr.pdist(x, backend="gpu")
g: NDArray[np.float64] = tr.forces(x, 1.0, "gravity")
h = tr.Simulation(positions=x, masses="heavy")
"""


def errors_of(command, tmp_path, text):
    """The lines in which a checker finds errors."""
    program = tmp_path / "program.py"
    program.write_text(text)
    package = str(Path(triangulum.__file__).parents[1])
    paths = {"MYPYPATH": package, "PYTHONPATH": package}
    environment = {**os.environ, **paths}
    said = subprocess.run([*command, program], capture_output=True, text=True, cwd=tmp_path, env=environment).stdout
    return sorted({int(line) for line in re.findall(r"program\.py:(\d+)(?::\d+)?(?:: | - )error", said)}), said


def mypy():
    pytest.importorskip("mypy")
    return [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--no-incremental"]


def pyright():
    if shutil.which("pyright") is None:
        pytest.skip("pyright is not here")
    return ["pyright", "--pythonpath", sys.executable]


@pytest.mark.parametrize("checker", (mypy, pyright))
def test_users_programs(checker, tmp_path):
    command = checker()
    lines, said = errors_of(command, tmp_path, RIGHT)
    assert not lines, said
    lines, said = errors_of(command, tmp_path, WRONG)
    assert lines == list(range(4, 11)), said
