"""Cases of the command line: user-defined scenes, convert, series for ParaView, doctor and the man page; and other
programs that open our files and find the same bodies. Each of those is skipped where the Python that has these
libraries (Debian: python3-yt, python3-ase) is not there."""

import csv
import glob
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import xml.etree.ElementTree as xml

from program import bytes_of, case, expect, expect_near, skip, state_hash, text_of, write

PATIENCE = 0.5 * (6 if os.environ.get("TRI_SANITIZED") else 1)


def bodies(path):
    with open(path) as f:
        return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(f)]


@case
def scene_file(tri):
    write("my.toml",
          'title = "two falling"\nunits = "none"\nbodies = [[1, 0, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0]]\n'
          '[parameters]\ndt = 0.001\n')
    out, _ = tri.run("run", "my.toml", "--steps", "100", "--precision", "fp64", "-o", "end.csv")
    expect("two falling" in out and "bodies          2" in out, out)
    expect(0 < bodies("end.csv")[0]["x"] < 0.02, bodies("end.csv"))
    moved = tri.run("run", "my.toml:G=4", "--dt", "0.0005", "--steps", "100", "--precision", "fp64")[0]
    again = tri.run("run", "my.toml", "--G", "4", "--dt", "0.0005", "--steps", "100", "--precision", "fp64")[0]
    expect(state_hash(moved) == state_hash(again) != state_hash(out), moved)
    _, err = tri.run("run", "my.toml:g=4", "--steps", "1", code=2)
    expect("'g'" in err and "my.toml" in err, err)
    with open("my.toml", "a") as f:
        f.write("eps = -1\n")
    _, err = tri.run("run", "my.toml", "--steps", "1", code=6)
    expect("my.toml', line 6: eps = '-1', but it must be at least 0" in err, err)
    # Keys that exclude each other are a fault of the file; an option may mend it, or be at fault itself.
    write("odd.toml", 'title = "t"\nintegrator = "hermite"\nprecision = "fp32"\ngenerator = "kepler"\n')
    _, err = tri.run("run", "odd.toml", "--steps", "1", code=6)
    expect("odd.toml', line 2: integrator = hermite computes in float64" in err and "--" not in err, err)
    tri.run("run", "odd.toml", "--steps", "1", "--precision", "fp64")
    tri.run("run", "odd.toml", "--steps", "1", "--integrator", "kdk")
    write("even.toml", text_of("odd.toml").replace('precision = "fp32"\n', ""))
    _, err = tri.run("run", "even.toml", "--steps", "1", "--precision", "fp32", code=2)
    expect("integrator = hermite ('even.toml', line 2) computes in float64" in err, err)
    _, err = tri.run("run", "kepler", "--integrator", "hermite", "--steps", "1", "--precision", "fp32", code=2)
    expect("--integrator hermite computes in float64; use --precision fp64" in err, err)
    os.mkdir("folder")
    write("folder/far.toml", 'title = "t"\ngenerator = "file"\n[parameters]\npath = "../end.csv"\n')
    tri.run("run", "folder/far.toml", "--steps", "1", cwd=os.getcwd())


@case
def convert(tri):
    names = ["a.tab", "a.csv", "a.npy", "a.hdf5", "a.xyz", "a.ply", "a.vtp"]
    tri.run("convert", tri.file("milky_way_andromeda_10k.tab"), "first.csv")
    first = bytes_of("first.csv")
    for name in names:  # through all of them, without losing a digit
        tri.run("convert", "first.csv", name)
        _, err = tri.run("convert", name, "back.csv")
        expect("warning" not in err and "10,241 bodies" in err, err)
        expect(bytes_of("back.csv") == first, name)
    out, err = tri.run("convert", "merger:n=40", "m.tab", "--json")
    expect("does not store groups; dropped" in err and json.loads(out)["n"] == 80, (out, err))
    tri.run("convert", "merger:n=40", "m.csv")
    expect([b["group"] for b in bodies("m.csv")] == [0] * 40 + [1] * 40, "not one group per galaxy")
    _, err = tri.run("convert", "plummer:n=40", "p.tipsy")
    expect("rounded" in err, err)
    for mass in "1e-60", "1e60":
        write("mass.csv", f"m,x,y,z\n1,0,0,0\n{mass},1,0,0\n")
        _, err = tri.run("convert", "mass.csv", "p.tipsy", code=6)
        expect("is out of the range of float32" in err, err)
    write("places.csv", "m,x,y,z\n1,0,0,0\n1,1,1e-60,0\n")
    expect("1 values were rounded, 1 of them to 0" in tri.run("convert", "places.csv", "p.tipsy")[1], "1e-60")
    for option in ["-o"], ["--save-every", "10", "--snapshot"]:  # before the first step, not after the last
        _, err = tri.run("run", "sphere-box:n=20000", "--steps", "100000000", *option, "s_{step}.tab", code=6)
        expect("the bodies have radii, which tab does not store; use .csv" in err, err)
    tri.run("convert", "m.csv", "m.csv", code=2)
    tri.run("convert", "none.csv", "m.tab", code=6)
    tri.run("convert", "m.csv", "m.pvd", code=6)
    tri.run("convert", "m.csv", "no/m.tab", code=6)
    expect(len(bodies("m.csv")) == 80, "the input was changed")


