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


@case
def files_of_others(tri):
    """Cells, units and columns of other programs' files act in every command, or are refused with a sentence."""
    law = ["--law", "lennard-jones", "--epsilon", "0.0104", "--sigma", "3.4", "--cutoff", "5.2"]
    typed = ["--law", "4*epsilon*((sigma/r)^12-(sigma/r)^6); epsilon=0.0104; sigma=3.4; cutoff=5.2", "--steps", "0"]
    argon, slab = tri.file("foreign/ase_argon.extxyz"), tri.file("foreign/ase_slab.extxyz")
    text = open(argon).read()
    files = {argon: -1.88767654}
    for name, pbc, energy in (("ones", 'pbc="1 1 1"', -1.88767654), ("list", "pbc=[T, T, T]", -1.88767654),
                              ("open", 'pbc="F F F"', None)):
        open(name + ".extxyz", "w").write(text.replace('pbc="T T T"', pbc))
        files[name + ".extxyz"] = energy
    for name, energy in files.items():
        out, _ = tri.run("compute", "forces", name, "-o", "f.npy", "--json", *law)
        got = json.loads(out)["energy"]
        expect(energy is None or abs(got - energy) < 1e-7, (name, got))
        expect(energy is not None or got > -1.5, (name, got))
        out, _ = tri.run("run", name, "--json", "--precision", "fp64", *typed)
        expect_near(json.loads(out)["energy"]["first"], got + 0.22183233, 1e-6, name)  # and the kinetic energy of ASE
    _, err = tri.run("compute", "forces", argon, "-o", "f.npy", "--law", "gravity", code=6)
    expect("ase_argon.extxyz' is in a periodic cell" in err and "gravity" in err, err)
    _, err = tri.run("run", argon, "--steps", "1", code=6)
    expect("is in a periodic cell" in err and "--law" in err, err)
    open("slanted.xyz", "w").write(text.replace("10.52 0.0 0.0 0.0 10.52", "10.52 0.0 0.0 1.0 10.52"))
    for name in (slab, "slanted.xyz"):
        for command in (["compute", "forces", name, "-o", "f.npy", *law], ["run", name, *typed],
                        ["compute", "collisions", name, "-o", "p.npy"]):
            _, err = tri.run(*command, code=6)
            expect("only cells with edges along x, y and z" in err and 'pbc="F F F"' in err, err)
        _, err = tri.run("compute", "distances", name, "-o", "d.npy")
        expect("without images" in err, err)
        _, err = tri.run("convert", name, "b.csv")
        expect("dropped" in err, err)
    head = 'Lattice="4 0 0 0 4 0 0 0 4" Properties=species:S:1:pos:R:3:radius:R:1 pbc="T T T"'
    open("spheres.xyz", "w").write(f"3\n{head}\nAr 0.1 1 1 0.2\nAr 3.8 1 1 0.2\nAr 2 5.2 1 0.2\n")
    out, _ = tri.run("compute", "collisions", "spheres.xyz", "-o", "p.npy", "--json")
    expect(json.loads(out)["collisions"] == 1, out)
    # Units named in a file set the G of compute, too; G = 4.30091727e-6 in kpc (km/s)^2 / Msun.
    for name, start in (("u.csv", "# units: kpc-kms-msun\nx,y,z,m\n"), ("v.csv", "x,y,z,m\n")):
        open(name, "w").write(start + "0,0,0,1e10\n1,0,0,1e10\n")
        tri.run("compute", "forces", name, "-o", "f.csv", "--law", "gravity")
        got = float(open("f.csv").read().split("\n")[1].split(",")[0])
        expect_near(got, 4.30091727e14 if name == "u.csv" else 1e20, 1e-8 * got, name)
    tri.run("compute", "forces", "u.csv", "-o", "f.csv", "--law", "gravity", "--G", "2")
    expect(float(open("f.csv").read().split("\n")[1].split(",")[0]) == 2e20, open("f.csv").read())
    open("w.csv", "w").write("# units: metal\nx,y,z\n0,0,0\n1,0,0\n")
    for command in (["compute", "forces", "w.csv", "-o", "f.csv", "--law", "gravity"], ["run", "w.csv", "--steps", "1"],
                    ["convert", "w.csv", "w.npy"]):
        _, err = tri.run(*command)
        expect("the units 'metal'" in err and "no column m: every mass is 1" in err, err)
    _, err = tri.run("run", "w.npy", "--steps", "1")
    expect("every mass is 1" not in err, err)
    # Units in words of a scene stand in the header of its snapshot.
    open("words.toml", "w").write('title = "w"\nunits = "kpc, 1e6 Msun, km/s"\n'
                                  "bodies = [[1, 0, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0]]\n")
    out, _ = tri.run("run", "words.toml", "--steps", "1", "-o", "words.hdf5")
    expect("G = 4.30092\n" in out, out)
    out, _ = tri.run("run", "words.hdf5", "--steps", "1")
    expect("G = 4.30092\n" in out, out)
    data = open("words.hdf5", "rb").read()
    expect(all(name in data for name in (b"UnitLength_in_cm", b"UnitMass_in_g", b"UnitVelocity_in_cm_per_s")), "units")
