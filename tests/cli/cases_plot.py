"""Cases of the command line: figures of benches, read back by an XML parser."""

import json
import os
import xml.etree.ElementTree as ElementTree

from harness import case, expect

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
    with open("r.json", "w") as f:
        f.write(out)
    with open("cut.json", "w") as f:
        f.write(out[:-100])
    with open("other.json", "w") as f:
        f.write(out.replace('"schema": 1', '"schema": 9'))
    tiny = json.loads(out)
    tiny["results"][0]["improvement"] = 1e-320
    with open("tiny.json", "w") as f:
        json.dump(tiny, f)
    with open("deep.json", "w") as f:
        f.write('{"schema": ' + "[" * 80000 + "]" * 80000 + "}")
    with open("old.svg", "w") as f:
        f.write("an earlier figure")
    for arguments, code, says in (
        (["none.json", "-o", "f.svg"], 6, "none.json"),
        (["cut.json", "-o", "old.svg"], 6, "is not JSON (line"),
        (["other.json", "-o", "old.svg"], 6, "has schema 9"),
        (["tiny.json", "-o", "old.svg"], 6, "'tiny.json' holds the number '1e-320'"),
        (["deep.json", "-o", "old.svg"], 6, "'deep.json' has more than 32 levels of brackets (line 1)"),
        ([".", "-o", "f.svg"], 6, "."),
        (["r.json", "-o", "nowhere/f.svg"], 6, "nowhere/f.svg"),
        (["r.json", "-o", "old.svg", "--map", "utm"], 2, "nothing to draw: every result was skipped"),
        (["r.json", "-o", "old.svg", "--map", "lamda"], 2, "Did you mean 'lambda'?"),
        (["r.json"], 2, "plot needs -o FIG.svg"),
        (["-o", "f.svg"], 2, "needs RESULT.json"),
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
