"""Cases of the command line: jobs on a user's file, bench and verify, compared with computations in Python; and matrices of
distances that are streamed to disk, and go on after any end."""

import glob
import itertools
import json
import math
import os
import random
import re
import resource
import shlex
import signal
import struct
import subprocess
import sys
import time

from program import bytes_of, case, expect, expect_near, read_npy, skip, write


@case
def iris_distances(tri):
    """SciPy's pdist: condensed, row by row, (0,1), (0,2) ... (148,149)."""
    with open(tri.file("iris.csv")) as f:
        f.readline()
        points = [[float(v) for v in line.split(",")] for line in f if line.strip()]
    n = len(points)
    expect(n == 150, n)
    want = [math.dist(points[i], points[j]) for i in range(n) for j in range(i + 1, n)]

    def check(name, got, wanted, tolerance):
        expect(len(got) == len(wanted), f"{name}: {len(got)} values, not {len(wanted)}")
        worst = max(abs(a - b) for a, b in zip(got, wanted))
        expect(worst <= tolerance, f"{name}: {worst}")

    for name in ("lambda", "bb", "fold", "rb", "circulant", "lambda-grouped", "lambda-longest"):
        tri.run("compute", "distances", tri.file("iris.csv"), "-o", "d.npy", "--map", name)
        shape, got = read_npy("d.npy")
        expect(shape == [n * (n - 1) // 2], shape)
        check(name, got, want, 1e-14)
    tri.run("compute", "distances", tri.file("iris.csv"), "-o", "d.npy", "--precision", "fp32")
    check("fp32", read_npy("d.npy")[1], want, 1e-6)
    tri.run("compute", "distances", tri.file("iris.csv"), "-o", "d.csv")
    check("csv", [float(line) for line in open("d.csv")], want, 1e-14)
    tri.run("compute", "distances", tri.file("iris.csv"), "-o", "s.npy", "--layout", "square")
    shape, got = read_npy("s.npy")
    expect(shape == [n, n], shape)
    check("square", got, [math.dist(a, b) for a in points for b in points], 1e-14)
    tri.run("compute", "distances", tri.file("iris.csv"), "-o", "l.npy", "--layout", "lower")
    check("lower", read_npy("l.npy")[1], [math.dist(points[i], points[j]) for i in range(n) for j in range(i + 1)], 1e-14)
    tri.run("compute", "distances", tri.file("iris.csv"), "-o", "b.npy", "--layout", "blocks")
    tri.run("compute", "distances", tri.file("iris.csv"), "-o", "b.csv", "--layout", "blocks")
    shape, got = read_npy("b.npy")
    expect(shape == [15, 32, 32], shape)
    tiles = [(row, column) for row in range(5) for column in range(row + 1)]
    cells = [(32 * row + r, 32 * column + c) for row, column in tiles for r in range(32) for c in range(32)]
    check("blocks", got, [math.dist(points[i], points[j]) if max(i, j) < n else 0 for i, j in cells], 1e-14)
    lines = open("b.csv").read().splitlines()
    expect([float(v) for line in lines for v in line.split(",")] == got and len(lines) == 15 * 32, "blocks as csv")


@case
def distances_of_bodies(tri):
    """Columns that are no positions are left out; what fp32 cannot hold is refused."""
    write("b.csv", ",m,x,y,z,vx,vy,vz\n0,5,0,0,0,9,9,9\n1,7,3,4,0,1,1,1\n2,8,0,0,1e20,1,1,1\n")
    _, err = tri.run("compute", "distances", "b.csv", "-o", "d.csv")
    expect(open("d.csv").readline() == "5\n" and "--columns" in err, err)
    tri.run("compute", "distances", "b.csv", "-o", "d.csv", "--columns", "m")
    expect(open("d.csv").read() == "2\n3\n1\n", open("d.csv").read())
    tri.run("compute", "distances", "b.csv", "-o", "e.csv", "--precision", "fp32")
    expect(open("e.csv").read().split()[1:] == ["1e+20", "1e+20"], open("e.csv").read())
    write("wide.csv", "x,y\n3e38,0\n0,0\n-3e38,0\n")
    _, err = tri.run("compute", "distances", "wide.csv", "-o", "w.csv", "--precision", "fp32", code=4)
    expect("distance 1 (from 0" in err and "--precision fp64" in err and not os.path.exists("w.csv"), err)
    write("tiny.csv", "x,y\n0,0\n0,1e-50\n")
    _, err = tri.run("compute", "distances", "tiny.csv", "-o", "w.csv", "--precision", "fp32", code=2)
    expect("point 1 has feature 1 = 1e-50" in err and "--precision fp64" in err, err)
    write("near.csv", "x,y\n100000000,1\n100000003,5\n100000000,1.25\n")
    tri.run("compute", "distances", "near.csv", "-o", "n.csv", "--precision", "fp32")
    expect([float(v) for v in open("n.csv").read().split()][:2] == [5, 0.25], open("n.csv").read())
    write("far.csv", "x,y\n0,0\n1e300,0\n")
    tri.run("compute", "distances", "far.csv", "-o", "e.csv")
    expect(float(open("e.csv").read()) == 1e300, open("e.csv").read())
    _, err = tri.run("compute", "distances", "far.csv", "-o", "e.csv", "--precision", "fp32", code=6)
    expect("'far.csv', line 3, column 1 (x)" in err and "--precision fp64" in err, err)


@case
def vanished_forces(tri):
    """A force that float32, or the quantum of ordered sums, makes 0 is told with its value."""
    write("atoms.csv", "x,y,z,m\n0,0,0,1\n1,0,0,1\n1e8,0,0,1\n")
    lj = ["compute", "forces", "atoms.csv", "-o", "f.csv", "--law", "lennard-jones"]
    _, err = tri.run(*lj, "--precision", "fp32")
    expect("float32 loses the force on 1 body: 4.8e-55 on body 2, and not 0" in err, err)
    _, err = tri.run(*lj)
    expect("loses" not in err, err)
    write("binary.csv", "x,y,z,m\n0,0,0,1\n1e-6,0,0,1\n1e5,0,0,1\n")
    _, err = tri.run("compute", "forces", "binary.csv", "-o", "f.csv", "--law", "gravity", "--accumulate", "ordered")
    expect("2e-10 on body 2" in err or "lose" not in err, err)  # a GPU has more bits
    # What float64 cannot hold is refused.
    write("huge.csv", "x,y,z,m\n0,0,0,1\n1e200,0,0,1\n")
    _, err = tri.run("compute", "forces", "huge.csv", "-o", "f.csv", "--law", "gravity", code=2)
    expect("would vanish in float64" in err, err)
    for option in ("--sigma", "--cutoff"):
        _, err = tri.run(*lj, option, "1e-170", code=2)
        expect("float64" in err, err)
    # Far from the origin positions lose nothing, and neither do triples and spheres of any size.
    write("far.csv", "x,y,z,m\n100000000.25,0,0,1\n100000001.25,0,0,1\n")
    tri.run("compute", "forces", "far.csv", "-o", "f.csv", "--law", "gravity", "--precision", "fp32")
    expect(open("f.csv").read().split()[1] == "1,0,0", open("f.csv").read())
    write("spheres.csv", "x,y,z,r\n" + "".join(f"{i}e200,0,0,0.50001e200\n" for i in range(300)))
    out, _ = tri.run("compute", "collisions", "spheres.csv", "-o", "c.csv", "--json")
    expect(json.loads(out)["collisions"] == 299, out)
    write("wide.csv", "x,y,z,r\n-1e6,0,0,1\n1000000.03,0,0,0.01\n1000000.055,0,0,0.01\n")
    _, err = tri.run("compute", "collisions", "wide.csv", "-o", "c.csv", "--precision", "fp32")
    expect("rounds the place of body 1 by more than a 64th of its radius, 0.01" in err, err)
    _, err = tri.run("compute", "collisions", "wide.csv", "-o", "c.csv")
    expect("rounds" not in err, err)
    _, err = tri.run("compute", "forces", "wide.csv", "-o", "f.csv", "--law", "gravity", "--precision", "fp32")
    expect("digits of the forces are lost" in err and "bodies 1 and 2" in err, err)
    write("points.csv", "x,y,z\n0,0,0\n1e-200,0,0\n0,1e-200,0\n")
    out, _ = tri.run("compute", "triplets", "points.csv", "--bins", "0,1.1e-200,2e-200", "-o", "t.csv", "--json")
    expect(json.loads(out)["inside"] == 1, out)


@case
def bodies_near_one_place(tri):
    """Spheres whose direction a precision loses are refused, or take float64; those at one place are told."""
    for name, at, job, precision in (("a.csv", "1e-20", ("compute", "forces"), "fp32"),
                                     ("b.csv", "1e-200", ("compute", "forces"), "fp64"),
                                     ("c.csv", "1.000000001", ("run", "--steps", "0"), "fp32")):
        write(name, f"x,y,z,r\n{int(float(at))},0,0,1\n{at},0,0,1\n")
        _, err = tri.run(*job, name, "--law", "contact", "-o", "f.csv", "--precision", precision, code=2)
        expect("loses their direction" in err and "bodies 0 and 1" in err, (name, err))
    out, err = tri.run("compute", "forces", "a.csv", "--law", "contact", "-o", "-")
    expect(out.splitlines()[1] == "-20000,0,0" and "one place" not in err, out + err)
    _, err = tri.run("run", "a.csv", "--law", "contact", "--steps", "0")
    expect("so the run is in float64" in err, err)
    write("s.csv", "x,y,z,r,q\n0,0,0,1,5\n0,0,0,1,-5\n2,0,0,1,0\n")
    for job in (("run", "--steps", "0"), ("compute", "forces", "-o", "f.csv")):
        _, err = tri.run(*job, "s.csv", "--law", "contact")
        expect("bodies 0 and 1 are at one place" in err and "charges" in err, err)
    _, err = tri.run("compute", "forces", "s.csv", "--law", "lj", "-o", "f.csv", code=4)
    expect("3 of 3 bodies have a radius" in err and "the bodies have charges" in err, err)
    expect("it coincides with body 1. Use another place for one of them." in err, err)


def spread_bodies(n):
    """A reproducible cloud from a generator in Python: x, y, z, m, r."""
    bodies, state = [], 12345
    for _ in range(n):
        values = []
        for _ in range(5):
            state = (1103515245 * state + 12345) % 2**31
            values.append(state / 2**31)
        bodies.append((*values[:3], 0.5 + values[3], 0.08 * values[4]))
    write("bodies.csv", "x,y,z,m,r\n" + "".join(",".join(repr(v) for v in b) + "\n" for b in bodies))
    return bodies


@case
def collisions(tri):
    b = spread_bodies(301)
    want = [(i, j) for i in range(301) for j in range(i + 1, 301) if math.dist(b[i][:3], b[j][:3]) <= b[i][4] + b[j][4]]
    expect(len(want) > 50, len(want))
    for name in ("lambda", "h", "utm"):
        out, _ = tri.run("compute", "collisions", "bodies.csv", "-o", "c.csv", "--map", name, "--json")
        lines = open("c.csv").read().split()
        expect(lines[0] == "i,j", lines[0])
        expect([tuple(int(v) for v in line.split(",")) for line in lines[1:]] == want, name)
        expect(json.loads(out)["collisions"] == len(want), out)
    looked_at = {}
    for phase in ("auto", "all-pairs", "grid"):
        out, _ = tri.run("compute", "collisions", "bodies.csv", "-o", "g.csv", "--broad-phase", phase, "--json")
        expect(open("g.csv").read() == open("c.csv").read(), phase)
        looked_at[phase] = json.loads(out)["work_items"]
    expect(looked_at["all-pairs"] == 301 * 300 // 2 and 0 < looked_at["grid"] <= looked_at["all-pairs"], looked_at)
    tri.run("compute", "collisions", "bodies.csv", "-o", "p.npy", "--per-body")
    expect(read_npy("p.npy")[1] == [sum(i in pair for pair in want) for i in range(301)], "contacts of each body")
    head, *rows = open("bodies.csv").read().splitlines(keepends=True)
    for n in (1, 2, 5, 17, 300, 301):
        write("some.csv", head + "".join(rows[:n]))
        tri.run("compute", "collisions", "some.csv", "-o", "a.npy", "--adjacency")
        shape, octets = read_npy("a.npy")
        bits = [octet >> bit & 1 for octet in octets for bit in range(8)]
        expect(shape == [-(-(n * (n - 1) // 2) // 8)] and not any(bits[n * (n - 1) // 2 :]), (n, shape))
        found = [(j, i) for i in range(n) for j in range(i) if bits[i * (i - 1) // 2 + j]]
        expect(sorted(found) == [pair for pair in want if pair[1] < n], f"bits of {n} bodies")

    def image(i, j):
        apart = (abs(p - q) % side for p, q, side in zip(b[i][:3], b[j][:3], sides))
        return math.hypot(*(min(d, side - d) for d, side in zip(apart, sides)))

    for box, sides in (("1", (1, 1, 1)), ("0.6,0.7,0.8", (0.6, 0.7, 0.8))):
        tri.run("compute", "collisions", "bodies.csv", "-o", "b.csv", "--box", box)
        near = [(i, j) for i in range(301) for j in range(i + 1, 301) if image(i, j) <= b[i][4] + b[j][4]]
        lines = open("b.csv").read().split()
        expect([tuple(int(v) for v in line.split(",")) for line in lines[1:]] == near and len(near) > len(want), box)
    write("cell.xyz", '2\nProperties=pos:R:3:radius:R:1 Lattice="10 10 10"\n0.5 5 5 1\n9.5 5 5 1\n')
    for box in ((), ("--box", "10")):
        expect(tri.run("compute", "collisions", "cell.xyz", "-o", "-", *box)[0].split() == ["i,j", "0,1"], box)
    _, err = tri.run("compute", "collisions", "cell.xyz", "-o", "-", "--box", "20", code=2)
    expect("periodic cell with the side 10 along x, and --box has 20" in err, err)
    # A place that float64 does not know within the box is refused; one that it knows enters the box.
    for x, radius, side, said in (("1e16", 0.3, "1", "numbers of float64 are 2 apart, and its radius is 0.3"),
                                  ("-3e13", 0.1, "1", "its radius is 0.1"), ("1e14", 0, "10", "a side is 10")):
        write("far.csv", f"r,x,y,z\n{radius},{x},0.5,0.5\n{radius},0.5,0.5,0.5\n")
        for more in ((), ("--per-body",), ("--precision", "fp32")):
            _, err = tri.run("compute", "collisions", "far.csv", "-o", "-", "--box", side, *more, code=2)
            expect("body 0 is at" in err and said in err, err)
    write("far.csv", "r,x,y,z\n0.1,1000000.5,0.5,0.5\n0.1,0.6,0.5,0.5\n")
    expect(tri.run("compute", "collisions", "far.csv", "-o", "-", "--box", "1")[0].split() == ["i,j", "0,1"], "near")
    write("far.toml", 'title = "t"\nbodies = [[1, 1e16, 0, 0, 0, 0, 0, 0.1], [1, 0.5, 0, 0, 0, 0, 0, 0.1]]\n[physics]\n'
                      'pair = "contact"\nstiffness = 10\nwalls = "periodic"\nlow = [-1, -1, -1]\nhigh = [1, 1, 1]\n')
    _, err = tri.run("run", "far.toml", "--steps", "1", code=6)
    expect("its place in the periodic box is not known" in err, err)


@case
def bodies_outside_their_cell(tri):
    """Enter it in float64, whatever the precision: float32 has no digits for a place a million sides away."""
    def forces_at(k, *options):
        write("far.xyz", '3\nProperties=pos:R:3:masses:R:1 Lattice="10 10 10"\n0.125 0.25 0.5 1\n'
                         f"{3.25 + 10 * k} 0.25 {0.5 - 10 * k} 1\n1.5 {3.75 + 20 * k} 9.75 1\n")
        if not options:
            out, _ = tri.run("run", "far.xyz", "--steps", "1", "--dt", "1e-3", "--precision", "fp32", "-o", "-",
                             "--law", "4*((s/r)^12 - (s/r)^6); s = 3; cutoff = 4.9")
        else:
            out, _ = tri.run("compute", "forces", "far.xyz", "-o", "-", "--law", "lj", "--sigma", "3", "--cutoff", "4.9",
                             *options)
        return out
    for options in (("--precision", "fp32"), ("--precision", "fp64"), ()):
        expect(forces_at(1_000_000, *options) == forces_at(0, *options), options)


@case
def forces(tri):
    b = spread_bodies(97)
    G, eps = 1.5, 0.1
    want = [[0.0] * 3 for _ in b]
    energy = 0.0
    for i in range(97):
        for j in range(i + 1, 97):
            d = [b[j][k] - b[i][k] for k in range(3)]
            r2 = sum(v * v for v in d) + eps * eps
            energy -= G * b[i][3] * b[j][3] / math.sqrt(r2)
            for k in range(3):
                f = G * b[i][3] * b[j][3] * d[k] / r2**1.5
                want[i][k] += f
                want[j][k] -= f
    flat = [v for row in want for v in row]
    rms = math.sqrt(sum(v * v for v in flat) / 97)
    for precision, tolerance in ((None, 1e-12), ("fp32", 1e-4)):
        options = ["--precision", precision] if precision else []
        out, _ = tri.run("compute", "forces", "bodies.csv", "-o", "f.npy", "--law", "gravity", "--G", str(G), "--eps",
                         str(eps), "--json", *options)
        shape, got = read_npy("f.npy")
        expect(shape == [97, 3], shape)
        expect(max(abs(a - w) for a, w in zip(got, flat)) <= tolerance * rms, precision)
        result = json.loads(out)
        expect(all(key in result for key in ("n", "law", "map", "energy", "virial", "work_items", "ms")), result)
        expect(result["work_items"] == 97 * 96 // 2, result)
        expect_near(result["energy"] / energy, 1, tolerance, "energy")
    # Axilrod-Teller: an equilateral triangle of side 1 has E = 11/8 and forces of (33/8) sqrt(3).
    write("t.csv", f"x,y,z\n0,0,0\n1,0,0\n0.5,{math.sqrt(0.75)!r},0\n")
    out, _ = tri.run("compute", "forces", "t.csv", "-o", "t.csv.npy", "--law", "axilrod-teller", "--nu", "1", "--json")
    expect_near(json.loads(out)["energy"], 11 / 8, 1e-12, "triple energy")
    expect_near(math.hypot(*read_npy("t.csv.npy")[1][:3]), 33 / 8 * math.sqrt(3), 1e-11, "triple force")
    tri.run("compute", "forces", "t.csv", "-o", "x.npy", "--law", "contact", code=2)  # no radii
    write("still.csv", "x,y,z,r\n0,0,0,1\n1,0,0,1\n")
    _, err = tri.run("compute", "forces", "still.csv", "-o", "x.npy", "--law", "contact", "--damping", "3")
    expect("damping and shear act on velocities, and no body has one" in err, err)
    tri.run("compute", "forces", "bodies.csv", "-o", "x.npy", "--law", "gravity", "--nu", "1", code=2)


@case
def triplets(tri):
    """Counts of triples by their sides against itertools, on every map and in both formats."""
    points = [(x * 0.37 % 1, x * 0.59 % 1, x * 0.83 % 1) for x in range(1, 41)]
    write("p.csv", "".join(f"{x!r},{y!r},{z!r}\n" for x, y, z in points))
    edges = [0, 0.25, 0.5, 0.75, 1]
    want = {}
    for a, b, c in itertools.combinations(points, 3):
        sides = sorted(math.dist(*pair) for pair in ((a, b), (b, c), (a, c)))
        if sides[2] < 1:
            cell = tuple(int(s / 0.25) for s in sides)
            want[cell] = want.get(cell, 0) + 1
    for name in ("bb", "tetra", "tetra-r", "tetra-lut", "tetra-stream", "tetra-h"):
        out, _ = tri.run("compute", "triplets", "p.csv", "-o", "t.csv", "--bins", "0:1:0.25", "--map", name, "--json")
        result = json.loads(out)
        expect(result["work_items"] == 40 * 39 * 38 // 6 == result["inside"] + result["outside"], result)
        lines = open("t.csv").read().splitlines()
        expect(lines[0] == "low1,high1,low2,high2,low3,high3,count", lines[0])
        got = {}
        for line in lines[1:]:
            *sides, count = line.split(",")
            got[tuple(edges.index(float(s)) for s in sides[::2])] = int(count)
        expect(got == want, (name, got, want))
    tri.run("compute", "triplets", "p.csv", "-o", "t.npy", "--bins", "0,0.25,0.5,0.75,1")
    raw = open("t.npy", "rb").read()
    expect(b"'shape': (4, 4, 4), " in raw, raw[:80])
    values = struct.unpack("<64q", raw[-512:])
    expect(all(values[(p * 4 + q) * 4 + r] == want.get((p, q, r), 0) for p in range(4) for q in range(4)
               for r in range(4)), values)
    tri.run("compute", "triplets", "p.csv", "-o", "t.npy", code=2)  # no bins


@case
def bench_json(tri):
    out, _ = tri.run("bench", "--kernel", "gravity,edm,triplet,gasket", "--map", "all", "--n", "64", "--samples", "6",
                     "--preset", "smoke", "--backend", "cpu", "--format", "json")
    report = json.loads(out)
    expect(report["schema"] == 1 and report["meta"]["argv"][1] == "bench", report["meta"])
    rows = report["results"]
    expect(len(rows) == 16 + 16 + 6 + 4, len(rows))
    for row in rows:
        expect(row["skipped"] is None and row["check"]["passed"], row)
        expect(row["min_ms"] <= row["median_ms"] <= row["max_ms"] and row["samples"] == 6, row)
    items = {row["kernel"]: row["work_items"] for row in rows}
    expect(items["gravity"] == 64 * 63 // 2 and items["triplet"] == 64 * 63 * 62 // 6 and items["gasket"] == 3**6, items)
    out, _ = tri.run("bench", "--kernel", "edm", "--n", "64", "--samples", "2", "--format", "csv", "-o", "b.csv")
    expect(out == "" and open("b.csv").read().startswith("kernel,map,backend,n,"), out)


@case
def bench_checks(tri):
    _, err = tri.run("bench", "--kernel", "gravity", "--map", "utm", "--n", "5000", "--samples", "1",
                     "--backend", "cpu", code=2)
    expect("--map utm is exact to n = 4097" in err, err)
    out, err = tri.run("bench", "--kernel", "dummy", "--map", "lambda,utm", "--n", "5000", "--samples", "1")
    expect("skipped: --map utm is exact" in out.replace("\n", " "), out)
    expect("1 of 2 combinations were skipped" in err, err)


@case
def bench_plain(tri):
    out, _ = tri.run("bench", "--kernel", "gravity", "--n", "4096", "--map", "plain,lambda", "--baseline", "plain", "--backend",
                     "cpu", "--threads", "1", "--samples", "5", "--json")
    plain, fast = json.loads(out)["results"]
    expect(plain["map"] == "plain" and plain["check"]["passed"] and fast["check"]["passed"], out)
    ratios = sorted(p / f for p, f in zip(plain["samples_ms"], fast["samples_ms"]))
    expect(math.isclose(fast["improvement"], ratios[len(ratios) // 2]), (fast["improvement"], ratios))
    # Sanitizers check every load of the vectorised code, so its speed means nothing.
    if not os.environ.get("TRI_SANITIZED"):
        expect(fast["improvement"] > 1, fast["improvement"])


@case
def verify_json(tri):
    out, err = tri.run("verify", "--quick", "--json")
    report = json.loads(out)
    expect(report["passed"] and report["failed"] == 0 and report["checks"] == len(report["results"]) > 50, report)
    names = [row["name"] for row in report["results"]]
    for name in ("map of pairs lambda", "map of triples tetra-r", "map of gasket gasket", "cpu gravity fp32 fast",
                 "cpu axilrod-teller fp64 bits", "cpu collisions fp32", "cpu bench gasket"):
        expect(name in names, names)


# Distances that are streamed to disk.


def part():
    """The file with what is done of d.npy; its state is beside it."""
    found = [name for name in glob.glob("d.npy.part-*") if not name.endswith("-state")]
    return found[0] if found else "none"


def state_file():
    return part() + "-state"


def cloud(n, name="p.csv"):
    random.seed(n)
    write(name, "".join(f"{random.random()!r},{random.random()!r},{random.random()!r}\n" for _ in range(n)))


def distances(*more, output="d.npy"):
    return ["compute", "distances", "p.csv", "-o", output, "--backend", "cpu", *more]


@case
def streamed_distances(tri):
    """Blocks of rows give the bytes of the whole; little memory is enough; a finished run leaves nothing else."""
    cloud(400)
    for layout in ("condensed", "square", "lower", "blocks"):
        for name in ("d.npy", "d.csv", "d.h5"):
            tri.run(*distances("--layout", layout, output=name))
            whole = bytes_of(name)
            for rows in ("32", "64", "320", "6400") if layout == "blocks" else ("1", "7", "333", "5000"):
                os.remove(name)
                _, err = tri.run(*distances("--layout", layout, "--rows-at-once", rows, output=name))
                expect(err == "" and bytes_of(name) == whole, (name, layout, rows, err))
    out, _ = tri.run(*distances("--layout", "square", "--rows-at-once", "50", output="-"))
    expect(sum(line.count(",") for line in out.splitlines()[:400]) == 400 * 399, out[:100])
    expect(sorted(os.listdir(".")) == ["d.csv", "d.h5", "d.npy", "p.csv"], os.listdir("."))
    if "TRI_SANITIZED" not in os.environ:
        # 800 MB of values with far less memory than that: the program's own peak, not that of the page cache.
        cloud(10000)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        tri.run(*distances("--layout", "square", "--rows-at-once", "300"))
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        expect(os.path.getsize("d.npy") > 8e8 and (peak < 400e3 or peak == before), f"{peak} KiB")


@case
def streamed_hdf5(tri):
    """What h5py reads of the HDF5 output."""
    script = """
import h5py, numpy
a = h5py.File("d.h5")["distances"]
b = numpy.load("d.npy")
if b.ndim == 3:
    b = b.reshape(-1, 1024)
assert a.chunks and a.shape == b.shape and a.dtype == b.dtype, (a, b)
assert a.attrs["points"] == 700, dict(a.attrs)
assert a.attrs["layout"].decode() in ("condensed", "square", "lower", "blocks"), dict(a.attrs)
assert numpy.array_equal(a[...], b)
"""
    python = os.environ.get("TRI_PYTHON", sys.executable)
    if subprocess.run([python, "-c", "import h5py"], stderr=subprocess.DEVNULL).returncode != 0:
        skip("there is no h5py")
    cloud(700)
    for layout in ("condensed", "square", "lower", "blocks"):
        for precision in ("fp32", "fp64"):
            options = ["--layout", layout, "--precision", precision, "--rows-at-once", "64"]
            tri.run(*distances(*options, output="d.h5"))
            tri.run(*distances(*options))
            done = subprocess.run([python, "-c", script], capture_output=True, text=True)
            expect(done.returncode == 0, (layout, precision, done.stderr))


def start(tri, *arguments):
    return subprocess.Popen([tri.path, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def rows_kept(state):
    with open(state) as f:
        return int(next(line for line in f if line.startswith("done ")).split()[1])


@case
def killed_distances(tri):
    """kill -9 at any moment: the same command goes on, and gives the bytes of a run that nothing ended."""
    cloud(6000)
    for name in ("d.npy", "d.h5"):
        arguments = distances("--layout", "square", "--rows-at-once", "40", "--threads", "1", output=name)
        begin = time.monotonic()
        tri.run(*arguments)
        took, whole = time.monotonic() - begin, bytes_of(name)  # a busy machine takes longer for all of them
        os.remove(name)
        kills, gone_on = 0, 0
        for patience in [took * k / 20 for k in range(1, 30)] + [None]:
            process = start(tri, *arguments)
            try:
                _, err = process.communicate(timeout=patience)
            except subprocess.TimeoutExpired:
                process.kill()
                _, err = process.communicate()
            gone_on += "goes on after" in err
            if process.returncode != -signal.SIGKILL:  # it may also end between the timeout and the kill
                break
            kills += 1
            if os.path.exists(name):  # killed after it was renamed
                expect(bytes_of(name) == whole, "the output is there before it is complete")
                os.remove(name)
        expect(process.returncode == 0, err)
        expect(kills > 0 and bytes_of(name) == whole, f"{name}: {kills} kills")
        expect(sorted(os.listdir(".")) == sorted({"p.csv", name} | ({"d.npy"} if name == "d.h5" else set())),
               os.listdir("."))
        if name == "d.npy":
            expect(gone_on > 0, "no run went on with another one")


@case
def interrupted_distances(tri):
    """Ctrl-C keeps the rows and says so; a damaged or foreign state is refused with what to do."""
    cloud(9000)
    arguments = distances("--layout", "square", "--rows-at-once", "10", "--threads", "1")
    write("d.npy", "an earlier result")
    process = start(tri, *arguments)
    end = time.monotonic() + 60
    while time.monotonic() < end and not (os.path.exists(state_file()) and os.path.getsize(part()) > 2000000):
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    PART, STATE = part(), state_file()
    told = re.search(r"interrupted after \d+ of 9000 rows, which are kept\. Go on with: triangulum (.*)\n", err)
    expect(process.returncode == 130 and told and ".part" not in err, err)
    expect(shlex.split(told[1]) == arguments, told[1])
    expect(bytes_of("d.npy") == b"an earlier result", "the earlier file was changed")
    kept = rows_kept(STATE)
    expect(0 < kept < 9000, kept)
    rows, state = bytes_of(PART), bytes_of(STATE)

    def refused(command, *words):
        _, err = tri.run(*command, code=6)
        expect(err.count("\n") == 1 and all(word in err for word in (PART, "delete", *words)), err)

    refused(distances("--layout", "lower"), "layout square, and this is lower")
    refused(distances("--layout", "square", "--precision", "fp32"), "precision fp64, and this is fp32")
    write("q.csv", open("p.csv").read().replace("0.1", "0.2", 1))
    refused([*arguments[:2], "q.csv", *arguments[3:]], "points")
    write(STATE, state.replace(b"done ", b"done 1"))
    refused(arguments, "its state is damaged")
    write(STATE, state)
    write(PART, rows[:kept * 9000 * 8])
    refused(arguments, "it was cut off")
    with open(PART, "wb") as f:  # a row that is done, but not as it was written
        f.write(rows[:70000] + bytes([rows[70000] ^ 1]) + rows[70001:])
    refused(arguments, "what is done is not what was written")
    os.remove(PART)
    refused(arguments, "is missing")
    expect(not os.path.exists(PART), "a refusal left a file")
    write(PART, rows)
    _, err = tri.run(*shlex.split(told[1]))
    expect(f"goes on after {kept} of 9000 rows of 'd.npy'" in err, err)
    resumed = bytes_of("d.npy")
    os.remove("d.npy")
    tri.run(*distances("--layout", "square"))
    expect(bytes_of("d.npy") == resumed, "the resumed file differs")


@case
def parts_of_others(tri):
    """Files of others under the names of a part are neither read, written nor removed; a protected result stays."""
    cloud(400)
    foreign = {name: f"of another: {name}" for name in
               ("d.npy.part", "d.npy.part-state", "d.npy.part-0123456789abcdef", "d.npy.tmp-0123456789abcdef")}
    for name, text in foreign.items():
        write(name, text)
    os.remove("d.npy.part")
    os.link("p.csv", "d.npy.part")  # writing to it would be writing to the input
    foreign["d.npy.part"] = open("p.csv").read()
    for rows in ("7", "5000"):
        tri.run(*distances("--rows-at-once", rows))
    expect(read_npy("d.npy")[0] == [400 * 399 // 2], "not the distances")
    for name, text in foreign.items():
        expect(open(name).read() == text, name)
    expect(sorted(os.listdir(".")) == sorted([*foreign, "d.npy", "p.csv"]), os.listdir("."))


@case
def full_disk_distances(tri):
    """A full disk ends it with 6 and a sentence; with more room the same command goes on."""
    cloud(3000)

    def limited(size):
        return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    arguments = distances("--rows-at-once", "20")
    tri.run(*arguments)
    whole = bytes_of("d.npy")
    os.remove("d.npy")
    _, err = tri.run(*arguments, code=6, preexec_fn=limited(100))  # before any row
    expect("cannot write 'd.npy'" in err and "free some space" in err, err)
    expect(sorted(os.listdir(".")) == ["p.csv"], os.listdir("."))
    for size in (4000000, 20000000, 30000000):
        _, err = tri.run(*arguments, code=6, preexec_fn=limited(size))
        expect("cannot write 'd.npy'" in err and "free some space" in err and "is kept" in err, err)
        expect(not os.path.exists("d.npy") and os.path.exists(part()), os.listdir("."))
    tri.run(*arguments)
    expect(bytes_of("d.npy") == whole, "the file differs")
    _, err = tri.run(*distances("--rows-at-once", "20", output="d.h5"), code=6, preexec_fn=limited(4000000))
    expect("cannot write 'd.h5'" in err and "free some space" in err, err)
    tri.run(*distances("--rows-at-once", "20", output="d.h5"))
    expect(sorted(os.listdir(".")) == ["d.h5", "d.npy", "p.csv"], os.listdir("."))