@case
def outputs_that_hold_less(tri):
    for name, lost in (("g.npy", "groups"), ("g.tab", "groups"), ("g.hdf5", None), ("g.csv", None)):
        _, err = tri.run("run", "galaxy:n=20", "--steps", "1", "-o", name)
        expect((f"does not store {lost}" in err) if lost else ("does not store" not in err), err)
    _, err = tri.run("run", "salt:n=8", "--steps", "2", "--law", "qi*qj/r; softening = 0.1", "--save-every", "2",
                     "--snapshot", "s_{step}.tab")
    expect("s_{step}.tab': tab does not store charges" in err, err)


@case
def scenes_hold_more(tri):
    """convert names all that a scene sets beside its bodies, and nothing where a file of bodies is run alike."""
    bodies_of, formats = "bodies = [[1, 0.1, 0, 0, 0, 0, 0], [1, 0.8, 0, 0, 0, 0, 0]]\n", "tab csv npy hdf5 xyz ply vtp tipsy".split()
    box = "low = [-1, -1, -1]\nhigh = [1, 1, 1]\n"
    keys = {"": None, 'units = "kpc-kms-msun"\n': None, "[parameters]\nG = 4\n": "G = 4", "[parameters]\neps = 0.5\n": "softening 0.5",
            "[parameters]\ndt = 0.002\n": "dt = 0.002", '[parameters]\ndt = "auto"\n': "eta = ", 'precision = "fp64"\n': "precision = fp64",
            'integrator = "yoshida4"\n': "integrator = yoshida4", '[view]\nshape = "glow"\n': "its view",
            "[physics]\nfield = [0, 0, -1]\n": "the uniform field (0, 0, -1)", '[physics]\npair = "none"\n': "the law (none)",
            f'[physics]\nwalls = "reflecting"\n{box}': "the reflecting walls from (-1, -1, -1) to (1, 1, 1)",
            '[physics]\npair = "lennard-jones"\nsigma = 0.1\n': "the law (lennard-jones, epsilon = 1, sigma = 0.1)",
            '[physics]\ntriple = "axilrod-teller"\n': "axilrod-teller", 'names = ["a", "b"]\n': "the names of the bodies; dropped"}
    for text, words in keys.items():
        write("s.toml", f'title = "t"\n{bodies_of}{text}')
        for name in formats:
            _, err = tri.run("convert", "s.toml", f"a.{name}")
            said = "the bodies of the scene, and not" in err or "names of the bodies" in err
            expect(words in err if words else not said, (text, name, err))
    _, err = tri.run("convert", "galaxy:n=60", "g.csv")
    expect("the names of the groups" in err and "softening 0.05" in err, err)
    write("n.csv", "name,x,y,z,m\na,0,0,0,1\nb,1,0,0,1\n")
    for name in formats:
        for words in (["convert", "n.csv", f"a.{name}"], ["run", "n.csv", "--steps", "1", "-o", f"a.{name}"]):
            _, err = tri.run(*words)
            expect("does not store the names of the bodies; dropped" in err, (words, err))


@case
def cells_of_open_space(tri):
    """A cell without periods goes through a run, its snapshots and a restart; a format without cells says so."""
    cell = 'Lattice="9 0 0 0 10 0 0 0 11" Origin="-1 0 0" pbc="F F F"'
    write("l.extxyz", f"2\n{cell} Properties=species:S:1:pos:R:3\nAr 0.5 0 0\nAr 9.5 0 0\n")
    write("l.toml", 'title = "t"\ngenerator = "file"\npath = "l.extxyz"\n'.replace("path", "[parameters]\npath"))
    for scene in "l.extxyz", "l.toml":
        tri.run("run", scene, "--steps", "2", "-o", "a.extxyz", "--save-every", "1", "--snapshot", "s_{step}.hdf5")
        tri.run("convert", "s_1.hdf5", "b.extxyz")
        tri.run("run", "--restart", "s_1.hdf5", "--steps", "2", "-o", "c.extxyz")
        tri.run("convert", scene, "d.hdf5")
        tri.run("run", "d.hdf5", "--steps", "1", "-o", "d.extxyz")
        for name in "abcd":
            expect(cell in text_of(f"{name}.extxyz"), (scene, name, text_of(f"{name}.extxyz")))
        _, err = tri.run("run", scene, "--steps", "1", "-o", "a.csv")
        expect("csv does not store the cell; dropped" in err, err)
    tri.run("run", "sphere-box:n=8", "--steps", "1", "-o", "e.extxyz")
    expect("Lattice" not in text_of("e.extxyz"), text_of("e.extxyz"))
    write("m.toml", 'title = "t"\n[[part]]\nname = "a"\ngenerator = "file"\npath = "l.extxyz"\nposition = [5, 0, 0]\n')
    _, err = tri.run("run", "m.toml", "--steps", "1", "-o", "f.extxyz")
    expect("the cell of a file is left out" in err and "Lattice" not in text_of("f.extxyz"), err)


