"""Cases of the command line: typed laws and maps, the commands of docs/laws.md; and on a GPU kernels that are compiled
at run time, and how commands with them end. A compiler or a thread that is left when main() returns is a crash after
right output, so there each command starts without kept kernels, and again with them."""

import json
import math
import os
import re
import signal
import subprocess
import time
from pathlib import Path

from program import case, expect, expect_near, read_npy, state_hash, text_of, write

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

    # Where a law has no value, it is said in words, and no check of a backend fails by it.
    out, err = tri.run("law", "log(r-1)", "--from", "0.5", "--to", "2", "--plot", "l.svg")
    expect(re.search(r" 0\.5 +no value +2\n", out) and "no finite value at" in err, out + err)
    expect("infinite" in tri.run("law", "1/(r-1)", "--from", "1", "--to", "2")[0], "1/0")
    for text in (out, open("l.svg").read()):
        expect(not re.search(r"\b(nan|inf)\b", text), text)
    write("half.csv", "m,x,y,z\n1,0,0,0\n1,0.5,0,0\n")
    _, err = tri.run("compute", "forces", "half.csv", "-o", "f.npy", "--law", "log(r-1)", code=4)
    expect("the potential energy has no value" in err, err)
    out, _ = tri.run("verify", "--law", "log(r-1)", "--backend", "cpu")
    expect("FAILED" not in out and "the law has no value at some distances" in out, out)


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
    write("s.toml",
          'title = "t"\nbodies = [[1, 0, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0]]\n[law]\nenergy = "k/q"\nk = 1\n')
    _, err = tri.run("run", "s.toml", "--steps", "1", code=6)
    expect("'s.toml', line 3" in err and "'q'" in err, err)
    write("n.csv", "x,y,z\n0,0,0\n1,0,0\n")
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
def typed_laws_outside_their_domain(tri):
    """An energy without a value ends jobs, runs and pictures, also where the force has one; law says where that is."""
    write("l.csv", "m,x,y,z\n1,0,0,0\n1,3,0,0\n")
    law = ["--law", "log(2-r)*mi*mj"]
    for words in (["compute", "forces", "l.csv", "-o", "f.csv"], ["run", "l.csv", "--steps", "0"],
                  ["render", "l.csv", "--frames", "3", "-o", "l.html"]):
        _, err = tri.run(*words, *law, code=4)
        expect("the potential energy has no value" in err and "the typed law has no value" in err, (words, err))
    expect(not os.path.exists("f.csv"), os.listdir("."))
    _, err = tri.run("compute", "forces", "l.csv", "-o", "f.csv", "--law", "sqrt(2-r)*mi*mj", code=4)
    expect("has a force that is not finite" in err and "the typed law has no value" in err and "--dt" not in err, err)
    _, err = tri.run("law", law[1])
    expect("no finite value at 6 of 16 distances, the first of them 2.08333" in err, err)
    write("h.csv", "m,x,y,z\n1,0,0,0\n1,1e160,0,0\n")
    _, err = tri.run("compute", "forces", "h.csv", "-o", "f.csv", "--law", "k*(r-d)^2; k = 1; d = 1", "--backend", "cpu",
                     code=4)
    expect("the potential energy has no value" in err, err)


