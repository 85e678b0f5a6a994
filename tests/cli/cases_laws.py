"""Cases of the command line: typed laws, and the commands of docs/laws.md."""

import json
import math
import os

from harness import case, expect, expect_near, read_npy, state_hash

LJ = "4*eps*((s/r)^12 - (s/r)^6); eps = 1; s = 1"


@case
def typed_laws(tri):
    """Forces against Python, and against the built-in law; runs continue from a snapshot bit for bit."""
    with open("b.csv", "w") as f:
        f.write("m,x,y,z,q\n")
        for k in range(30):
            f.write(f"{1 + k % 3},{k % 3 * 1.1},{k // 3 % 3 * 1.2 + 0.1 * (k % 2)},{k // 9 * 1.3},{k % 2 * 2 - 1}\n")
    rows = [[float(v) for v in line.split(",")] for line in open("b.csv").readlines()[1:]]
    energy, want = 0.0, [0.0] * 90
    for i in range(30):
        for j in range(30):
            if i == j:
                continue
            d = [rows[j][k] - rows[i][k] for k in (1, 2, 3)]
            r = math.hypot(*d)
            yukawa = rows[i][4] * rows[j][4] * math.exp(-r / 2) / r
            energy += yukawa / 2
            for k in range(3):
                want[3 * i + k] -= yukawa * (1 / r + 1 / 2) * d[k] / r
    for backend in ("cpu",):
        for name in ("lambda", "bb", "fold"):
            out, _ = tri.run("compute", "forces", "b.csv", "-o", "f.npy", "--law", "qi*qj*exp(-r/L)/r; L = 2", "--map", name,
                             "--backend", backend, "--json")
            _, got = read_npy("f.npy")
            expect(max(abs(a - b) for a, b in zip(got, want)) < 1e-11, name)
            expect_near(json.loads(out)["energy"], energy, 1e-11, "energy")
            expect(json.loads(out)["law"] == "qi*qj*exp(-r/L)/r; L = 2", out)
    tri.run("compute", "forces", "b.csv", "-o", "t.npy", "--law", LJ)
    tri.run("compute", "forces", "b.csv", "-o", "own.npy", "--law", "lj")
    typed, own = read_npy("t.npy")[1], read_npy("own.npy")[1]
    scale = max(abs(v) for v in own)
    expect(max(abs(a - b) for a, b in zip(typed, own)) < 1e-12 * scale, "retyped")

    run = ["run", "b.csv", "--law", "-G*mi*mj/r; G = 2; softening = 0.3", "--precision", "fp64", "--backend", "cpu",
           "--threads", "2"]
    out, _ = tri.run(*run, "--steps", "20")
    expect("-G*mi*mj/r; G = 2; softening = 0.3" in out, out)
    tri.run(*run, "--steps", "11", "-o", "middle.hdf5")
    again, _ = tri.run("run", "--restart", "middle.hdf5", "--steps", "9", "--backend", "cpu", "--threads", "2")
    expect(state_hash(again) == state_hash(out), again)
    out, _ = tri.run("run", "argon-droplet:n=20,nu=0", "--steps", "2", "--triple-law", "k/(a*b*c); k = 0.1")
    expect("of triples" in out and "k = 0.1" in out, out)

    text = tri.run("law", LJ + "; cutoff = 2.5", "--plot", "l.svg")[0]
    expect("eps = 1, s = 1, cutoff = 2.5" in text and "over        pairs" in text, text)
    expect("<svg" in open("l.svg").read() and "energy" in open("l.svg").read(), "plot")
    shown = json.loads(tri.run("law", LJ, "--from", "1", "--to", "2", "--json")[0])
    expect(shown["values"][0]["r"] == 1 and abs(shown["values"][0]["energy"]) < 1e-14, shown)
    expect_near(shown["values"][0]["force"], 24, 1e-12, "force at s")
    expect(shown["parameters"] == {"eps": 1, "s": 1} and shown["sums"] == "forces", shown)
    triple = json.loads(tri.run("law", "--triples", "nu/(a*b*c)^3; nu = 2", "--from", "1", "--to", "2", "--json")[0])
    expect_near(triple["values"][0]["energy"], 2, 1e-14, "triple")
    expect_near(triple["values"][0]["force"], 18, 1e-12, "triple force")


