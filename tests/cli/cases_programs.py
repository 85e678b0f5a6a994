"""Cases of the command line: other programs open our files and find the same bodies. Each is skipped where the Python
that has these libraries (Debian: python3-yt, python3-ase) is not there."""

import json
import subprocess

from harness import case, expect, expect_near, skip

PYTHONS = ("python3", "/usr/bin/python3")


def in_python(library, script, *arguments):
    """Runs a script in a Python that has the library; returns what it prints as JSON."""
    for python in PYTHONS:
        try:
            if subprocess.run([python, "-c", f"import {library}"], capture_output=True).returncode == 0:
                break
        except FileNotFoundError:
            continue
    else:
        skip(f"no Python here has {library}")
    done = subprocess.run([python, "-c", script, *arguments], capture_output=True, text=True, timeout=250)
    expect(done.returncode == 0, done.stderr[-3000:])
    return json.loads(done.stdout.splitlines()[-1])


YT = """
import json, sys, h5py, numpy, yt
yt.set_log_level(50)
name = sys.argv[1]
header = h5py.File(name)["Header"].attrs
units = {k: float(v) for k, v in header.items() if k.startswith("Unit") and k != "UnitSystem"}
ds = yt.load(name, unit_base=units or None)
mass = ("PartType1", "particle_mass")
plot = yt.ParticleProjectionPlot(ds, "z", mass, center=[0, 0, 0], width=(4, "code_length"))
plot.save("plot.png")
drawn = float(numpy.nansum(plot.frb[mass].to("code_mass").value))
inside = ds.sphere(ds.arr([0, 0, 0], "code_length"), (1.0, "code_length"))["PartType1", "Masses"]
around = ds.sphere(ds.arr([1, 0, 0], "code_length"), (1.0, "code_length"))["PartType1", "Masses"]
print(json.dumps({"all": len(ds.all_data()["PartType1", "Masses"]), "inside": len(inside), "around": len(around),
                  "drawn": drawn, "width": float(ds.domain_width[0].to("code_length")),
                  "kpc": float(ds.length_unit.to("kpc")), "Msun": float(ds.mass_unit.to("Msun")),
                  "kms": float(ds.velocity_unit.to("km/s"))}))
"""


@case
def yt(tri):
    """Plots and sphere() of a snapshot, whose bodies lie about the origin."""
    tri.run("run", "plummer:n=400,units=kpc-kms-msun", "--steps", "1", "-o", "p.hdf5")
    tri.run("convert", "p.hdf5", "p.csv")
    places = [[float(v) for v in line.split(",")[:3]] for line in open("p.csv") if line[0] not in "#x"]

    def within(x):
        return sum((p[0] - x) ** 2 + p[1] ** 2 + p[2] ** 2 < 1 for p in places)

    seen = in_python("yt", YT, "p.hdf5")
    expect(seen["all"] == 400 and seen["inside"] == within(0) and seen["around"] == within(1), (seen, within(0)))
    farthest = max(abs(c) for p in places for c in p)
    expect(4 * farthest <= seen["width"] <= 8 * farthest, (seen["width"], farthest))
    drawn = sum(abs(p[0]) < 2 and abs(p[1]) < 2 for p in places) / 400
    expect_near(seen["drawn"], drawn, 0.01, "mass in the plot")
    expect_near(seen["kpc"], 1, 1e-6, "unit of length in kpc")
    expect_near(seen["Msun"], 1, 1e-3, "unit of mass in solar masses")
    expect_near(seen["kms"], 1, 1e-6, "unit of velocity in km/s")


ASE = """
import json, sys, ase.io, ase.units
a = ase.io.read(sys.argv[1], format="extxyz")
v = a.get_velocities() * 1000 * ase.units.fs  # in Angstrom / ps
print(json.dumps({"symbols": a.get_chemical_symbols(), "places": a.get_positions().tolist(), "velocities": v.tolist(),
                  "masses": a.get_masses().tolist(), "cell": a.cell.lengths().tolist(), "pbc": a.pbc.tolist(),
                  "info": {k: str(x) for k, x in a.info.items()}}))
ase.io.write("again.extxyz", ase.Atoms(a.get_chemical_symbols(), a.get_positions(), cell=[20, 20, 20], pbc=True,
                                       velocities=a.get_velocities()), format="extxyz")
"""


@case
def ase(tri):
    """Species, masses, velocities and units of atoms, there and back."""
    tri.run("convert", "argon-crystal:n=32,units=angstrom-ps-amu", "a.extxyz")
    tri.run("convert", "a.extxyz", "a.csv")
    rows = [[float(v) for v in line.split(",")] for line in open("a.csv") if line[0] not in "#x"]
    seen = in_python("ase.io", ASE, "a.extxyz")
    expect(seen["symbols"] == ["Ar"] * 32 and seen["masses"] == [39.948] * 32, seen["symbols"][:3])
    expect(seen["info"]["units"] == "angstrom-ps-amu", seen["info"])
    for row, place, velocity in zip(rows, seen["places"], seen["velocities"]):
        expect(place == row[:3], (place, row))
        for got, want in zip(velocity, row[5:8]):
            expect_near(got, want, 1e-5 * abs(want) + 1e-9, "a velocity")
    # What ASE writes has no masses: they follow from the species. The cell stays.
    _, err = tri.run("convert", "again.extxyz", "b.extxyz")
    expect("not used" not in err, err)
    head = open("b.extxyz").read().split("\n")[1:3]
    expect('Lattice="20 0 0 0 20 0 0 0 20"' in head[0] and 'pbc="T T T"' in head[0] and head[1].startswith("Ar "), head)
    tri.run("convert", "again.extxyz", "b.csv")
    back = [[float(v) for v in line.split(",")] for line in open("b.csv") if line[0] not in "#x"]
    expect(all(b[3] == 39.948 for b in back), back[0])
    for b, row in zip(back, rows):
        expect_near(b[5], row[5] * 0.0101805057, 1e-6, "a velocity in ASE's unit of time")