@case
def typed_laws_at_the_scale_of_a_scene(tri):
    """In metres and kilograms float32 loses a typed law: refused where it is named, and where a cut-off of 0 is none; rows
    of bodies in any order have one energy; gravity in place of another law is that of the units."""
    write("sun.csv", "m,x,y,z\n2e30,0,0,0\n6e24,5e11,0,0\n")
    newton = "-G*mi*mj/r; G = 6.674e-11"
    _, err = tri.run("compute", "forces", "sun.csv", "-o", "-", "--precision", "fp32", "--law", newton, code=2)
    expect("would be lost in float32" in err and "--precision fp64" in err, err)
    _, err = tri.run("run", "sun.csv", "--steps", "1", "--precision", "fp32", "--law", newton, code=2)
    expect("would be lost in float32" in err, err)
    out, _ = tri.run("compute", "forces", "sun.csv", "-o", "-", "--law", newton)
    expect_near(float(out.splitlines()[1].split(",")[0]), 3.20352e21, 1e-6, "force")
    write("far.csv", "m,x,y,z\n2,0,0,0\n3,1e20,0,0\n")
    for cutoff in ("", "; cutoff = 0"):
        out, _ = tri.run("compute", "forces", "far.csv", "-o", "-", "--law", "mi*mj/r" + cutoff)
        expect_near(float(out.splitlines()[1].split(",")[0]), -6e-40, 1e-12, "far force")
    for law in ("-min(mi,10)*mj/r", "step(mi-10)*r", "floor(mi/5.5)*mj/r"):
        _, err = tri.run("compute", "forces", "far.csv", "-o", "-", "--law", law, code=2)
        expect("change places" in err, err)
    for scene in ("argon-crystal:n=32", "argon-droplet:n=20,units=nm-ps-amu"):
        out, _ = tri.run("run", scene, "--steps", "1", "--law", "gravity", "--precision", "fp64")
        expect("gravity, G = 1.108293" in out and "e-34, softening 0" in out, out)


LINE = """name = "line"
domain = "pairs"
launch = ["m*(m + 1)/2"]
tile = \"\"\"
  row = (isqrt(8*w + 1) - 1)/2
  col = w - row*(row + 1)/2
\"\"\"
"""


@case
def map_files(tri):
    """A proof, its result as JSON, a picture; the map runs like a built-in one."""
    write("line.toml", LINE)
    out, _ = tri.run("verify", "map", "line.toml", "--n", "1..20,33,2^7")
    expect("proved for m = 1..20, 33, 128\n" in out and "8,256 tiles, each once" in out, out)
    out, err = tri.run("verify", "map", "line.toml", "--n", "1..20", "--json", "--plot", "line.svg")
    result = json.loads(out)
    expect(result["passed"] and result["map"] == "line" and len(result["results"]) == 20, out)
    expect(result["results"][3] == {**result["results"][3], "m": 4, "launched": 10, "idle": 0, "missed": 0}, out)
    picture = text_of("line.svg")
    # Side 16 has 136 tiles, each with its omega.
    expect(picture.count("<rect") == 137 and ">135<" in picture and "side 16" in err, picture[:500])
    run = ["run", "plummer:n=300", "--steps", "3", "--backend", "cpu", "--accumulate", "ordered", "--block", "16"]
    typed, _ = tri.run(*run, "--map", "line.toml")
    expect(re.search(r"map +line, block 16, proved for m = 19\n", typed), typed)
    expect(state_hash(typed) == state_hash(tri.run(*run, "--map", "bb")[0]), typed)
    out, _ = tri.run(*run, "--map-file", "line.toml", "--map", "line", "--json")
    expect(json.loads(out)["map"] == "line" and json.loads(out)["map_proved"] == 19, out)
    expect(json.loads(tri.run(*run, "--json")[0])["map_proved"] is None, "a built-in map needs no proof")
    bench = ["bench", "--kernel", "dummy", "--n", "256", "--block", "16", "--backend", "cpu", "--samples", "1"]
    out, _ = tri.run(*bench, "--map", "bb,line.toml")
    expect("line is proved for m = 16\n" in out and out.count("  exact\n") == 2, out)
    rows = json.loads(tri.run(*bench, "--map", "bb,line.toml", "--format", "json")[0])["results"]
    expect([r["map_proved"] for r in rows] == [None, 16] and all(r["check"]["passed"] for r in rows), rows)
    out, _ = tri.run("list", "maps", "--map-file", "line.toml", "--json")
    expect([m["max_side"] for m in json.loads(out) if m["name"] == "line"] == [2**31], out)
    tri.run("list", "laws", "--map-file", "line.toml", code=2)


