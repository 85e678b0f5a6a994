"""Cases of the command line: simulations, and what stops them."""

import json
import os
import re
import signal
import struct
import subprocess
import time
import zlib

from program import bytes_of, case, expect, expect_near, read_npy, skip, state_hash, text_of, write


@case
def hash_equality(tri):
    """The Milky Way - Andromeda model: the same bits on every block-space map, block and number of threads."""
    maps = [m["name"] for m in json.loads(tri.run("list", "maps", "--json")[0])
            if m["domain"] == "pairs" and m["space"] == "block"]
    expect(len(maps) == 14, maps)
    def hashes(steps, ways):
        found = {}
        for name, block, threads in ways:
            options = ["--block", block] if block else []
            out, _ = tri.run("run", tri.file("milky_way_andromeda_10k.tab"), "--steps", str(steps), "--accumulate", "ordered",
                             "--map", name, "--backend", "cpu", "--threads", threads, *options)
            found[(name, block, threads)] = state_hash(out)
        expect(len(set(found.values())) == 1, found)
        return set(found.values())

    # Three steps need three evaluations, so most of the maps take one.
    one = hashes("1", [(m, None, "2") for m in maps])
    three = hashes("3", [("lambda", "32", "1"), ("fold", "100", "2"), ("bb", "1000", "1"), ("lambda-stream", None, "2")])
    expect(one != three, "the state does not change")


@case
def solar_system(tri):
    """100 years: |dE/E| <= 1e-6, Earth's semi-major axis 1.0000 AU, and a diagnostics file with the same values."""
    out, _ = tri.run("run", tri.file("solar_system.tab"), "--until", "628.3185307", "--dt", "0.01", "--precision", "fp64",
                     "--diag", "e.csv", "--orbits", "--json")
    result = json.loads(out)
    expect(result["steps"] == 62832, result["steps"])
    expect(0 < result["energy_error_max"] <= 1e-6, result["energy_error_max"])
    earth = next(o for o in result["orbits"] if o["body"] == 3)
    expect(f"{earth['semi_major_axis']:.4f}" == "1.0000", earth)
    _, err = tri.run("run", tri.file("solar_system.tab"), "--steps", "0", "--orbits", "--eps", "0.1")
    expect("those of point masses and leave the softening out" in err, err)
    with open("e.csv") as f:
        names = f.readline().strip()
        rows = [[float(v) for v in line.split(",")] for line in f]
    expect(names == "step,time,kinetic,potential,energy,px,py,pz,lx,ly,lz,virial_ratio,cx,cy,cz", names)
    expect(1000 <= len(rows) <= 1100 and rows[0][0] == 0 and rows[-1][0] == 62832, len(rows))
    expect_near(max(abs(r[4] / rows[0][4] - 1) for r in rows), result["energy_error_max"], 1e-12, "energy error")
    for key, row in (("virial_ratio_first", rows[0]), ("virial_ratio", rows[-1])):
        expect_near(result[key], row[11], 1e-12, key)
    for r in rows:
        expect(abs(r[2] + r[3] - r[4]) <= 1e-15, r)
        expect(abs(r[1] - 0.01 * r[0]) <= 1e-9, r)


