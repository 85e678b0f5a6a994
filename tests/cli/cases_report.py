"""Cases of the command line: reports of devices, benches compared with older ones, figures as pages and pictures."""

import json
import os
import struct
import xml.etree.ElementTree as ElementTree

from program import case, expect, skip, write

# Small sizes, and the floors of this machine.
REPORT = ["bench", "--preset", "device-report", "--backend", "cpu", "--kernel", "gravity,triplet", "--n", "200", "--map",
          "bb,lambda,tetra", "--samples", "7", "--warmup", "0"]


def slower(report, factor, path):
    """The report with all times multiplied."""
    report = json.loads(json.dumps(report))
    for row in report["results"]:
        row["samples_ms"] = [ms * factor for ms in row["samples_ms"]]
    with open(path, "w") as f:
        json.dump(report, f)
    return report


@case
def device_report(tri):
    out, err = tri.run("bench", "--preset", "device-report", "--backend", "cpu", "--dry-run")
    expect("7 groups of" in out and "gravity, n = 4,096" in out and err == "", out)
    out, err = tri.run(*REPORT, "-o", "r.json")
    expect(out == "" and "wrote r.json" in err, out + err)
    report = json.load(open("r.json"))
    floors = report["meta"]["floors"]
    expect(all(floors[name]["per_s"] > 1e3 for name in ("arithmetic", "memory", "launches")), floors)
    expect("device-report" in report["meta"]["argv"] and report["meta"]["clocks"] is not None, report["meta"])
    expect(len(report["results"]) == 4, len(report["results"]))
    for row in report["results"]:
        expect(row["check"]["passed"] and row["floor"]["by"] == "arithmetic" and 0 < row["floor"]["share"] < 2, row)
    # The format is what the name of the file says.
    tri.run(*REPORT, "-o", "r.csv")
    expect(open("r.csv").read().startswith("kernel,map,"), "no csv")
    tri.run(*REPORT, "-o", "t.json", "--format", "table")
    expect("floors: bb" in open("t.json").read(), "no table")

    tri.run("plot", "r.json", "-o", "r.svg", "-q")
    words = ["".join(e.itertext()) for e in ElementTree.parse("r.svg").getroot().iter("{http://www.w3.org/2000/svg}text")]
    for word in ("gravity, n = 200", "triplet, n = 200", "What the device does at most", "share", "check", "lambda"):
        expect(word in words, (word, words))
    tri.run("plot", "r.json", "-o", "r.html", "-q")
    page = open("r.html").read()
    expect(page.startswith("<!DOCTYPE html>") and "<svg" in page and "<script" not in page and "of arithmetic" in page, page[:200])
    slower(report, 2, "s.json")
    tri.run("plot", "r.json", "s.json", "-o", "two.svg", "-q")
    expect("2 reports of devices" in open("two.svg").read(), "not side by side")
    tri.run("plot", "r.json", "-o", "b.svg", "--kind", "both", "-q")
    expect("time (" in open("b.svg").read(), "no ordinary figure")
    for name in ("x.svg", "x.html"):
        for words in (["--x", "n"], ["--log", "xy"]):
            _, err = tri.run("plot", "r.json", "-o", name, *words, code=2)
            expect("--x and --log are of curves" in err and not os.path.exists(name), err)
            tri.run("plot", "r.json", "-o", "b.svg", "--kind", "time", *words, "-q")


def verdicts(out):
    return out[out.index("compared with"):]