@case
def typed_law_errors(tri):
    """Exit 2 with the place, a caret and a suggestion; in a file exit 6 with its line."""
    for command in (["law"], ["run", "plummer:n=10", "--steps", "1", "--law"], ["verify", "--law"],
                    ["compute", "forces", "b.csv", "-o", "f.npy", "--law"]):
        _, err = tri.run(*command, "4*eps*(s/r)^12; epsi = 1; s = 1", code=2)
        expect("'eps'" in err and "epsi" in err and "^" in err, err)
    for text in ("mi/r", "r +", "exq(r)", "1/r; cutoff = -1", "log(-1 - r)", "", "k*r"):
        _, err = tri.run("law", text, code=2)
        expect(err.strip() and "Traceback" not in err, (text, err))
    _, err = tri.run("law", code=2)
    expect("law needs EXPRESSION" in err, err)
    with open("s.toml", "w") as f:
        f.write('title = "t"\nbodies = [[1, 0, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0]]\n[law]\nenergy = "k/q"\nk = 1\n')
    _, err = tri.run("run", "s.toml", "--steps", "1", code=6)
    expect("'s.toml', line 3" in err and "'q'" in err, err)
    with open("n.csv", "w") as f:
        f.write("x,y,z\n0,0,0\n1,0,0\n")
    _, err = tri.run("compute", "forces", "n.csv", "-o", "f.npy", "--law", "qi*qj/r", code=2)
    expect("column q" in err and not os.path.exists("f.npy"), err)
    for law in ("(ri + rj)*r", "contact"):
        _, err = tri.run("compute", "forces", "n.csv", "-o", "f.npy", "--law", law, code=2)
        expect("reads the radii (ri, rj), and every one is 0" in err and "column r" in err, err)
        _, err = tri.run("run", "n.csv", "--steps", "1", "--law", law)
        expect("reads the radii (ri, rj), and every one is 0: each counts as 0" in err, err)
    _, err = tri.run("run", "gas:n=20", "--steps", "1", "--law", "1/r", code=2)
    expect("no cut-off" in err, err)


@case
def typed_laws_at_the_scale_of_a_scene(tri):
    """In metres and kilograms float32 loses a typed law: refused where it is named, and where a cut-off of 0 is none; rows
    of bodies in any order have one energy; gravity in place of another law is that of the units."""
    with open("sun.csv", "w") as f:
        f.write("m,x,y,z\n2e30,0,0,0\n6e24,5e11,0,0\n")
    newton = "-G*mi*mj/r; G = 6.674e-11"
    _, err = tri.run("compute", "forces", "sun.csv", "-o", "-", "--precision", "fp32", "--law", newton, code=2)
    expect("would be lost in float32" in err and "--precision fp64" in err, err)
    _, err = tri.run("run", "sun.csv", "--steps", "1", "--precision", "fp32", "--law", newton, code=2)
    expect("would be lost in float32" in err, err)
    out, _ = tri.run("compute", "forces", "sun.csv", "-o", "-", "--law", newton)
    expect_near(float(out.splitlines()[1].split(",")[0]), 3.20352e21, 1e-6, "force")
    with open("far.csv", "w") as f:
        f.write("m,x,y,z\n2,0,0,0\n3,1e20,0,0\n")
    for cutoff in ("", "; cutoff = 0"):
        out, _ = tri.run("compute", "forces", "far.csv", "-o", "-", "--law", "mi*mj/r" + cutoff)
        expect_near(float(out.splitlines()[1].split(",")[0]), -6e-40, 1e-12, "far force")
    for law in ("-min(mi,10)*mj/r", "step(mi-10)*r", "floor(mi/5.5)*mj/r"):
        _, err = tri.run("compute", "forces", "far.csv", "-o", "-", "--law", law, code=2)
        expect("change places" in err, err)
    for scene in ("argon-crystal:n=32", "argon-droplet:n=20,units=nm-ps-amu"):
        out, _ = tri.run("run", scene, "--steps", "1", "--law", "gravity", "--precision", "fp64")
        expect("gravity, G = 1.108293" in out and "e-34, softening 0" in out, out)
