"""Cases of the command line: map files."""

import json
import re
import shlex

from harness import case, expect, state_hash

LINE = """name = "line"
domain = "pairs"
launch = ["m*(m + 1)/2"]
tile = \"\"\"
  row = (isqrt(8*w + 1) - 1)/2
  col = w - row*(row + 1)/2
\"\"\"
"""


def write(path, text):
    with open(path, "w") as f:
        f.write(text)


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
    with open("line.svg") as f:
        picture = f.read()
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
    with open("wrong.svg") as f:
        expect(f.read().count("is missed</title>") == 1 and "side 3" in err, err)
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
        expect("a map file is TOML" in err and "ten lines" in err and "CONTRIBUTING.md" in err, err)
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
    with open("stream.svg") as f:
        picture = f.read()
    expect(picture.count("<rect") == 37 and picture.count(">3</text>") == 9, picture[:500])
    _, err = tri.run("verify", "map", "bb", code=2)
    expect("pairs/bb" in err, err)
    _, err = tri.run("verify", "map", "tetra", "--n", "2642245", code=2)
    expect("the side of tetra is 1 to 2642244 tiles" in err, err)
    _, err = tri.run("verify", "map", "lambda", "--n", "200000", code=2)
    expect("20000100000 tiles" in err, err)
    _, err = tri.run("verify", "map", "gasket", "--n", "12", code=2)
    expect("power of two" in err, err)