@case
def map_files_that_are_wrong(tri):
    """Where a map fails, in words, in JSON and in the picture; it drives nothing. Texts that cannot be read."""
    write("wrong.toml", LINE.replace('"line"', '"wrong"').replace("  col =", "  row = w == 4 ? 1 : row\n  col ="))
    out, err = tri.run("verify", "map", "wrong.toml", "--plot", "wrong.svg", code=1)
    expect("proved for m = 1..2\n" in out and "wrong at m = 3" in out, out)
    out = " ".join(out.split())
    expect("omega 4 (x = 4, y = 0) is sent outside, to (row 1, col 3)" in out, out)
    expect("(row 2, col 1) is missed (1 of 6 tiles missed" in out, out)
    expect(text_of("wrong.svg").count("is missed</title>") == 1 and "side 3" in err, err)
    result = json.loads(tri.run("verify", "map", "wrong.toml", "--n", "1..4", "--json", code=1)[0])
    expect(not result["passed"] and [r["passed"] for r in result["results"]] == [True, True, False, False], result)
    expect(result["results"][2]["first_outside"]["omega"] == 4, result)
    expect(result["results"][2]["first_missed"] == {"row": 2, "col": 1, "layer": 0}, result)
    run = ["run", "plummer:n=100", "--steps", "1", "--backend", "cpu", "--map", "wrong.toml", "--block"]
    tri.run(*run, "50")
    _, err = tri.run(*run, "34", code=2)
    expect("--map wrong is wrong at m = 3" in err and "triangulum verify map wrong.toml --n 3" in err, err)
    tri.run("run", "gasket:r=6", "--steps", "1", "--map", "wrong.toml", code=2)
    write("bad.toml", LINE.replace("8*w", "8*v"))
    _, err = tri.run("verify", "map", "bad.toml", code=2)
    expect("map file bad.toml, line 5, column 18: there is no name 'v'" in err and "\n" + " " * 19 + "^" in err, err)
    write("bad.toml", LINE.replace('"line"', '"fold"'))
    _, err = tri.run("verify", "map", "bad.toml", code=2)
    expect("a built-in map has the name fold" in err, err)
    write("bad.toml", "name = ")
    _, err = tri.run("verify", "map", "bad.toml", code=6)
    expect("bad.toml:1" in err, err)
    _, err = tri.run("run", "plummer:n=9", "--steps", "1", "--map", "no.toml", code=6)
    expect("no.toml" in err, err)
    for arguments in (["verify", "map"], ["verify", "--n", "3"], ["verify", "map", "wrong.toml", "--full"],
                      ["verify", "maps", "wrong.toml"], ["verify", "map", "wrong.toml", "--n", "5..3"],
                      ["verify", "map", "wrong.toml", "--n", "300000"],
                      ["verify", "map", "wrong.toml", "--n", "300", "--plot", "a.svg"]):
        tri.run(*arguments, code=2)


@case
def maps_in_cpp(tri):
    """A map in C++ is refused wherever a map file is one, with where to check it."""
    write("line.hpp", "Launch launch(u32 m) { return {m}; }\n")
    for words in (["verify", "map", "line.hpp"], ["run", "plummer:n=9", "--steps", "1", "--map", "line.hpp"],
                  ["bench", "--kernel", "dummy", "--map", "line.hpp"],
                  ["run", "plummer:n=9", "--steps", "1", "--map-file", "line.hpp"]):
        _, err = tri.run(*words, code=2)
        expect("a map file is TOML" in err and "ten lines" in err and "docs/extending.md" in err, err)
    for option in ("--trust", "--time-limit=3"):
        _, err = tri.run("verify", "map", "line.hpp", option, code=2)
        expect(option.split("=")[0] in err, err)