@case
def numbers_that_would_be_0(tri):
    """Every file in TOML: a number below or beyond all of float64 is refused with file and line."""
    body = 'title = "t"\nbodies = [[1, 0, 0, 0, 0, 0, 0],\n[1, {}, 0, 0, 0, 0, 0]]\n'
    files = {"s.toml": (body, 3, ["run", "s.toml", "--steps", "1"]),
             "k.toml": (body.format(1) + "[parameters]\neps = {}\n", 5, ["convert", "k.toml", "k.csv"]),
             "f.toml": ("scale = 2\ntable = [[0, 0], [1, 1], [{}, 1]]\n", 2, ["bench", "--kernel", "gasket", "--fractal", "f.toml"]),
             "c.toml": ("[[bookmark]]\ntime = {}\ntarget = [0, 0, 0]\ndistance = 1\nyaw = 0\npitch = 0\n", 2,
                        ["render", "kepler", "--frames", "1", "-o", "k.png", "--camera-path", "c.toml"])}
    for number, why in (("1e-400", "would be 0"), ("1e400", "beyond every number of float64")):
        for name, (text, line, words) in files.items():
            write(name, text.format(number))
            _, err = tri.run(*words, code=6)
            expect(f"number '{number}'" in err and why in err and (f"line {line}" in err or f"{name}:{line}:" in err), err)
        _, err = tri.run("run", f"plummer:n=9,eps={number}", "--steps", "1", code=2)
        expect(f"eps = '{number}', but it must be within the range of float64" in err, err)


@case
def units_beside_columns(tri):
    """A unit in the name of a column or in a comment sets no G, which is said; a system of units does."""
    rows = "0,0,0,1\n1,0,0,1\n"
    files = {("x [kpc],y,z,m\n", "x=x [kpc]"): "kpc", ("x(m),y,z,m\n", "x=x(m)"): "m", ("x,y,z,mass_kg\n", "m=mass_kg"): "kg",
             ("# - {name: x, unit: kpc, datatype: float64}\nx,y,z,m\n", ""): "kpc", ("# v [km/s]\nx,y,z,m\n", ""): "km/s",
             ("# x, y, z in kpc, in Msun\nx,y,z,m\n", ""): "kpc", ("# units of pc\nx,y,z,m\n", ""): "pc",
             ("# made in the lab, of Sun [1] and Earth in this order, units of our own\nx,y,z,m\n", ""): None,
             ("pos_x,y,z,m\n", "x=pos_x"): None, ("# x [1]: a unit of ours\nx,y,z,m\n", ""): None}
    for (head, keys), unit in files.items():
        write("u.csv", head + rows)
        for words in (["run", f"u.csv:{keys}", "--steps", "1"], ["compute", "forces", f"u.csv:{keys}", "-o", "-", "--law", "gravity"]):
            words[words.index(f"u.csv:{keys}")] = at = f"u.csv:{keys}" if keys else "u.csv"
            _, err = tri.run(*words)
            expect((f"has the unit '{unit}' beside columns" in err) if unit else "the unit" not in err, (words, err))
            words[words.index(at)] = at + ("," if keys else ":") + "units=si"
            expect("is not read" not in tri.run(*words)[1], words)
    write("u.tab", "# m [Msun] x [kpc] y z vx vy vz\n1 0 0 0 0 0 0\n1 1 0 0 0 0 0\n")
    expect("has the unit 'Msun' beside columns" in tri.run("run", "u.tab", "--steps", "1")[1], "u.tab")
    head = "ply\nformat ascii 1.0\ncomment units in kpc\nelement vertex 1\n"
    write("u.ply", head + "".join(f"property float {axis}\n" for axis in "xyz") + "end_header\n0 0 0\n")
    expect("has the unit 'kpc' beside columns" in tri.run("run", "u.ply", "--steps", "1")[1], "u.ply")