@case
def forces_by_a_tree(tri):
    """The measured error stands in the report, and is the error; there is none of all pairs."""
    tri.run("run", "plummer:n=9000", "--backend", "cpu", "--steps", "0", "-o", "p.csv")
    forces = {}
    for pairs in ("all", "tree"):
        out, _ = tri.run("compute", "forces", "p.csv", "-o", "f.csv", "--law", "gravity", "--eps", "0.02", "--pairs", pairs,
                         *(["--tolerance", "1e-4"] if pairs == "tree" else []), "--json")
        report, forces[pairs] = json.loads(out), [[float(v) for v in line.split(",")] for line in list(open("f.csv"))[1:]]
        expect((report["error"] is None) == (pairs == "all") and report["error_bodies"] in (None, 1000), out)
    out, _ = tri.run("compute", "forces", "p.csv", "-o", "f.csv", "--law", "gravity")
    expect("error" not in out and "null" not in out, out)
    square = [sum((a - b) ** 2 for a, b in zip(*rows)) for rows in zip(forces["all"], forces["tree"])]
    right = (sum(square) / sum(v * v for row in forces["all"] for v in row)) ** 0.5
    expect(0.7 * right < report["error"] < 1.4 * right and 1e-8 < report["error"] < 1e-4, (right, report["error"]))