@case
def energy_told(tri):
    """A closed system whose energy is off says so once, with the closest pair and a step to try; a damped one does not,
    and its summary says what it lost. --energy-limit ends the run with 4, and the rows up to there stand."""
    wrong = ["run", "kepler:e=0.99", "--dt", "0.02", "--steps", "2000"]
    out, err = tri.run(*wrong)
    expect(err.count("the energy is off by ") == 1, err)
    told = re.search(r"the energy is off by \S+ % at step \S+ \(t = \S+\)\. Bodies 0 and 1 are \S+ apart, the softening "
                     r"is 0, dt 0\.02\. Try --dt (\S+), a larger --eps, or --precision fp64\.", err)
    expect(told and float(told[1]) < 0.01, err)
    expect("energy error" in out, out)
    _, err = tri.run("run", "kepler:e=0.3", "--steps", "200")
    expect("energy" not in err, err)
    out, err = tri.run("run", "falling-pile:n=50", "--steps", "20000")
    expect("energy is off" not in err and "energy lost" in out and "energy error" not in out, out + err)

    _, err = tri.run(*wrong, "--energy-limit", "0.5", "--diag", "e.csv", "--diag-every", "10", code=4)
    stopped = re.search(r"step (\d+) .*a relative error of \S+ beyond the limit 0\.5", err)
    expect(stopped and int(stopped[1]) % 10 == 0, err)
    rows = [line.split(",") for line in open("e.csv")][1:]
    expect(len(rows) == int(stopped[1]) // 10, (len(rows), err))
    tri.run(*wrong, "--energy-limit", "0.5", code=4)
    tri.run(*wrong, "--energy-limit", "1e9")
    _, err = tri.run(*wrong, "--energy-limit", "0", code=2)
    expect("--energy-limit" in err, err)


@case
def automata(tri):
    """The same cells on every map, placement, block, storage and number of threads; a file of them; a user-defined
    fractal; and the error for each invalid combination."""
    found = set()
    for scene in ("gasket:r=7,rule=B2/S12", "gasket:r=7,rule=B2/S12,storage=embedded,placement=unroll",
                  "gasket:r=7,rule=B2/S12,placement=subbox"):
        for options in ((), ("--map", "bb", "--block", "4"), ("--map", "gasket", "--threads", "1"),
                        ("--map", "gasket-digits", "--block", "32")):
            found.add(state_hash(tri.run("run", scene, "--steps", "20", "--backend", "cpu", *options)[0]))
    expect(len(found) == 1, found)
    other = tri.run("run", "gasket:r=7,rule=B2/S12", "--steps", "20", "--backend", "cpu", "--seed", "7")[0]
    expect(state_hash(other) not in found, "the seed has no effect")
    text = tri.run("run", "gasket:r=12", "--steps", "1", "--backend", "cpu")[0]
    expect("519.0 KiB, 31.6 times less than the 16.0 MiB of embedded storage" in text, text)

    out, _ = tri.run("run", "carpet:r=3", "--steps", "5", "--backend", "cpu", "-o", "c.npy", "--json")
    result = json.loads(out)
    expect((result["cells"], result["steps"], result["map"]) == (512, 5, "gasket-stream"), result)
    raw = bytes_of("c.npy")
    expect(b"'descr': '|u1'" in raw and b"'shape': (8, 64)" in raw, raw[:128])
    cells = raw[-512:]
    expect(set(cells) <= {0, 1} and sum(cells) == result["on"], "the file has the wrong cells")

    write("own.toml", "scale = 3\ntable = [[0, 0], [2, 0], [1, 1], [0, 2], [2, 2]]\n")
    tri.run("run", "fractal:file=own.toml,r=4", "--steps", "3", "--backend", "cpu")
    tri.run("bench", "--kernel", "gasket", "--fractal", "own.toml", "--n", "27", "--samples", "1", "--backend", "cpu",
            "--form", "write,compact", "--placement", "lut,unroll")
    write("bad.toml", "scale = 3\ntable = [[0, 3]]\n")
    for code, words, part in (
            (6, ("run", "fractal:file=bad.toml", "--steps", "1"), "bad.toml:2: a coordinate"),
            (6, ("bench", "--kernel", "gasket", "--fractal", "bad.toml", "--n", "9"), "bad.toml:2: a coordinate"),
            (6, ("run", "fractal:file=none.toml", "--steps", "1"), "none.toml"),
            (2, ("run", "gasket:r=7"), "--steps N"),
            (2, ("run", "gasket:r=7", "--steps", "1", "--dt", "0.1"), "--dt does not apply to an automaton"),
            (2, ("run", "gasket:r=7", "--steps", "1", "-o", "c.csv"), "written as .npy"),
            (2, ("run", "gasket:r=7", "--steps", "1", "--map", "lambda"), "gasket-stream"),
            (2, ("run", "gasket:r=7", "--steps", "1", "--block", "3"), "power of 2"),
            (2, ("run", "gasket:r=99", "--steps", "1"), "Use r="),
            (2, ("run", "gasket:r=7,rule=B9/S23", "--steps", "1"), "has 8 neighbours"),
            # Before a billion steps, not after them.
            (2, ("run", "gasket:r=15", "--steps", "1000000000", "-o", "c.png"), "at most 16384 cells a side"),
            (2, ("run", "menger:r=3", "--steps", "1000000000", "-o", "c.png"), "no flat picture"),
            (2, ("run", "triangle-life:n=17000", "--steps", "1000000000", "-o", "c.png"), "at most 16384 cells"),
            (5, ("run", "gasket-3d:r=15,storage=embedded", "--steps", "1"), "storage=compact")):
        _, err = tri.run(*words, "--backend", "cpu", code=code)
        expect(part in err, (words, err))
    expect(not os.path.exists("c.csv"), "a rejected run left a file")


def pixels_of(png):
    """The two-bit pixels of a PNG file, row by row."""
    raw, at, data = bytes_of(png), 8, b""
    expect(raw[:8] == b"\x89PNG\r\n\x1a\n", raw[:8])
    while at < len(raw):
        size, kind = struct.unpack(">I4s", raw[at:at + 8])
        body = raw[at + 8:at + 8 + size]
        expect(struct.unpack(">I", raw[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + body), kind)
        if kind == b"IHDR":
            width, height, bits, palette = struct.unpack(">IIBB", body[:10])
        if kind == b"IDAT":
            data += body
        at += 12 + size
    expect((bits, palette) == (2, 3), (bits, palette))
    rows, row = zlib.decompress(data), (width + 3) // 4 + 1
    expect(len(rows) == row * height, len(rows))
    return [[rows[y * row + 1 + x // 4] >> (6 - 2 * (x % 4)) & 3 for x in range(width)] for y in range(height)]


@case
def triangle_life(tri):
    """Conway's automaton on a triangle: the cells of a plain one on every map, as an array and as a picture."""
    n, steps = 40, 25
    tri.run("run", f"triangle-life:n={n}", "--steps", "0", "--backend", "cpu", "-o", "start.npy")
    now = [list(bytes_of("start.npy")[-n * n:][i * n:(i + 1) * n]) for i in range(n)]
    expect(not any(now[i][j] for i in range(n) for j in range(i + 1, n)), "a cell above the diagonal")
    for _ in range(steps):
        def around(i, j):
            return sum(now[a][b] for a in range(max(0, i - 1), min(n, i + 2)) for b in range(max(0, j - 1), min(n, j + 2)))
        now = [[int(j <= i and (around(i, j) == 3 or around(i, j) == 4 and now[i][j] == 1)) for j in range(n)]
               for i in range(n)]
    hashes = set()
    for options in (("--map", "bb", "--block", "4"), ("--map", "lambda-stream", "--threads", "1"), ("--map", "rb"), ()):
        out, _ = tri.run("run", f"triangle-life:n={n}", "--steps", str(steps), "--backend", "cpu", "-o", "end.npy", *options)
        hashes.add(state_hash(out))
        expect(list(bytes_of("end.npy")[-n * n:]) == sum(now, []), options)
    expect(len(hashes) == 1, hashes)
    out, _ = tri.run("run", f"triangle-life:n={n}", "--steps", str(steps), "--backend", "cpu", "-o", "end.png", "--json")
    result = json.loads(out)
    expect((result["cells"], result["on"], result["map"]) == (n * (n + 1) // 2, sum(map(sum, now)), "lambda"), result)
    wanted = [[0 if j > i else 1 + now[i][j] for j in range(n)] for i in range(n)]
    expect(pixels_of("end.png") == wanted, "the picture is not that of the cells")
    _, err = tri.run("run", "triangle-life", "--steps", "1", "--map", "gasket", "--backend", "cpu", code=2)
    expect("--map" in err or "gasket" in err, err)


@case
def spins(tri):
    """Spins on a fractal: bits of any map, block and threads; the file of energies; a picture."""
    scene, hashes = "gasket:r=7,temperature=2.2", set()
    for options in (("--map", "bb", "--block", "4"), ("--threads", "1"), ("--map", "gasket-digits", "--block", "1")):
        out, _ = tri.run("run", scene, "--steps", "30", "--backend", "cpu", "--diag", "e.csv", "--diag-every", "10", *options)
        hashes.add(state_hash(out))
    expect(len(hashes) == 1, hashes)
    rows = [line.strip().split(",") for line in open("e.csv")]
    expect(rows[0] == ["step", "energy", "magnetisation"] and [r[0] for r in rows[1:]] == ["0", "10", "20", "30"], rows)
    out, _ = tri.run("run", scene, "--steps", "30", "--backend", "cpu", "-o", "s.png", "--json")
    result = json.loads(out)
    expect(abs(result["energy"] * 2187 - int(rows[-1][1])) < 1e-6 and result["rule"] is None, result)
    on = sum(row.count(2) for row in pixels_of("s.png"))
    expect(2 * on - 2187 == int(rows[-1][2]) and on == result["on"], (on, rows[-1]))
    for words, part in (((scene + ",rule=B3/S23",), "no rule"), (("gasket:temperature=-1",), "above 0"),
                        (("gasket:r=4", "--diag", "x.csv"), "no temperature"), (("menger:r=2", "-o", "m.png"), "three dimensions"),
                        ((scene + ",storage=embedded",), "compact")):
        _, err = tri.run("run", *words, "--steps", "1", "--backend", "cpu", code=2)
        expect(part in err, (words, err))


@case
def snapshots(tri):
    for every in "11", "dt=0.05":
        _, err = tri.run("run", "plummer:n=33", "--steps", "10", "--save-every", every, "--snapshot", "s_{step}.npy")
        expect("the run ends before a step of --save-every" in err, err)
    _, err = tri.run("run", "plummer:n=33", "--steps", "10", "--save-every", "4", "--snapshot", "s_{step}.npy", "-o", "end.csv")
    expect("--save-every" not in err, err)
    expect(sorted(os.listdir(".")) == ["end.csv", "s_04.npy", "s_08.npy"], os.listdir("."))
    shape, at8 = read_npy("s_08.npy")
    expect(shape == [33, 7], shape)
    # A snapshot can start a run: two steps after step 8 the state is that of step 10. fp64 loses nothing.
    tri.run("run", "plummer:n=33", "--steps", "8", "--precision", "fp64", "--dt", "0.01", "-o", "at8.npy")
    out10, _ = tri.run("run", "plummer:n=33", "--steps", "10", "--precision", "fp64", "--dt", "0.01")
    out, _ = tri.run("run", "at8.npy", "--steps", "2", "--precision", "fp64", "--dt", "0.01", "--eps", "0.02")
    expect(state_hash(out) == state_hash(out10), "the restart differs from the run")


@case
def contact_warning(tri):
    _, err = tri.run("run", "sphere-box:n=30", "--steps", "1")
    expect(err == "", err)
    _, err = tri.run("run", "sphere-box:n=30,dt=0.05", "--steps", "1")
    expect("contact" in err and "dt" in err, err)
    write("soft.toml", 'title = "t"\nbodies = [[1, -0.5, 0, 0, 1, 0, 0, 0.1], [1, 0.5, 0, 0, -1, 0, 0, 0.1]]\n'
                       '[parameters]\ndt = 0.001\n[physics]\npair = "contact"\nstiffness = 1\n')
    _, err = tri.run("run", "soft.toml", "--steps", "1000")
    before, during = err.splitlines()
    expect("bodies 0 and 1 can come together at a speed of 2 and overlap by 1.41" in before, before)
    expect(re.search(r"bodies 0 and 1 overlap by \S+, \d+ % of the smaller radius, at t = 0\.4", during), during)
    out, _ = tri.run("run", "soft.toml", "--steps", "1000", "--json")
    soft = json.loads(out)
    expect(soft["overlap_max"] > 1.5 and 0.4 < soft["overlap_max_time"] < 0.6, soft)
    expect(sum("too soft" in note for note in soft["notes"]) == 2, soft["notes"])
    out, err = tri.run("run", "soft.toml:stiffness=4000", "--steps", "1000", "--json")
    expect("too soft" not in err, err)
    hard = json.loads(out)
    expect(0 < hard["overlap_max"] < 0.5, hard)
    out, _ = tri.run("run", "soft.toml:stiffness=4000", "--steps", "1000")
    seen = f"{hard['overlap_max']:.3g} of the smaller radius, the largest seen in {hard['overlap_states']:,} of 1,001 states"
    expect(1 < hard["overlap_states"] <= 1001 and seen in out, (seen, out))
    out, _ = tri.run("run", "plummer:n=9", "--steps", "1", "--json")
    expect(json.loads(out)["overlap_max"] is None and json.loads(out)["overlap_states"] is None, out)
    for options in (["--eps", "0.1"], ["--G", "2"]):
        _, err = tri.run("run", "soft.toml", "--steps", "1", *options, code=2)
        expect("belongs to gravity, and the law of pairs is contact" in err, err)
    _, err = tri.run("run", tri.file("solar_system.tab"), "--law", "-mi*mj/r", "--eps", "1", "--steps", "1", code=2)
    expect("--eps belongs to gravity" in err, err)
    for option, why in ((["--broad-phase", "all-pairs"], "belongs to contact"), (["--tolerance", "1e-6", "--pairs", "all"], "tensor cores"),
                        (["--law", "none", "--block", "8"], "no law goes over them")):
        _, err = tri.run("run", "kepler", "--steps", "1", "--backend", "cpu", *option, code=2)
        expect(why in err, err)
    write("rays.csv", "m,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n0,1,0,0,0,1,0\n0,1,0,0,0,2,0\n0,2,0,0,0,9,0\n0,1,0,0,0,1,0\n")
    for precision in "fp32", "fp64":
        out, _ = tri.run("run", "rays.csv", "--steps", "10", "--precision", precision, "--orbits")
        table = out[out.index("osculating"):]
        expect("unbound" in table and "nan" not in table and "inf" not in table, table)


@case
def nan_guard(tri):
    write("two.csv", "x,y,z,m\n0,0,0,1\n1,1,1,1\n1,1,1,1\n")
    _, err = tri.run("run", "two.csv", "--steps", "5", "--diag", "d.csv", code=4)
    expect(re.search(r"step 1\b", err) and re.search(r"body [12]\b", err), err)


@case
def numbers_out_of_range(tri):
    """What fp32 would turn into 0, and energies beyond float64, are told."""
    write("light.csv", "x,y,z,m\n0,0,0,1\n1,0,0,1e-300\n")
    _, err = tri.run("run", "light.csv", "--steps", "1", "--precision", "fp32", code=2)
    expect("body 1 has the mass 1e-300" in err and "--precision fp64" in err, err)
    _, err = tri.run("run", "light.csv", "--steps", "1")
    expect("body 1 has the mass 1e-300" in err and "so the run is in float64" in err, err)
    tri.run("compute", "forces", "light.csv", "-o", "f.csv", "--law", "gravity", "--precision", "fp32", code=2)
    tri.run("run", "light.csv", "--steps", "1", "--precision", "fp64")
    write("heavy.csv", "x,y,z,m\n0,0,0,1e300\n1,0,0,1e300\n")
    for steps in ("0", "1"):
        out, err = tri.run("run", "heavy.csv", "--steps", str(steps), "--precision", "fp64", code=4)
        expect(out == "" and err.startswith("error: step ") and err.count("\n") == 1, err)
    _, err = tri.run("run", "heavy.csv", "--steps", "0", "--precision", "fp64", "-o", "end.csv", code=4)
    expect("the potential energy is " in err and os.path.exists("end.csv"), err)
    # Sun and Jupiter in metres and kilograms: G/r^3 is 1.4e-46. A quarter of a revolution is 1083 days.
    write("si.csv", "x,y,z,m,vx,vy,vz\n0,0,0,1.98841e30,0,0,0\n7.785e11,0,0,1.898e27,0,13060,0\n")
    days = ["--G", "6.6743e-11", "--dt", "86400", "--steps", "1083"]
    _, err = tri.run("run", "si.csv", *days, "--precision", "fp32", code=2)
    expect("body 1" in err and "G/r^3" in err and "--precision fp64" in err and err.count("\n") == 1, err)
    tri.run("compute", "forces", "si.csv", "-o", "f.csv", "--law", "gravity", *days[:2], "--precision", "fp32", code=2)
    _, err = tri.run("run", "si.csv", *days, "-o", "quarter.csv")
    expect("G/r^3" in err and "so the run is in float64" in err, err)
    jupiter = [float(v) for v in text_of("quarter.csv").split()[2].split(",")]
    expect_near(jupiter[1], 7.785e11, 2e9, "y of Jupiter after a quarter")
    # Spheres whose squared radii float32 cannot hold: none of them overlap.
    write("small.csv", "x,y,z,r\n0,0,0,1e-25\n1,0,0,1e-25\n")
    _, err = tri.run("compute", "collisions", "small.csv", "-o", "c.csv", "--precision", "fp32", code=2)
    expect("(2 r)^2 = 4e-50" in err and "--precision fp64" in err, err)
    tri.run("compute", "collisions", "small.csv", "-o", "c.csv")


def summary_of(tri, *args):
    out, err = tri.run("run", *args, "--json")
    return json.loads(out), err


@case
def closest_pair_across_walls(tri):
    """The warning of a drifting energy names two bodies that are near each other across a periodic wall."""
    with open("wall.extxyz", "w") as f:
        f.write('3\nLattice="10 0 0 0 10 0 0 0 10" Properties=species:S:1:pos:R:3:velo:R:3:masses:R:1\n'
                "Ar 0.5 0 0 -1 0 0 1\nAr 9.3 0 0 1 0 0 1\nAr 5 5 0 1 0 0 1\n")
    _, err = tri.run("run", "wall.extxyz", "--law", "lj", "--cutoff", "4", "--dt", "0.1", "--steps", "3")
    expect("Bodies 0 and 1 are" in err, err)


@case
def the_same_said_twice(tri):
    """A key of a generator beside an option or a line of the scene that sets the same is refused, and so is an idle one."""
    scene = 'title = "t"\ngenerator = "gas"\n[parameters]\nn = 20\n{}[physics]\nrestitution = 0.2\n'
    write("both.toml", scene.format("e = 0.9\n"))
    write("one.toml", scene.format(""))
    for args, code, what in (
            (["gas:n=20,e=0.5", "--restitution", "0.3"], 2, "e and restitution set the same"),
            (["sphere-box:n=20,c=3", "--damping", "5"], 2, "c and damping set the same"),
            (["falling-pile:n=20,e=0.9", "--damping", "5"], 2, "e and damping set the same"),
            (["sphere-box:n=20,k=300", "--stiffness", "400"], 2, "key k is given twice"),
            (["plummer:n=20,precision=fp64", "--precision", "fp32"], 2, "key precision is given twice"),
            (["both.toml"], 6, "'both.toml', line 5: e and restitution set the same"),
            (["one.toml:e=0.9"], 2, "e and restitution set the same"),
            (["sphere-box:n=20,c=3", "--response", "impulses"], 2, "c belongs to contact with response"),
            (["sphere-box:n=20,k=300", "--response", "impulses"], 2, "k belongs to contact with response")):
        err = tri.run("run", *args, "--steps", "1", code=code)[1]
        expect(what in err, f"{args}: {err}")
    j = [summary_of(tri, *args, "--steps", "1")[0] for args in (["falling-pile:n=20", "--stiffness", "50000"],
                                                               ["falling-pile:n=20,k=50000"])]
    expect(j[0]["state_hash"] == j[1]["state_hash"], "e holds for the stiffness of an option")
    summary_of(tri, "one.toml", "--restitution", "0.5", "--steps", "1")  # in place of the text's


@case
def places_that_float32_lacks(tri):
    """Where float32 would lose the motion, float64 is the default, with a sentence; where it was asked for, a warning."""
    write("drift.csv", "x,y,z,vx,vy,vz,m\n1000000,0,0,1,0,0,1\n")
    j, err = summary_of(tri, "drift.csv", "--dt", "0.01", "--steps", "1000", "-o", "end.csv")
    expect(j["precision"] == "fp64" and "so the run is in float64" in err and "1e+06" in err, err)
    expect(any("so the run is in float64" in note for note in j["notes"]), j["notes"])
    with open("end.csv") as f:
        row = dict(zip(*(line.strip().split(",") for line in f if not line.startswith("#"))))
    expect_near(float(row["x"]), 1000010, 1e-6, "x after 10")
    j, err = summary_of(tri, "drift.csv", "--dt", "0.01", "--steps", "10", "--precision", "fp32", "-o", "lost.h5")
    expect(j["precision"] == "fp32" and "this motion is lost. Use --precision fp64." in err, err)
    # A typed law that is lost on the way, as the bodies fly apart.
    write("apart.csv", "x,y,z,vx,vy,vz,m\n0,0,0,0,0,0,1\n1e12,0,0,5e14,0,0,1\n")
    apart = ("apart.csv", "--law", "-mi*mj/r", "--dt", "1", "--steps", "4")
    j, err = summary_of(tri, *apart, "--precision", "fp32")
    expect(err.count("the typed law of pairs would be lost in float32") == 1 and re.match("step [1-4]: ", err), err)
    expect(any("would be lost" in note for note in j["notes"]), j["notes"])
    expect("would be lost" not in summary_of(tri, *apart, "--precision", "fp64")[1], "float64 holds it")
    j, err = summary_of(tri, "--restart", "lost.h5", "--steps", "1")
    expect("this motion is lost" in err and err.count("this motion") == 1, err)
    j, err = summary_of(tri, "drift.csv", "--dt", "0.01", "--steps", "1", "--precision", "fp64")
    expect("float32" not in err and j["precision"] == "fp64", err)
    # A binary far from the origin keeps its orbit.
    v = 0.5 / 0.01**0.5
    write("binary.csv", f"x,y,z,vx,vy,vz,m\n8122,0,0,0,{-v},0,0.5\n8122.01,0,0,0,{v},0,0.5\n")
    j, err = summary_of(tri, "binary.csv", "--dt", "1e-5", "--steps", "600", "--orbits")
    expect(j["precision"] == "fp64" and "at 8122" in err, err)
    expect_near(j["orbits"][0]["semi_major_axis"], 0.01, 1e-4, "a")
    # One that drifts away from the origin is named on the way.
    write("flies.csv", "x,y,z,vx,vy,vz,m\n-0.5,0,0,1000,-0.70711,0,1\n0.5,0,0,1000,0.70711,0,1\n")
    err = tri.run("run", "flies.csv", "--dt", "0.01", "--steps", "10000")[1]
    expect("from each other: this motion is lost. Use --precision fp64." in err, err)
    # Two that meet far from the origin and part again, sooner than the clock asks for a look.
    write("meet.csv", "x,y,z,vx,vy,vz,m\n0,-409.6,0,1000,10,0,1\n0.5,0,0,1000,0,0,1\n")
    err = tri.run("run", "meet.csv", "--dt", "0.01", "--steps", "10000", "--law", "-mi*mj/r")[1]
    expect(re.search("^step [34][0-9]{3}: bodies 0 and 1 are at .*this motion is lost", err, re.M), err)
    # A tiny step moves them all the same.
    j, err = summary_of(tri, "kepler:e=0", "--dt", "1e-8", "--steps", "3")
    expect(j["precision"] == "fp64" and "in a time step" in err, err)
    # Beads in a box whose corner is far away: no energy is gained.
    rows = [[0.001] + [c + 0.01 + 0.02 * (i // s % 5) for c, s in ((2000, 1), (3000, 5), (100, 25))] + [0.005, 0, 0, 0.005]
            for i in range(125)]
    write("beads.toml",
          f'title = "beads"\nbodies = {rows}\n[parameters]\ndt = 2e-5\n[physics]\npair = "contact"\n'
          'stiffness = 1000\nwalls = "reflecting"\nlow = [2000, 3000, 100]\nhigh = [2000.2, 3000.2, 100.2]\n')
    j, err = summary_of(tri, "beads.toml", "--steps", "1000")
    expect(j["precision"] == "fp64" and "at 3000.05" in err and j["energy_error_max"] < 1e-2, err + str(j))


@case
def units(tri):
    """One system of units for the scene and every option, which sets G and stands in summary and JSON."""
    # A circle of 1 AU about 1 Msun takes a Gaussian year, 1.0000188867 Julian years.
    year = ["--until", "1.0000188867", "--precision", "fp64", "-o", "k.csv"]
    out, _ = tri.run("run", "kepler:e=0", "--units", "au-yr-msun", *year, "--json")
    result = json.loads(out)
    expect(result["units"]["system"] == "au-yr-msun" and result["units"]["time"] == "yr", result["units"])
    expect_near(result["steps"], 1024, 0, "steps of a year")
    rows = [line for line in open("k.csv") if line[0] not in "#x"]
    x, y = (float(v) for v in rows[1].split(",")[:2])
    expect_near(x, 0.5, 1e-4, "x after a year")
    expect_near(y, 0, 1e-4, "y after a year")
    out, _ = tri.run("run", "kepler", "--units", "si", "--steps", "1")
    expect("units           si: length m, mass kg, time s, G = 6.6743e-11\n" in out and " s, to t = " in out, out)
    write("sun.csv", "x,y,z,m,vx,vy,vz\n0,0,0,1,0,0,0\n1,0,0,0,0,6.28,0\n")
    out, _ = tri.run("run", "sun.csv", "--units", "au-yr-msun", "--dt", "0.001", "--steps", "1")
    expect("G = 39.4769" in out, out)
    for own, G in (("pc-myr-msun", "G = 0.0044985"), ("kpc, 1e10 Msun, km/s", "G = 43009.2")):
        for scene in ("sun.csv", "plummer:n=9"):
            out, _ = tri.run("run", scene, "--units", own, "--steps", "1")
            expect(G in out, out)
        tri.run("convert", "sun.csv", "own.csv", "--units", own)
        out, _ = tri.run("run", "own.csv", "--steps", "1")
        expect(G in out, out)
    _, err = tri.run("run", "sun.csv", "--units", "pc, kg", code=2)
    expect("--units takes nbody, si" in err, err)
    # What a format has no place for is said by every command that writes.
    open("q.csv", "w").write("x,y,z,m,q\n0,0,0,1,1\n1,0,0,1,-1\n")
    _, err = tri.run("run", "q.csv", "--units", "si", "--steps", "2", "--save-every", "1", "--snapshot", "q_{step}.npy",
                     "-o", "q.npy")
    for lost in ("charges", "the units"):
        for output in ("q_{step}.npy", "q.npy"):
            expect(err.count(f"'{output}': npy does not store {lost}; dropped.") == 1, err)
    # dt, --until and --save-every of argon are picoseconds, and its lengths nanometres.
    out, _ = tri.run("run", "argon-crystal:n=32,temperature=0", "--dt", "0.004", "--until", "0.4", "--save-every",
                     "dt=0.2", "--snapshot", "a_{step}.csv", "--json")
    result = json.loads(out)
    expect(result["steps"] == 100 and abs(result["time_ps"] - 0.4) < 1e-12 and abs(result["time"] - 0.4) < 1e-12, out)
    expect(os.path.exists("a_050.csv") and os.path.exists("a_100.csv"), os.listdir("."))
    xs = [float(line.split(",")[0]) for line in open("a_050.csv") if line[0] not in "#x"]
    expect_near(max(xs) - min(xs), 1.5 * 0.5316, 0.02, "width of the crystal in nm")
    _, err = tri.run("run", "solar-system", "--units", "si", "--steps", "1", code=2)
    expect("its numbers are in others (au-msun)" in err, err)
    _, err = tri.run("run", "kepler", "--units", "kpc", "--steps", "1", code=2)
    expect("kpc-kms-msun" in err, err)
    tri.run("run", "kepler", "--units", "au-yr-msun", "--steps", "2", "-o", "k.hdf5")
    _, err = tri.run("run", "--restart", "k.hdf5", "--units", "si", "--steps", "1", code=2)
    expect("--units si contradicts" in err and "au-yr-msun" in err, err)
    out, _ = tri.run("run", "--restart", "k.hdf5", "--steps", "1")
    expect("units           au-yr-msun" in out, out)


def started_and_stopped(tri, arguments, after, signal_number):
    """Sends the signal once `after()` is true, and at once again, as `timeout` does; returns code, output and error."""
    process = subprocess.Popen([tri.path, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 60
    while not after() and time.monotonic() < end and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal_number)
    time.sleep(0.001)
    process.send_signal(signal_number)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


@case
def interrupted(tri):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU, signal.SIGUSR1, signal.SIGUSR2):
        for name in ("d.csv", "end.csv"):
            if os.path.exists(name):
                os.remove(name)
        arguments = ["run", "plummer:n=300", "--steps", "100000000", "--diag", "d.csv", "--diag-every", "10", "-o",
                     "end.csv", "--precision", "fp64"]
        rows = lambda: os.path.exists("d.csv") and sum(1 for _ in open("d.csv")) > 3
        code, out, err = started_and_stopped(tri, arguments, rows, number)
        expect(code == 130 and "interrupted" in err, f"{code}: {err}")
        state_hash(out)
        steps = int(re.search(r"steps +([\d,]+) of", out).group(1).replace(",", ""))
        last = text_of("d.csv").rstrip("\n").split("\n")[-1]
        expect(int(last.split(",")[0]) == steps, f"the last row is {last}, the run ended at {steps}")
        expect(sum(1 for _ in open("end.csv")) == 301, "the state is incomplete")


@case
def interrupted_start(tri):
    """The first energies of many bodies take long; a signal ends them at once."""
    begin = time.monotonic()
    arguments = ["run", "plummer:n=400000", "--steps", "1", "--backend", "cpu", "-o", "end.csv"]
    code, out, err = started_and_stopped(tri, arguments, lambda: time.monotonic() - begin > 3, signal.SIGTERM)
    took = time.monotonic() - begin - 3
    expect(code == 130 and out == "" and "first forces and energies" in err, f"{code}: {err}")
    expect(took < 2 and not os.path.exists("end.csv"), took)


@case
def interrupted_scenes(tri):
    """A signal while many bodies or cells are made: nothing is written, and soon."""
    for arguments in (["run", "galaxy:n=20000000", "--steps", "1", "-o", "end.csv"],
                      ["run", "gasket:r=17", "--steps", "1000000"], ["convert", "galaxy:n=20000000", "end.npy"]):
        begin = time.monotonic()
        code, out, err = started_and_stopped(tri, arguments, lambda: time.monotonic() - begin > 1, signal.SIGTERM)
        expect(code == 130 and "interrupted" in err, f"{code}: {err}")
        expect(time.monotonic() - begin - 1 < 3 and not os.listdir("."), time.monotonic() - begin - 1)


@case
def huge_pages(tri):
    """Large arrays are in huge pages, so that gigabytes are freed at once where a signal ends the program."""
    try:
        huge = "[never]" not in open("/sys/kernel/mm/transparent_hugepage/enabled").read()
    except OSError:
        huge = False
    if not huge:
        skip("this system has no transparent huge pages")
    process = subprocess.Popen([tri.path, "run", "gasket:r=18", "--steps", "1000000", "--backend", "cpu"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    most = 0
    while most < 200000 and process.poll() is None:
        time.sleep(0.05)
        words = re.findall(r"AnonHugePages:\s+(\d+) kB", open(f"/proc/{process.pid}/smaps_rollup").read())
        most = int(words[0]) if words else most
    process.kill()
    process.wait()
    expect(most >= 200000, most)


@case
def interrupted_bench(tri):
    for measured in (["--preset", "device-report"],  # while the device's rates are measured
                     ["--kernel", "gravity", "--n", "1000000", "--map", "lambda"]):  # while the first sample is computed
        write("o.json", "earlier\n")
        begin = time.monotonic()
        arguments = ["bench", *measured, "--backend", "cpu", "-o", "o.json"]
        code, out, err = started_and_stopped(tri, arguments, lambda: time.monotonic() - begin > 1, signal.SIGINT)
        expect(code == 130 and time.monotonic() - begin - 1 < 3, f"{code} after {time.monotonic() - begin - 1} s: {err}")
    expect("nothing was written" in err and open("o.json").read() == "earlier\n", err)
    arguments = ["bench", "--kernel", "gravity", "--n", "2000", "--map", "lambda", "--samples", "100000", "--json"]
    for seconds in (1.5, 6, 30):  # a busy machine may have no sample after 1.5 s
        begin = time.monotonic()
        code, out, err = started_and_stopped(tri, arguments, lambda: time.monotonic() - begin > seconds, signal.SIGINT)
        expect(code == 130, f"{code}: {err}")
        rows = json.loads(out).get("results", [])
        if rows:
            break
    expect(rows and all(row["samples"] > 0 and row["check"]["passed"] for row in rows), out)


@case
def resumed_bench(tri):
    """Ctrl-C and a kill leave a file that can be resumed; its complete entries stay unchanged."""
    arguments = ["bench", "--kernel", "dummy,gravity", "--n", "500:2000:500", "--map", "lambda,fold", "--samples", "6",
                 "--warmup", "20", "--seed", "7", "--resume", "r.json"]
    results = lambda: json.load(open("r.json"))["results"] if os.path.exists("r.json") else []
    complete = lambda: [r for r in results() if r["samples"] == 6]
    for number, more in ((signal.SIGINT, 0), (signal.SIGKILL, 3)):
        enough = len(complete()) + more
        code, out, err = started_and_stopped(tri, arguments, lambda: len(complete()) > enough, number)
        expect(code in (130, -9) and out == "", f"{code}: {err}")
    before = complete()
    expect(6 <= len(before) < 24, len(before))
    out, err = tri.run(*arguments)
    expect(re.search(r"[1-9]\d* of 8 groups stand complete", err) and out == "", err)
    after = results()
    expect(len(after) == 8 * 3 and all(r["samples"] == 6 and r["check"]["passed"] for r in after), len(after))
    whole = [r for r in before if sum(b["kernel"] == r["kernel"] and b["n"] == r["n"] for b in before) == 3]
    expect(len(whole) >= 6 and all(r in after for r in whole), "resumed entries have changed")
    _, err = tri.run(*[("8" if a == "7" else a) for a in arguments], code=2)
    expect("seed = 7" in err, err)
    with open("r.json", "r+") as f:
        f.truncate(1000)
    _, err = tri.run(*arguments, code=6)
    expect(re.search(r"'r\.json' is not JSON \(line \d+\)", err), err)


@case
def dry_run_bench(tri):
    """No backend is opened: the output is the same without a GPU."""
    out, err = tri.run("bench", "--kernel", "dummy", "--map", "lambda,utm", "--n", "5000", "--backend", "cuda",
                       "--dry-run")
    expect("skipped utm: --map utm is exact" in out and "1 of them certain" in out.replace("\n", " "), out)
    expect(err == "", err)