@case
def outputs_and_inputs(tri):
    """An output that is an input or another output, under any name, is refused before a file is opened."""
    tri.run("convert", "plummer:n=20", "in.tab")
    tri.run("convert", "in.tab", "in.csv")
    tri.run("run", "in.tab", "--steps", "1", "--diag", "/dev/null", "-o", "s.hdf5")
    os.link("in.tab", "hard.tab")
    os.symlink("in.csv", "soft.csv")
    for name, text in (("my.toml", 'title = "t"\ngenerator = "plummer"\n'), ("fig.svg", "{}"), ("b.svg", "{}")):
        write(name, text)

    def contents():
        return {name: open(name, "rb").read() for name in os.listdir(".")}

    before = contents()
    run, bench = ["run", "in.tab", "--steps", "1"], ["bench", "--kernel", "edm", "--n", "64", "--samples", "1"]
    for words, says in (
        ([*run, "--diag", "in.tab"], "--diag in.tab: this file is also the input"),
        ([*run, "--diag", "hard.tab"], "--diag hard.tab: this file is also the input"),
        ([*run, "-o", "in.tab"], "--output in.tab: this file is also the input"),
        (["run", "in.csv", "--steps", "1", "-o", "./soft.csv"], "also the input"),
        (["run", "my.toml:n=10", "--steps", "1", "--diag", "my.toml"], "also the input"),
        (["run", "--restart", "s.hdf5", "--steps", "1", "-o", "s.hdf5"], "also the input"),
        ([*run, "--diag", "new.csv", "-o", "new.csv"], "--diag new.csv and --output new.csv are one file"),
        ([*run, "--diag", "new.csv", "-o", os.path.abspath("new.csv")], "are one file"),
        ([*run, "--diag", "s.hdf5", "-o", "./s.hdf5"], "are one file"),
        (["compute", "distances", "in.csv", "-o", "soft.csv"], "also the input"),
        (["convert", "in.csv", "soft.csv"], "OUT soft.csv: this file is also the input"),
        (["plot", "fig.svg", "-o", "fig.svg"], "also the input"),
        ([*bench, "-o", "b.svg", "--plot", "b.svg"], "are one file"),
        ([*bench, "--compare", "fig.svg", "-o", "fig.svg"], "also the input"),
        ([*bench, "--resume", "b.svg", "--plot", "./b.svg"], "are one file"),
    ):
        out, err = tri.run(*words, code=2)
        expect(out == "" and says in err and err.count("\n") == 1, (words, err))
    expect(contents() == before, sorted(os.listdir(".")))


@case
def outputs_that_are_read(tri):
    """What a scene or a list of states names is an input, too, and a series of snapshots comes to every number."""
    tri.run("convert", "plummer:n=20", "in_0.csv")
    tri.run("run", "kepler", "--dt", "0.25", "--steps", "4", "--save-every", "2", "--snapshot", "s_{step}.vtp")
    write("my.toml", 'title = "t"\ngenerator = "file"\n[parameters]\npath = "in_0.csv"\n')
    os.link("in_0.csv", "t_3.csv")
    os.link("s_2.vtp", "state.csv")

    def contents():
        return {name: open(name, "rb").read() for name in os.listdir(".") if os.path.isfile(name)}

    before = contents()
    save = ["--save-every", "1", "--snapshot"]
    for words, says in (
        (["run", "my.toml", "--steps", "3", "-o", "in_0.csv"], "--output in_0.csv: this file is also the input"),
        (["run", "my.toml", "--steps", "3", "--diag", "./in_0.csv"], "also the input"),
        (["run", "in_0.csv", "--steps", "3", *save, "in_{step}.csv"], "--snapshot in_0.csv: this file is also the input"),
        (["run", "my.toml", "--steps", "3", *save, "t_{step}.csv"], "--snapshot t_3.csv: this file is also the input"),
        (["run", "s.pvd", "--steps", "3", *save, "s_{step}.vtp"], "also the input"),
        (["convert", "my.toml", "in_0.csv"], "OUT in_0.csv: this file is also the input"),
        (["convert", "s.pvd", "s_4.vtp"], "OUT s_4.vtp: this file is also the input"),
        (["convert", "s.pvd", "s_0.vtp"], "OUT s_0.vtp: this file is also the input"),
        (["run", "s.pvd", "--steps", "1", "-o", "./s_2.vtp"], "also the input"),
        (["run", "s.pvd", "--steps", "1", "--diag", "state.csv"], "--diag state.csv: this file is also the input"),
        (["run", "kepler", "--steps", "3", *save, "d_{step}.csv", "--diag", "d_2.csv"], "write one file"),
    ):
        out, err = tri.run(*words, code=2)
        expect(out == "" and says in err.splitlines()[-1], (words, err))
    expect(contents() == before, sorted(os.listdir(".")))
    with open("in_0.csv") as f:
        done = subprocess.run([tri.path, "convert", "-", "in_0.csv"], stdin=f, capture_output=True, text=True)
    expect(done.returncode == 2 and "also the input" in done.stderr, done)
    with open("in_0.csv", "a") as f:
        done = subprocess.run([tri.path, "convert", "in_0.csv", "-"], stdout=f, stderr=subprocess.PIPE, text=True)
    expect(done.returncode == 2 and "also the input" in done.stderr, done)
    expect(contents() == before, sorted(os.listdir(".")))
    # A run that goes on under the same names comes to later ones.
    tri.run("run", "plummer:n=20", "--steps", "4", "--save-every", "2", "--snapshot", "r_{step}.hdf5")
    tri.run("run", "--restart", "r_4.hdf5", "--steps", "4", "--save-every", "2", "--snapshot", "r_{step}.hdf5")