@case
def built_in_maps(tri):
    """`verify map` takes a name of the list: proved up to its limit, wrong one tile beyond it, drawn; with persistent maps
    of several tiles a position."""
    tiles = {"pairs": lambda m: m * (m + 1) // 2, "triples": lambda m: m * (m + 1) * (m + 2) // 6,
             "gasket": lambda m: 3 ** (m.bit_length() - 1)}
    rows = tri.json("list", "maps")
    names = [row["name"] for row in rows]
    for row in rows:
        name = row["name"] if names.count(row["name"]) == 1 else f"{row['domain']}/{row['name']}"
        found = tri.json("verify", "map", name, "--n", "1,2,4,8,16,32")
        expect(found["passed"] and found["file"] is None and found["domain"] == row["domain"], found)
        for proof in found["results"]:
            expect(proof["tiles"] == tiles[row["domain"]](proof["m"]), proof)
            expect(proof["useful"] + proof["idle"] == proof["launched"], proof)
            if "stream" in name:
                expect(proof["launched"] <= 4, proof)
            elif row["name"] == "bb":
                expect(proof["launched"] == proof["m"] ** {"pairs": 2, "triples": 3, "gasket": 2}[row["domain"]], proof)
            expect(proof["idle"] == 0 or row["historical"] or row["name"] in ("bb", "rb", "rec", "lambda-stream",
                   "tetra-stream", "gasket-stream"), (name, proof))
        if row["historical"]:
            tri.run("verify", "map", name, "--n", str(row["max_side"]))
            wrong = json.loads(tri.run("verify", "map", name, "--n", str(row["max_side"] + 1), "--json", code=1)[0])
            expect(wrong["results"][0]["missed"] > 0, wrong)
    tri.run("verify", "map", "lambda-stream", "--n", "8", "--plot", "stream.svg")
    picture = text_of("stream.svg")
    expect(picture.count("<rect") == 37 and picture.count(">3</text>") == 9, picture[:500])
    _, err = tri.run("verify", "map", "bb", code=2)
    expect("pairs/bb" in err, err)
    _, err = tri.run("verify", "map", "tetra", "--n", "2642245", code=2)
    expect("the side of tetra is 1 to 2642244 tiles" in err, err)
    _, err = tri.run("verify", "map", "lambda", "--n", "200000", code=2)
    expect("20000100000 tiles" in err, err)
    _, err = tri.run("verify", "map", "gasket", "--n", "12", code=2)
    expect("power of two" in err, err)


PAIR = "energy = 0.5*mi*mj*log(r^2 + 0.01)"
TRIPLE = "k/(a*b*c); k = 0.1"
MAP = '''name = "line"
domain = "pairs"
launch = ["m*(m + 1)/2"]
tile = """
  row = (isqrt(8*w + 1) - 1)/2
  col = w - row*(row + 1)/2
"""
'''


def twice(tri, *words, code=0):
    """Without kept kernels, and with those of the first time; returns the outputs of the second."""
    folder = os.path.abspath(f"cache{len([name for name in os.listdir('.') if name.startswith('cache')])}")
    for _ in range(2):
        seen = tri.run(*words, "--backend", "cuda", code=code, env={"TRI_CACHE": folder})
    return seen


def near(tri, output, *words, limit):
    """The same numbers as on a cpu."""
    twice(tri, *words, "-o", output)
    got = read_npy(output)[1]
    tri.run(*words, "-o", output, "--backend", "cpu")
    want = read_npy(output)[1]
    scale = max(map(abs, want))
    expect(max(abs(a - b) for a, b in zip(got, want)) < limit * scale, words)


def files_of_the_cases():
    Path("c.csv").write_text("m,x,y,z,r\n1,0,0,0,0.6\n2,1,0,0,0.6\n3,0,1,0.5,0.6\n4,1,2,1,0.6\n")
    Path("line.toml").write_text(MAP)