@case
def bench_by_a_tree(tri):
    """Both ways stand in one report: counts and the error beside its promise; a report goes on where it stopped."""
    words = ["bench", "--kernel", "gravity", "--n", "9000", "--map", "lambda", "--samples", "3", "--backend", "cpu",
             "--tolerance", "3e-5"]
    out, _ = tri.run(*words, "--pairs", "all,tree", "--format", "table")
    expect("by a tree, rms error 3e-05 at most" in out and "near" in out and "series" in out, out)
    tri.run(*words, "--pairs", "tree,all", "-o", "r.json")
    report = json.load(open("r.json"))
    for row in report["results"]:
        tree = row["pairs"] == "tree"
        expect((row["series"] is not None and row["series"] > 100) == tree, row)
        expect((row["near"] is not None and 0 < row["near"] < 9000 * 8999 // 2) == tree, row)
        expect(row["error"] == (row["check"]["max_rel_err"] if tree else None), row)
        expect(row["check"]["passed"] and (not tree or 1e-8 < row["error"] < 3e-5), row)
        expect(row["work_items"] == 9000 * 8999 // 2, row)
    report["results"] = [row for row in report["results"] if row["pairs"] == "tree"]
    kept = report["results"][0]
    json.dump(report, open("r.json", "w"))
    tri.run(*words, "--pairs", "tree,all", "--resume", "r.json")
    again = json.load(open("r.json"))["results"]
    expect(len(again) == 4, again)
    same = [row for row in again if row["pairs"] == "tree" and row["map"] == kept["map"]]
    expect([same[0][key] for key in ("near", "series", "error", "samples_ms")] ==
           [kept[key] for key in ("near", "series", "error", "samples_ms")], same)
    tri.run("plot", "r.json", "-o", "r.svg", "-q")
    expect("by a tree" in open("r.svg").read(), "the plot mixes them")


@case
def compared_bench(tri):
    tri.run(*REPORT, "-o", "r.json", "-q")
    report = json.load(open("r.json"))
    # Far beyond what other work on the machine can do to a sample.
    slower(report, 1e-4, "fast.json")
    slower(report, 1e4, "slow.json")
    out, err = tri.run(*REPORT, "-o", "new.json", "--compare", "fast.json", code=1)
    expect(verdicts(out).count(" slower\n") == 4 and "error: slower than in fast.json by more than 5 %." in err, out + err)
    found = json.load(open("new.json"))["comparison"]
    expect(found["slower"] and found["file"] == "fast.json" and found["threshold"] == 1.05, found)
    expect(all(found[key] == report["meta"][key] for key in ("version", "utc", "device")), found)
    expect([row["verdict"] for row in found["rows"]] == ["slower"] * 4, found)
    expect(all(row["ratio_low"] > 1 and row["now_ms"] > row["before_ms"] for row in found["rows"]), found)
    out, err = tri.run(*REPORT, "--compare", "slow.json")
    expect(verdicts(out).count(" faster\n") == 4 and "error" not in err, out + err)
    out, err = tri.run(*REPORT, "--compare", "fast.json", "--threshold", "1e9")
    expect("4 of 4 rows did not change" in out, out)
    # A program reads the report, with the comparison in it, and a person the other stream.
    out, err = tri.run(*REPORT, "--json", "--compare", "slow.json")
    expect(len(json.loads(out)["results"]) == 4 and " faster" in err, err)
    found = json.loads(out)["comparison"]
    expect([row["verdict"] for row in found["rows"]] == ["faster"] * 4 and not found["slower"], found)
    expect("comparison" not in report, "a comparison that nobody asked for")
    # Another device, a row that is gone and one that is new.
    other = slower(report, 1e4, "other.json")
    other["meta"]["device"] = "another"
    other["results"][0]["map"] = "fold"
    json.dump(other, open("other.json", "w"))
    out, err = tri.run(*REPORT, "--compare", "other.json")
    expect("These are different devices" in out and "gone: gravity" in out and "new: gravity" in out, out)
    # What cannot be compared is told before or after, and not with 1.
    out, err = tri.run(*REPORT, "--compare", "none.json", code=6)
    expect("none.json" in err, err)
    write("no.json", "{}")
    out, err = tri.run(*REPORT, "-o", "untimed.json", "--compare", "no.json", code=6)
    expect(not os.path.exists("untimed.json"), "timed for a report that cannot be read")
    tri.run("bench", "--backend", "cpu", "--kernel", "dummy", "--n", "100", "--map", "lambda", "--samples", "2", "--warmup",
            "0", "-o", "kept.json", "--compare", "r.json", code=2)
    kept = json.load(open("kept.json"))
    expect(len(kept["results"]) == 2 and "comparison" not in kept, kept)


@case
def plot_pictures(tri):
    tri.run(*REPORT, "-o", "r.json", "-q")
    if not os.path.exists(os.path.join(os.path.dirname(tri.path), "libtriangulum-picture.so")):
        out, err = tri.run("plot", "r.json", "-o", "r.png", code=2)
        expect("libtriangulum-picture.so is missing; install librsvg2-dev" in err and err.count("\n") == 1, err)
        expect(not os.path.exists("r.png"), "half a figure")
        skip("this build has no librsvg")
    tri.run("plot", "r.json", "-o", "r.png")
    png = open("r.png", "rb").read()
    expect(png[:8] == b"\x89PNG\r\n\x1a\n", png[:8])
    width, height = struct.unpack(">II", png[16:24])
    expect(abs(width - 180 / 25.4 * 300) < 2 and height > 500, (width, height))
    expect(len(png) > 20000, "blank: " + str(len(png)))
    tri.run("plot", "r.json", "-o", "r.pdf", "--width", "120")
    pdf = open("r.pdf", "rb").read()
    expect(pdf.startswith(b"%PDF-") and pdf.count(b"/MediaBox") == 1 and b"/Count 1" in pdf, pdf[:20])


SVG = "{http://www.w3.org/2000/svg}"


def texts(path):
    """The text of a figure; fails if the file is not a well-formed SVG of shapes and text only."""
    root = ElementTree.parse(path).getroot()
    expect(root.tag == SVG + "svg" and root.get("viewBox"), root.attrib)
    allowed = {SVG + name for name in ("svg", "g", "title", "desc", "rect", "line", "polyline", "polygon", "circle", "text",
                                       "tspan", "clipPath")}
    expect({element.tag for element in root.iter()} <= allowed, {element.tag for element in root.iter()} - allowed)
    return ["".join(element.itertext()) for element in root.iter(SVG + "text")]


@case
def plot(tri):
    out, err = tri.run("bench", "--backend", "cpu", "--kernel", "edm", "--n", "64,128,256", "--features", "1,3", "--map",
                       "lambda,fold,utm", "--samples", "3", "--preset", "smoke", "--format", "json", "-o", "r.json",
                       "--plot", "bench.svg")
    expect(out == "" and "wrote bench.svg" in err, err)
    out, err = tri.run("plot", "r.json", "-o", "r.svg")
    expect(out == "" and "wrote r.svg" in err, out + err)
    expect(open("r.svg").read() == open("bench.svg").read(), "bench --plot draws other than plot")
    words = texts("r.svg")
    for word in ("bb", "lambda", "fold", "utm", "1 feature", "3 features", "improvement, T(bb) / T(map)", "64", "256"):
        expect(word in words, (word, words))
    expect(not any("nan" in word for word in words), words)

    tri.run("plot", "r.json", "-o", "time.svg", "--kind", "time", "--map", "lambda,fold", "--width", "85", "-q")
    words = texts("time.svg")
    expect("utm" not in words and not any("improvement" in word for word in words), words)
    out, err = tri.run("plot", "r.json", "-o", "x.svg", "--x", "features", "--log", "none", "-q")
    expect(err == "" and "n = 128" in texts("x.svg"), texts("x.svg"))
    tri.run("plot", "r.json", "-o", "idle.svg", "--kind", "idle", "-q")
    expect("idle blocks (%)" in texts("idle.svg"), texts("idle.svg"))
    tri.run("plot", "r.json", "-o", "theory.svg", "--kind", "theory", "-q")
    expect(any("cost of a block in blocks of bb: " in word for word in texts("theory.svg")), texts("theory.svg"))
    # Two machines in one figure.
    report = json.load(open("r.json"))
    report["meta"]["device"] = "another <machine>"
    json.dump(report, open("s.json", "w"))
    tri.run("plot", "r.json", "s.json", "-o", "two.svg", "--kind", "improvement")
    expect(any("another <machine>" in word for word in texts("two.svg")), texts("two.svg"))


@case
def plot_errors(tri):
    tri.run("bench", "--kernel", "dummy", "--map", "lambda", "--n", "64", "--samples", "1", "--json", "--preset", "smoke",
            "--backend", "cpu", "--plot", "p.png", code=2)
    out, _ = tri.run("bench", "--kernel", "dummy", "--map", "lambda,utm", "--n", "5000", "--samples", "1", "--json",
                     "--preset", "smoke", "--backend", "cpu")
    write("r.json", out)
    write("cut.json", out[:-100])
    write("other.json", out.replace('"schema": 1', '"schema": 9'))
    tiny = json.loads(out)
    tiny["results"][0]["improvement"] = 1e-320
    with open("tiny.json", "w") as f:
        json.dump(tiny, f)
    write("deep.json", '{"schema": ' + "[" * 80000 + "]" * 80000 + "}")
    write("old.svg", "an earlier figure")
    for arguments, code, says in (
        (["none.json", "-o", "f.svg"], 6, "none.json"), (["cut.json", "-o", "old.svg"], 6, "is not JSON (line"),
        (["other.json", "-o", "old.svg"], 6, "has schema 9"),
        (["tiny.json", "-o", "old.svg"], 6, "'tiny.json' holds the number '1e-320'"),
        (["deep.json", "-o", "old.svg"], 6, "'deep.json' has more than 32 levels of brackets (line 1)"),
        ([".", "-o", "f.svg"], 6, "."), (["r.json", "-o", "nowhere/f.svg"], 6, "nowhere/f.svg"),
        (["r.json", "-o", "old.svg", "--map", "utm"], 2, "nothing to draw: every result was skipped"),
        (["r.json", "-o", "old.svg", "--map", "lamda"], 2, "Did you mean 'lambda'?"),
        (["r.json"], 2, "plot needs -o FIG.svg"), (["-o", "f.svg"], 2, "needs RESULT.json"),
        (["r.json", "-o", "f.gif"], 2, "a figure is written as .svg, .html, .png or .pdf"),
        (["r.json", "r.json", "-o", "f.svg"], 2, "is given twice"),
        (["r.json", "-o", "f.svg", "--kind", "times"], 2, "Did you mean 'time'?"),
        (["r.json", "-o", "f.svg", "--kind", "report"], 2, "these results have no floors"),
        (["r.json", "-o", "f.svg", "--width", "9"], 2, "--width takes a whole number from 60"),
    ):
        out, err = tri.run("plot", *arguments, code=code)
        expect(out == "" and says in err and len(err.strip().split("\n")) == 1, (arguments, err))
    expect(open("old.svg").read() == "an earlier figure", "a failed plot damaged the file")
    expect(not os.path.exists("f.svg"), os.listdir("."))