@case
def outputs_that_cannot_be_written(tri):
    """They are refused before the work, by every command that writes."""
    tri.run("convert", "plummer:n=20", "in.csv")
    os.mkdir("folder.csv"), os.mkdir("folder.npy"), os.mkdir("folder.svg")
    os.symlink("round.csv", "round.csv")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("socket.csv")
    long = ["--steps", "100000000"]
    write("many.csv", "x,y,z\n" + "".join(f"{k % 97},{k % 89},{k}\n" for k in range(20000)))
    bins = ["--bins", "0,1,2"]
    for words in (
        ["run", "in.csv", *long, "-o", "folder.csv"], ["run", "in.csv", *long, "-o", "no/o.csv"],
        ["run", "in.csv", *long, "-o", "round.csv"], ["run", "in.csv", *long, "-o", "socket.csv"],
        ["convert", "in.csv", "socket.csv"], ["run", "in.csv", *long, "--diag", "no/d.csv"],
        ["run", "in.csv", *long, "--save-every", "90000000", "--snapshot", "no/s_{step}.csv"],
        ["run", "gasket:r=5", *long, "-o", "no/c.npy"], ["run", "in.csv", *long, "-o", "/dev/full/o.csv"],
        ["compute", "triplets", "many.csv", "-o", "no/t.csv", *bins], ["compute", "triplets", "many.csv", "-o",
                                                                      "folder.npy", *bins],
        ["compute", "forces", "many.csv", "-o", "no/f.csv", "--law", "axilrod-teller"],
        ["compute", "collisions", "many.csv", "-o", "folder.csv"], ["compute", "distances", "many.csv", "-o", "no/d.npy"],
        ["bench", "--kernel", "edm", "--n", "65536", "--samples", "1000", "--plot", "folder.svg"],
        ["bench", "--kernel", "edm", "--n", "65536", "--samples", "1000", "-o", "no/r.json"],
        ["convert", "in.csv", "folder.csv"], ["convert", "plummer:n=1000000", "no/p.csv"],
        ["law", "-mi*mj/r", "--plot", "no/l.svg"], ["verify", "map", "lambda", "--n", "1..900", "--plot", "no/m.svg"],
    ):
        begin = time.monotonic()
        out, err = tri.run(*words, code=6)
        expect(time.monotonic() - begin < 5, (words, time.monotonic() - begin))
        expect(out == "" and err.count("\n") == 1 and "cannot" in err, (words, err))
    expect(not [name for name in os.listdir(".") if ".tmp-" in name], os.listdir("."))


