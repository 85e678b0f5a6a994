"""Sentences that users of Python meet name keywords of Python, and no options of the command line."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import triangulum as tr
from triangulum import Simulation, _core

ROOT = Path(__file__).resolve().parents[3]
OPTION = re.compile(r"(?<![\w-])--[A-Za-z]")


def literals():
    """Every text of the sources that has a blank and an option."""
    for folder in ("sim", "app/bench", "app/support"):
        for file in sorted((ROOT / folder).rglob("*.[ch]pp")):
            joined = re.sub(r'"\s*\n\s*"', "", file.read_text())
            for text in re.findall(r'"((?:[^"\\\n]|\\.)*)"', joined):
                if OPTION.search(text) and " " in text.strip():
                    yield text.replace('\\"', '"')


def test_every_sentence_of_the_sources():
    texts = list(literals())
    assert len(texts) > 80
    for text in texts:
        said = _core.in_keywords(text)
        if not re.search(r"(triangulum|mpirun|srun|cmake) ", said):  # whole commands stay
            assert not OPTION.search(said), f"{text!r} became {said!r}"
        verbs = set(re.findall(r"='([a-z]+s)'", said)) - {"sectors"}
        assert not verbs, f"{text!r} became {said!r}"


@pytest.mark.parametrize("text, said", (
    ("Use --backend cpu.", "Use backend='cpu'."),
    ("--map utm is exact to n = 4097; use --map utm-block, or --n 4097 or less.",
     "map='utm' is exact to n = 4097; use map='utm-block', or n=4097 or less."),
    ("use a smaller --dt or --precision fp64.", "use a smaller dt or precision='fp64'."),
    ("use --dt 0.004 or less", "use dt=0.004 or less"),
    ("--broad-phase grid, --integrator kdk or hermite", "broad_phase='grid', integrator='kdk' or 'hermite'"),
    ("give --dt a number; leave --block out (--threads counts)", "give dt a number; leave block out (threads counts)"),
    ('an energy: --law "-mi*mj/r; eps = 1"', 'an energy: law="-mi*mj/r; eps = 1"'),
    ("make it with triangulum bench --tune.", "make it with triangulum bench --tune."),
    ("--map mine is wrong at m = 5: a hole. See triangulum verify map a/mine.toml --n 5.",
     "map='mine' is wrong at m = 5: a hole. See triangulum.maps['mine'](5).verify()."),
    ("--accumulate says how forces are summed; leave it out.", "accumulate says how forces are summed; leave it out."),
    ("See triangulum list scenes.", "See triangulum.scenes()."),
    ("a -- b, x--y, --", "a -- b, x--y, --"),
    ("--", "--"),
    ("--n", "n"),
    ("", ""),
))
def test_words(text, said):
    assert _core.in_keywords(text) == said


X = np.random.default_rng(0).random((5000, 3))
F32 = X.astype(np.float32)
MET = (
    ("Use map='utm-block', or n=4097 or less", lambda tmp: tr.pdist(X, map="utm", backend="cpu")),
    ("use float64 arrays", lambda tmp: tr.forces(F32 * 1e30, 1.0, "gravity", backend="cpu")),
    ("Use a softening or float64 arrays", lambda tmp: tr.forces(F32[:5] * 0, 1.0, "gravity", backend="cpu")),
    ("use float64 arrays", lambda tmp: tr.contacts(F32 * 1e30, 1e30, backend="cpu")),
    ("edges takes 2 to 65", lambda tmp: tr.triplets(X[:9], [1], backend="cpu")),
    ("edges: edge 1 is 1", lambda tmp: tr.triplets(X[:9], [2, 1], backend="cpu")),
    ("integrator='hermite' computes in float64; use precision='fp64'",
     lambda tmp: Simulation("plummer:n=50", integrator="hermite", precision="fp32", backend="cpu")),
    ("dt='auto' goes with integrator='kdk' or 'hermite'",
     lambda tmp: Simulation("plummer:n=50", integrator="yoshida4", dt="auto", backend="cpu")),
    ("use precision='fp64'", lambda tmp: Simulation(positions=X * 1e60, masses=1, precision="fp32", backend="cpu")),
    ("a smaller dt or precision='fp64'", lambda tmp: Simulation(positions=X * 0, masses=1, backend="cpu").step()),
    ("dt is 'abc'; give a number, or 'auto'", lambda tmp: Simulation(bodies(tmp), dt="abc", backend="cpu")),
    ("eta is a str; give a number", lambda tmp: Simulation(bodies(tmp), eta="abc", backend="cpu")),
    ("See triangulum.scenes", lambda tmp: Simulation("plumer", backend="cpu")),
    ("form is read by kernel='dummy'", lambda tmp: tr.bench("edm", n=[256], form="write", backend="cpu")),
    ("keyword 'map_fil'.*map_file", lambda tmp: tr.bench("edm", n=[256], map_fil="x", backend="cpu")),
    ("device chooses among CUDA devices", lambda tmp: tr.bench("edm", n=[256], device=1, backend="cpu")),
    ("threads takes a whole number", lambda tmp: tr.verify(threads=-1)),
)


def bodies(tmp):
    (tmp / "bodies.csv").write_text("m,x,y,z\n1,0,0,0\n1,1,0,0\n")
    return tmp / "bodies.csv"


@pytest.mark.parametrize("words, call", MET)
def test_errors_that_are_met(words, call, tmp_path):
    with pytest.raises((ValueError, TypeError, ArithmeticError, RuntimeError)) as caught:
        call(tmp_path)
    assert re.search(words, str(caught.value)) and not OPTION.search(str(caught.value)), str(caught.value)


def test_a_wrong_map_of_a_file(tmp_path):
    """In a process of its own, which ends with the map."""
    (tmp_path / "tilted.toml").write_text(
        'name = "tilted"\ndomain = "pairs"\nlaunch = ["m*(m + 1)/2"]\ntile = "row = 0; col = 0"\n'
    )
    program = "import numpy, triangulum; triangulum.maps.open('tilted.toml'); " \
              "triangulum.pdist(numpy.ones((16, 3)), map='tilted', block=4, backend='cpu')"  # fmt: skip
    said = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True).stderr
    assert re.search(r"ValueError: map='tilted' is wrong .* See triangulum.maps\['tilted'\]\(4\).verify\(\).$", said), said
    assert not OPTION.search(said)


def test_a_backend_that_is_not_here_names_the_keyword():
    calls = (lambda: tr.pdist(X, backend="cuda"), lambda: Simulation("plummer:n=9", backend="cuda"),
             lambda: tr.bench("edm", n=[64], backend="cuda"), lambda: tr.verify(backend="cuda"))  # fmt: skip
    for call in calls:
        try:
            call()
            pytest.skip("there is a GPU")
        except RuntimeError as error:
            assert "backend='cpu'" in str(error) and not OPTION.search(str(error))


def test_reasons_of_rows_name_keywords():
    rows = tr.bench("edm", n=[8192], map="utm", samples=3, backend="cpu")
    rows += tr.bench("gravity", n=[256], arithmetic="tensor", samples=3, backend="cpu")
    reasons = [row["skipped"] for row in rows if row.get("skipped")]
    assert any("map='utm-block'" in reason for reason in reasons) and any("arithmetic='tensor'" in r for r in reasons)
    assert not any(OPTION.search(reason) for reason in reasons)