@case
def typed_laws_on_a_gpu(tri):
    """Every command with a typed law ends with its own exit code, after right output and after an error."""
    tri.on_gpu()
    files_of_the_cases()
    for precision, limit in (("fp32", 1e-5), ("fp64", 1e-12)):
        near(tri, "f.npy", "compute", "forces", "c.csv", "--law", PAIR, "--precision", precision, limit=limit)
    near(tri, "f.npy", "compute", "forces", "c.csv", "--law", PAIR, "--triple-law", TRIPLE, limit=1e-5)
    for accumulate in ("fast", "ordered"):
        out, _ = twice(tri, "run", "plummer:n=1024", "--law", PAIR, "--steps", "3", "--accumulate", accumulate)
        state_hash(out)
    state_hash(twice(tri, "run", "argon-droplet:n=20,nu=0", "--triple-law", TRIPLE, "--steps", "3")[0])
    twice(tri, "run", "plummer:n=64", "--law", PAIR, "--steps", "3", "-o", "s.hdf5")
    state_hash(twice(tri, "run", "--restart", "s.hdf5", "--steps", "2")[0])
    twice(tri, "bench", "--law", PAIR, "--n", "500", "--map", "bb,lambda", "--samples", "6", "--warmup", "0")
    tri.run("law", PAIR)
    # What ends with an error has begun to compile, too.
    for code, words in ((6, ["compute", "forces", "c.csv", "--law", PAIR, "-o", "none/f.npy"]),
                        (2, ["compute", "forces", "c.csv", "--law", "qi*qj/r", "-o", "f.npy"]),
                        (2, ["run", "plummer:n=100", "--law", PAIR, "--steps", "1", "--block", "7"]),
                        (6, ["run", "plummer:n=100", "--law", PAIR, "--steps", "1", "-o", "none/s.csv"]),
                        (4, ["run", "plummer:n=100", "--law", PAIR, "--steps", "2", "--dt", "10", "--energy-limit", "1e-9"])):
        _, err = twice(tri, *words, code=code)
        expect(err.startswith("error: ") or "error: " in err, err)


@case
def verified_laws_on_a_gpu(tri):
    """verify of a typed law, in seconds."""
    tri.on_gpu()
    begin = time.monotonic()
    found = json.loads(tri.run("verify", "--law", "k*(r - d)^2/2; k = 3; d = 1", "--backend", "cuda", "--json")[0])
    expect(found["passed"] and found["checks"] >= 6, found)
    print(f"verify --law: {time.monotonic() - begin:.1f} s")


@case
def typed_maps_on_a_gpu(tri):
    """Every command with a map file."""
    tri.on_gpu()
    files_of_the_cases()
    state_hash(twice(tri, "run", "plummer:n=1024", "--map", "line.toml", "--steps", "3")[0])
    state_hash(twice(tri, "run", "plummer:n=1024", "--map", "line.toml", "--law", PAIR, "--steps", "3")[0])
    state_hash(twice(tri, "run", "gas:n=500", "--map", "line.toml", "--steps", "3")[0])
    near(tri, "d.npy", "compute", "distances", "c.csv", "--map", "line.toml", limit=1e-6)
    twice(tri, "compute", "collisions", "c.csv", "-o", "p.npy", "--map", "line.toml", "--broad-phase", "all-pairs")
    twice(tri, "bench", "--kernel", "dummy,edm,gravity", "--n", "500", "--map", "bb,line.toml", "--samples", "6",
          "--warmup", "0")
    tri.run("verify", "map", "line.toml")


@case
def interrupted_compilers(tri):
    """Ctrl-C while a law is compiled, or soon after."""
    tri.on_gpu()
    for attempt in range(8):
        env = dict(os.environ, TRI_CACHE=os.path.abspath(f"cache{attempt}"))
        process = subprocess.Popen([tri.path, "run", "plummer:n=1024", "--law", PAIR, "--steps", "1000000000", "--backend",
                                    "cuda"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
        time.sleep(0.2 * (attempt + 1))
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        took = time.monotonic() - begin
        expect(process.returncode == 130 and "interrupted" in err, (attempt, process.returncode, err))
        expect(took < 3, f"Ctrl-C after {0.2 * (attempt + 1):.1f} s took {took:.1f} s")