@case
def pipes_as_outputs(tri):
    """Writing waits for the reader of a pipe, which is said; Ctrl-C ends that."""
    tri.run("convert", "plummer:n=20", "in.csv")
    os.mkfifo("p.csv")
    for words in (["convert", "in.csv", "p.csv"], ["compute", "forces", "in.csv", "-o", "p.csv", "--law", "gravity"],
                  ["run", "in.csv", "--steps", "2", "-o", "p.csv"], ["run", "in.csv", "--steps", "2", "--diag", "p.csv"]):
        start = [tri.path, *words]
        for read in True, False:
            process = subprocess.Popen(start, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            said = process.stderr.readline()
            expect("p.csv is a pipe: writing waits until another program reads it" in said, (words, said))
            if read:
                expect(len(text_of("p.csv").splitlines()) >= 3, words)
                expect(process.wait(timeout=60) == 0, (words, process.stderr.read()))
                continue
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            begin = time.monotonic()
            _, err = process.communicate(timeout=60)
            expect(process.returncode == 130 and time.monotonic() - begin < PATIENCE, (words, err))
            expect("interrupted" in err, (words, err))


@case
def rubbish_of_killed_runs(tri):
    """kill -9 while a file is written: the next run that writes into the folder takes it away, and nothing else."""
    write("end.csv.tmp-1234", "of another")
    tri.run("convert", "plummer:n=400000", "in.npy")
    def rubbish():
        return set(glob.glob("end.csv.tmp-????????????????"))
    killed = 0
    for attempt in range(50):
        before = rubbish()
        process = subprocess.Popen([tri.path, "convert", "in.npy", "end.csv"], stderr=subprocess.DEVNULL)
        while process.poll() is None and (before & rubbish() or not rubbish()):
            time.sleep(0.002)
        time.sleep(0.005 * (attempt % 10))  # a busy machine may wake this up when the file is whole
        process.kill()
        process.wait()
        killed += bool(rubbish() - before)
        if killed == 2:
            break
    expect(killed == 2 and len(glob.glob("end.csv.tmp-????????????????")) == 1, os.listdir("."))
    tri.run("convert", "kepler", "other.csv")
    expect(sorted(os.listdir(".")) == ["end.csv.tmp-1234", "in.npy", "other.csv"] or os.path.exists("end.csv"), os.listdir("."))
    expect(not glob.glob("end.csv.tmp-????????????????"), os.listdir("."))


@case
def streams_by_name(tri):
    """/dev/stdout is standard output: what the shell redirected it to is written to, and not replaced."""
    tri.run("convert", "plummer:n=20", "in.csv")
    whole = tri.run("convert", "in.csv", "-")[0]
    write("log", "before\n")
    for words in (["run", "kepler", "--steps", "2", "--diag", "/dev/stdout"],):
        with open("log", "a") as f:
            done = subprocess.run([tri.path, *words], stdout=f, stderr=subprocess.PIPE, text=True)
        text = open("log").read()
        expect(done.returncode == 0 and text.startswith("before\nstep,"), (words, done, text[:99]))
    expect(whole.count("\n") == 21, whole)
    for device, code in (("/dev/null", 0), ("/dev/full", 6)):
        _, err = tri.run("run", "kepler", "--steps", "2", "--diag", device, code=code)
        expect(os.path.exists(device) and not os.path.isfile(device), err)


@case
def pipes_as_settings(tri):
    """A pipe without a writer where a file of settings, a map or a scene belongs is refused at once."""
    for name in ("p.toml", "p.json", "p.csv"):
        os.mkfifo(name)
    for words in (["run", "p.toml", "--steps", "1"], ["bench", "--kernel", "edm", "--n", "64", "--map", "p.toml"],
                  ["verify", "map", "p.toml"], ["plot", "p.json", "-o", "f.svg"],
                  ["bench", "--kernel", "edm", "--n", "64", "--samples", "1", "--compare", "p.json"]):
        _, err = tri.run(*words, code=6)
        expect("pipe" in err and err.count("\n") == 1, (words, err))
    for words in (["run", "p.csv", "--steps", "1"], ["convert", "p.csv", "o.csv"]):  # a pipe of bodies is waited for
        process = subprocess.Popen([tri.path, *words], stderr=subprocess.PIPE, text=True)
        time.sleep(0.5)
        expect(process.poll() is None, words)
        process.send_signal(signal.SIGINT)
        begin = time.monotonic()
        _, err = process.communicate(timeout=60)
        expect(process.returncode == 130 and time.monotonic() - begin < PATIENCE, (words, err))


@case
def logs_that_are_pipes(tri):
    """A log that is a pipe has nothing to go on with: a run and its restart write all of theirs."""
    tri.run("run", "kepler", "--steps", "4", "-o", "s.hdf5")
    os.mkfifo("p.csv")
    for words in (["run", "kepler", "--steps", "4"], ["run", "--restart", "s.hdf5", "--steps", "8"]):
        process = subprocess.Popen([tri.path, *words, "--diag", "p.csv"], stdout=subprocess.DEVNULL)
        text = text_of("p.csv")
        expect(process.wait(timeout=60) == 0 and text.startswith("step,") and text.count("\n") > 3, (words, text))


@case
def vtk_series(tri):
    tri.run("run", "kepler", "--dt", "0.25", "--steps", "4", "--save-every", "2", "--snapshot", "s_{step}.vtp")
    times = lambda: [(d.get("timestep"), d.get("file")) for d in xml.parse("s.pvd").getroot().iter("DataSet")]
    expect(times() == [("0", "s_0.vtp"), ("0.5", "s_2.vtp"), ("1", "s_4.vtp")], times())
    _, err = tri.run("convert", "s.pvd", "end.csv")
    before = open("s.pvd").read()  # a list that a run writes, too
    _, refused = tri.run("run", "s.pvd", "--steps", "1", "--save-every", "1", "--snapshot", "s_{step}.vtp", code=2)
    expect("also the input" in refused and open("s.pvd").read() == before, refused)
    expect("lists 3 states; the last" in err, err)
    tri.run("convert", "s_4.vtp", "same.csv")
    expect(open("end.csv").read() == open("same.csv").read(), "not the last state")
    head = bytes_of("s_4.vtp").split(b"<AppendedData")[0].decode() + "</VTKFile>"
    root = xml.fromstring(head)
    piece = root.find("PolyData/Piece")
    expect(root.get("type") == "PolyData" and piece.get("NumberOfPoints") == "2", head)
    expect({a.get("Name") for a in piece.find("PointData")} == {"velocity", "mass", "radius"}, head)
    expect(root.find("PolyData/FieldData/DataArray").text == "1", head)
    os.makedirs("deep/run")
    tri.run("run", "kepler", "--steps", "2", "--save-every", "1", "--snapshot", "deep/run/{step}.vtp")
    expect(os.path.exists("deep/run/series.pvd"), os.listdir("deep/run"))


@case
def doctor(tri):
    bare = {k: v for k, v in os.environ.items() if k in ("LD_LIBRARY_PATH", "ASAN_OPTIONS", "PATH")}
    done = subprocess.run([tri.path, "doctor", "--json"], env=bare, capture_output=True, text=True, timeout=60)
    expect(done.returncode in (0, 1), done)
    found = {f["what"]: f for f in json.loads(done.stdout)}
    expect({"processor", "driver", "device", "display", "OpenGL", "films", "figures", "container", "settings", "this folder",
            "temporary"} == set(found) - {"--devices"}, found)  # of several GPUs
    expect(found["display"]["state"] == "absent" and found["settings"]["state"] == "absent", found)
    for f in found.values():
        expect((f["state"] == "good") == (f["cure"] is None), f)
    text, _ = tri.run("doctor", code=1, env={"TMPDIR": "/nowhere"})
    expect("bad" in text and "TMPDIR" in text, text)
    window = found["display"]["found"] == "there is no display"  # else the build has no window
    text, _ = tri.run("doctor", code=1 if window else 0, env={"DISPLAY": ":7777"}, without=["WAYLAND_DISPLAY"])
    expect(not window or re.search(r"^bad +display .*(:7777\n +-> set DISPLAY|install GLFW.*\n +-> .*apt install libglfw3)",
                                   text, re.M), text)
    text, _ = tri.run("doctor", env={"XDG_CONFIG_HOME": "not/from/root"}, without=["HOME"])
    expect("neither XDG_CONFIG_HOME nor HOME is a path from /" in text, text)
    gone = subprocess.run(["sh", "-c", 'mkdir gone; cd gone; rmdir ../gone; exec "$0" doctor', tri.path],
                          capture_output=True, text=True, timeout=60)
    expect(gone.returncode == 1 and "it was removed" in gone.stdout and "-> cd to another" in gone.stdout, gone)


@case
def odd_names(tri):
    """A path may contain any bytes; JSON is still UTF-8."""
    name, folder = os.fsdecode(b"p\xff.csv"), os.fsdecode(b"d\xff")
    os.mkdir(folder)
    for words in (["convert", "kepler", name], ["convert", name, "o.csv"], ["run", name, "--steps", "1"],
                  ["compute", "forces", name, "-o", "f\udcff.npy", "--law", "gravity"], ["doctor"],
                  ["run", "gasket:r=3", "--steps", "1", "-o", "cells\udcff.npy"],
                  ["bench", "--kernel", "dummy", "--n", "64", "--samples", "2", "--warmup", "0", "--plot", "p\udcff.svg"]):
        done = subprocess.run([tri.path, *words, "--json"], capture_output=True, timeout=120,
                              cwd=folder if words == ["doctor"] else None)
        expect(done.returncode == 0, (words, done))
        json.loads(done.stdout.decode("utf-8"))
    expect({name, "f\udcff.npy", "cells\udcff.npy", "p\udcff.svg"} < set(os.listdir(".")), os.listdir("."))


@case
def man(tri):
    page = tri.run("man")[0]
    expect(page.startswith(".TH TRIANGULUM 1 "), page[:200])
    for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "ENVIRONMENT", "FILES", "SEE ALSO"):
        expect(page.count(f"\n.SH {section}\n") == 1, section)
    for line in page.split("\n"):
        expect(not line.startswith(".") or re.match(r"\.(TH|SH|PP|nf|fi|RS|RE)\b", line), f"text read as a request: {line}")
    expect(page.count(".nf\n") == page.count(".fi\n") > 5, "a code block does not end")
    empty = re.search(r"^\.PP\n\.(PP|SH)|^\.SH .*\n\.PP|\.PP\n\Z", page, re.M)
    expect(empty is None and page.count(".PP\n") > 50, f"a paragraph without text: {empty}")
    for section in re.findall(r"^[A-Z ]{4,}$", tri.run("help", "all")[0], re.M)[1:]:
        expect(f".SH {section}\n" in page, section)
    if shutil.which("man"):
        write("t.1", page)
        done = subprocess.run(["man", "--warnings", "-l", "t.1"], capture_output=True, text=True,
                              env=dict(os.environ, MANPAGER="cat", LC_ALL="C"))
        expect(done.returncode == 0 and "warning" not in done.stderr, done.stderr)


@case
def broken_files(tri):
    """Headers that promise more than the file contains: exit 6, file, position, and little memory."""
    write("many.xyz", "1000000000\nc\n" + "X 1 2 3\n" * 10)
    write("many.ply",
          "ply\nformat binary_little_endian 1.0\nelement vertex 1000000000\nproperty float x\nproperty float y\n"
          "property float z\nend_header\n" + "x" * 120)
    with open("many.npy", "wb") as f:
        head = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000, 7), }"
        f.write(b"\x93NUMPY\x01\x00" + (len(head) + 1).to_bytes(2, "little") + head + b"\n" + bytes(560))
    write("noise.h5", b"\x89HDF\r\n\x1a\n" + os.urandom(5000))
    open("empty.tab", "w").close()
    write("bad.tab", "1 0 0 0 0 0 0\n-1 1 0 0 0 0 0\n")
    write("nan.csv", "x,y,z\n1,2,3\n1,nan,3\n")
    positions = {"many.xyz": "10", "many.ply": "10", "many.npy": "1000000000 rows", "noise.h5": "HDF5",
                 "empty.tab": "no bodies", "bad.tab": "line 2, column 1 (m)", "nan.csv": "line 3, column 2 (y)"}
    limit = "ulimit -v 3000000; exec \"$@\"" if "TRI_SANITIZED" not in os.environ else "exec \"$@\""
    for name, position in positions.items():
        done = subprocess.run(["sh", "-c", limit, "sh", tri.path, "run", name, "--steps", "1", "--backend", "cpu"],
                              capture_output=True, text=True, timeout=60)
        expect(done.returncode == 6 and f"'{name}'" in done.stderr and position in done.stderr, f"{name}: {done}")
        expect(done.stderr.count("\n") == 1 and done.stderr.startswith("error: "), done.stderr)
    # Coincident bodies are a valid file: without softening the step reports the error, and nothing becomes NaN.
    write("same.tab", "1 0 0 0 0 0 0\n1 0 0 0 0 0 0\n")
    tri.run("run", "same.tab", "--steps", "2", "--eps", "0.1")
    os.mkdir("locked.tab")
    _, err = tri.run("run", "locked.tab", "--steps", "1", code=6)
    expect("folder" in err, err)


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
        out, _ = tri.run("compute", "forces", name, "-o", "f.csv", "--law", "gravity", "--json")
        expect(json.loads(out)["units"] == ("kpc-kms-msun" if name == "u.csv" else None), out)
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
    # Columns and units behind the name of a file act in every command, and its time and cell stay.
    open("t.xyz", "w").write('1\nLattice="4 0 0 0 4 0 0 0 4" pbc="F F F" Time=2.5 Properties=species:S:1:pos:R:3\nAr 1 2 3\n')
    out, _ = tri.run("convert", "t.xyz:units=angstrom-ps-amu", "t.hdf5", "--json")
    expect(json.loads(out)["time"] == 2.5, out)
    out, err = tri.run("convert", "t.hdf5", "u.extxyz", "--json")
    expect(json.loads(out)["time"] == 2.5 and 'Lattice="4 0 0 0 4 0 0 0 4"' in text_of("u.extxyz"), (out, err))
    expect('pbc="F F F"' in text_of("u.extxyz") and "units=angstrom-ps-amu" in text_of("u.extxyz"), text_of("u.extxyz"))
    _, err = tri.run("convert", "t.xyz", "t.csv")
    expect("csv does not store the cell; dropped" in err, err)
    open("c.csv", "w").write("px,py,pz,w\n0,0,0,1e10\n1,0,0,1e10\n")
    columns = "c.csv:x=px,y=py,z=pz,m=w,units=kpc-kms-msun"
    tri.run("compute", "forces", columns, "-o", "f.csv", "--law", "gravity")
    expect_near(float(open("f.csv").read().split("\n")[1].split(",")[0]), 4.30091727e14, 1e6, columns)
    tri.run("compute", "forces", "c.csv:x=px,y=py,z=pz", "-o", "c.csv", "--law", "gravity", code=2)
    # Units in words of a scene stand in the header of its snapshot.
    open("words.toml", "w").write('title = "w"\nunits = "kpc, 1e6 Msun, km/s"\n'
                                  "bodies = [[1, 0, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0]]\n")
    out, _ = tri.run("run", "words.toml", "--steps", "1", "-o", "words.hdf5")
    expect("G = 4.30092\n" in out, out)
    out, _ = tri.run("run", "words.hdf5", "--steps", "1")
    expect("G = 4.30092\n" in out, out)
    data = open("words.hdf5", "rb").read()
    expect(all(name in data for name in (b"UnitLength_in_cm", b"UnitMass_in_g", b"UnitVelocity_in_cm_per_s")), "units")
