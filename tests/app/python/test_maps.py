"""triangulum.maps: every map at a side covers its domain once, in its own order, and says what it refuses."""

import os
import re
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import triangulum as tri
from triangulum import Map, SizedMap, maps

SIDES = {"pairs": (1, 2, 3, 7, 16, 33), "triples": (1, 2, 3, 7, 16), "gasket": (1, 2, 4, 32)}
DIAGONALS = [(key, diagonal) for key in maps for diagonal in (True, False) if maps[key].domain != "gasket" or diagonal]


def domain_tiles(domain, side, diagonal=True):
    """By definition, as a set."""
    r, s = range(side), 0 if diagonal else 1
    if domain == "pairs":
        return {(i, j) for i in r for j in r if j + s <= i}
    if domain == "triples":
        return {(x, y, z) for z in r for y in r for x in r if x + s <= y and y + s <= z}
    return {(x, y) for y in r for x in r if x & (side - 1 - y) == 0}


@pytest.mark.parametrize("key, diagonal", DIAGONALS)
def test_tiles_fill_the_domain_once(key, diagonal):
    for side in SIDES[maps[key].domain]:
        sized = maps[key](side, diagonal=diagonal)
        tiles, expected = sized.tiles(), domain_tiles(sized.domain, side, diagonal)
        assert tiles.dtype == np.int64 and tiles.ndim == 2
        assert len(tiles) == len(expected) == len(sized)
        assert set(map(tuple, tiles.tolist())) == expected


@pytest.mark.parametrize("key, diagonal", DIAGONALS)
def test_verify_and_launch_agree(key, diagonal):
    side = SIDES[maps[key].domain][-1]
    sized = maps[key](side, diagonal=diagonal)
    report, launch = sized.verify(), sized.launch
    assert report["passed"] and report["fault"] is None
    assert report["tiles"] == report["expected"] == len(sized)
    assert report["launched"] == launch["positions"] == sum(x * y * z for x, y, z in launch["grids"])
    assert report["useful"] == launch["useful"] == launch["positions"] - launch["idle"]
    assert sized.waste == launch["idle"] / launch["positions"]
    assert launch["grids"] and sized.limit == maps[key].limit


@pytest.mark.parametrize("key", maps)
def test_tile_is_a_row_of_tiles(key):
    sized = maps[key](SIDES[maps[key].domain][-1])
    found = [sized.tile(omega) for omega in range(sized.launch["positions"])]
    assert found.count(None) == sized.launch["idle"]
    runs = [sized.tiles(omega, omega + 1) for omega in range(len(found))]
    assert [None if len(run) == 0 else tuple(run[0]) for run in runs] == found
    assert np.array_equal(np.concatenate(runs), sized.tiles())


def test_the_order_of_the_formulas():
    assert maps["lambda"](3).tiles().tolist() == [[0, 0], [1, 0], [1, 1], [2, 0], [2, 1], [2, 2]]
    assert maps["fold"](4).tiles()[:5].tolist() == [[3, 0], [3, 1], [3, 2], [3, 3], [0, 0]]
    assert maps["tetra"](3).tiles()[:5].tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1], [0, 0, 2]]
    assert maps["bb", "pairs"](3).tile(1) is None
    assert maps["bb", "pairs"](4).waste == 6 / 16
    lut = maps["lambda-lut"](9)
    assert np.array_equal(lut.lut(), lut.tiles()) and maps["lambda"](9).lut() is None
    assert maps["tetra-lut"](4).lut().tolist() == [0, 1, 4, 10, 20]


def test_workers_share_the_order():
    for name, plain in (("lambda-stream", "lambda"), ("tetra-stream", "tetra")):
        sized = maps[name](20, workers=7)
        assert sized.launch["positions"] == 7
        assert np.array_equal(sized.tiles(), maps[plain](20).tiles())


def test_what_verify_counts():
    assert maps["lambda"](3).verify() == {
        "passed": True, "launched": 6, "useful": 6, "tiles": 6, "expected": 6, "duplicates": 0, "holes": 0,
        "outside": 0, "fault": None}  # fmt: skip


def test_huge_omega():
    sized = maps["lambda"](2**31)
    last = 2**31 - 1
    assert len(sized) == 2**30 * (2**31 + 1)
    assert sized.tile(len(sized) - 1) == (last, last) and sized.tile(len(sized) - 1 - last) == (last, 0)
    assert sized.tiles(len(sized) - last - 2, len(sized) - last).tolist() == [[last - 1, last - 1], [last, 0]]
    top = maps["tetra"](2_642_244)
    assert top.tile(len(top) - 1) == (2_642_243,) * 3


def test_the_mapping():
    rows = maps()
    assert isinstance(rows, list) and {"domain", "name", "limit", "max_side"} <= set(rows[0])
    assert len(maps) == len(rows) == len(list(maps)) and all(key in maps for key in maps)
    assert "lambda" in maps and ("lambda", "pairs") in maps and ("bb", "gasket") in maps
    assert "bb" not in maps and "lamda" not in maps and ("lambda", "triples") not in maps and 3 not in maps
    assert maps.get("nothing") is None
    assert isinstance(maps["h"], Map) and isinstance(maps["h"](3), SizedMap)
    assert "maps['h'](3)" in repr(maps["h"](3)) and "lambda" in repr(maps)
    assert maps["bb", "triples"](3).domain == "triples"


def test_a_map_from_a_file(tmp_path):
    """It is one of the maps, and drives a run at a side that is proved."""
    file = tmp_path / "line.toml"
    text = 'name = "python-line"\ndomain = "pairs"\nlaunch = ["m*(m + 1)/2"]\ntile = """\n'
    text += 'row = (isqrt(8*w + 1) - 1)/2\ncol = w - row*(row + 1)/2\n"""\n'
    file.write_text(text)
    line = maps.open(file)
    assert line.name == "python-line" and line.domain == "pairs" and maps["python-line"] == line
    assert maps.open(str(file)) == line and "python-line" in [row["name"] for row in maps()]
    for diagonal in (True, False):
        assert np.array_equal(line(9, diagonal=diagonal).tiles(), maps["lambda"](9, diagonal=diagonal).tiles())
    assert line(9).verify()["passed"] and line(9).waste == 0
    file.write_text(text.replace("python-line", "python-wrong").replace("col = w", "col = w - (m == 3)"))
    program = "import triangulum as tri; m = tri.maps.open('line.toml'); print(m(2).verify(), m(3).verify()['fault'])"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert "'passed': True" in done.stdout and "python-wrong at side 3" in done.stdout, done  # others verify all maps
    file.write_text(text.replace("isqrt", "sqrt"))
    with pytest.raises(ValueError, match=r"line 5, column 8"):
        maps.open(file)
    file.write_text(text.replace("1", "2"))
    with pytest.raises(ValueError, match="another map has the name python-line"):
        maps.open(file)
    with pytest.raises(OSError):
        maps.open(tmp_path / "no.toml")


def test_a_map_from_a_file_drives_what_others_do(tmp_path, backend):
    """Distances, contacts in all pairs, forces, steps and counts are those on a built-in map, bit for bit."""
    (tmp_path / "pairs.toml").write_text(
        'name = "driven-%s"\ndomain = "pairs"\nlaunch = ["m", "m"]\ntile = "row = y; col = x; idle = x > y"\n' % backend)
    (tmp_path / "triples.toml").write_text(
        'name = "driven3-%s"\ndomain = "triples"\nlaunch = ["m", "m", "m"]\n'
        'tile = "col = x; row = y; layer = z; idle = x > y || y > z"\n' % backend)
    pairs, triples = maps.open(tmp_path / "pairs.toml"), maps.open(tmp_path / "triples.toml")
    x = np.random.default_rng(3).random((300, 3))
    for given in (pairs, pairs.name):
        assert np.array_equal(tri.pdist(x, map=given, backend=backend), tri.pdist(x, backend=backend))
    how = {"accumulate": "ordered", "backend": backend}
    assert np.array_equal(tri.forces(x, 1.0, "gravity", eps=0.1, map=pairs, **how),
                          tri.forces(x, 1.0, "gravity", eps=0.1, **how))
    for scene in ("plummer:n=300", "sphere-box:n=300"):
        moved = [tri.Simulation(scene, map=map, **how) for map in (pairs, None)]
        for simulation in moved:
            simulation.step(5)
        assert moved[0].hash() == moved[1].hash()
    counts = [tri.triplets(x, [0, 0.3, 0.6], map=map, backend=backend) for map in (triples, None)]
    assert np.array_equal(counts[0][0], counts[1][0]) and counts[0][1] == counts[1][1]


WRONG_MAPS = """
import sys
import numpy as np
import triangulum as tri

backend = sys.argv[1]
text = 'name = "%s"\\ndomain = "%s"\\nlaunch = [%s]\\ntile = "%s"\\n'
open("pairs.toml", "w").write(text % ("wrong", "pairs", '"m", "m"', "row = y; col = x; idle = x > y || y == 2"))
open("triples.toml", "w").write(text % ("wrong3", "triples", '"m", "m", "m"',
                                        "col = x; row = y; layer = z; idle = x > y || y > z || z == 2"))
pairs, triples = tri.maps.open("pairs.toml"), tri.maps.open("triples.toml")
x = np.random.default_rng(3).random((3000, 3))
for call in (lambda: tri.pdist(x, map=pairs, backend=backend),
             lambda: tri.forces(x, 1.0, "gravity", eps=0.1, map=pairs, backend=backend),
             lambda: tri.Simulation("plummer:n=3000", map=pairs, backend=backend),
             lambda: tri.Simulation("sphere-box:n=3000", map=pairs, backend=backend),
             lambda: tri.triplets(x[:400], [0, 0.3, 0.6], map=triples, backend=backend)):
    try:
        call()
        print("not refused")
    except ValueError as error:
        print(error)
"""


def test_a_wrong_map_from_a_file_drives_nothing(tmp_path, backend):
    """That it is refused shows, too, that the map is asked. In a process of its own: other tests go through all maps."""
    done = subprocess.run([sys.executable, "-c", WRONG_MAPS, backend], cwd=tmp_path, capture_output=True, text=True,
                          timeout=120)
    lines = done.stdout.splitlines()
    assert len(lines) == 5 and all(re.search("wrong3?' is wrong at m = ", line) for line in lines), done


@pytest.mark.parametrize("key, words", (("bb", "'pairs'"), ("lamda", "lambda-x")))
def test_refused_names(key, words):
    with pytest.raises(KeyError, match=words):
        maps[key]


@pytest.mark.parametrize(
    "call, error, words",
    (
        (lambda: maps["lambda-x"](4608), ValueError, r"4607 or less, or take maps\['lambda'\]"),
        (lambda: maps["utm"](4098), ValueError, r"4097 or less, or take maps\['utm-block'\]"),
        (lambda: maps["tetra"](2_642_245), ValueError, "2642244 or less"),
        (lambda: maps["lambda"](0), ValueError, "1 or more"),
        (lambda: maps["lambda"](2**40), ValueError, "2147483648 or less"),
        (lambda: maps["gasket"](6), ValueError, "give 4 or 8"),
        (lambda: maps["gasket"](8, diagonal=False), ValueError, "no diagonal"),
        (lambda: maps["lambda"](4, workers=2), ValueError, "leave workers out"),
        (lambda: maps["lambda-stream"](4, workers=0), ValueError, "give 1 to"),
        (lambda: maps["lambda"](2.0), TypeError, "float"),
        (lambda: maps["lambda-lut"](2**30), MemoryError, r"or take maps\['lambda'\]"),
        (lambda: maps["lambda"](2**24).tiles(), MemoryError, "start and stop"),
        (lambda: maps["lambda"](2**24).verify(), MemoryError, "smaller side"),
        (lambda: maps["lambda"](4).tiles(3, 2), ValueError, "start <= stop"),
        (lambda: maps["lambda"](4).tile(10), IndexError, "10 positions"),
        (lambda: maps["lambda"](4).tile(-1), IndexError, "10 positions"),
        (lambda: maps["lambda"](4).tile(2**70), ValueError, "^omega is a whole number beyond 64 bits"),
        (lambda: maps["lambda"](4).tiles(1.5), TypeError, "^start is a float; give a whole number"),
        (lambda: maps["lambda"](4).tiles(0, "2"), TypeError, "^stop is a str; give a whole number"),
        (lambda: maps["lambda"](4).tile(None), TypeError, "^omega is a NoneType; give a whole number"),
        (lambda: maps["lambda"](2**70), ValueError, "^side is a whole number beyond 64 bits"),
        (lambda: maps["lambda-stream"](4, workers=2**40), ValueError, "give 1 to 4294967295, or None"),
        (lambda: maps.open(None), TypeError, "^path is a NoneType; give the path of a file"),
    ),
)
def test_refusals(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("work", (lambda: maps["rec"](30_000).verify(), lambda: maps["lambda"](16_000).tiles()))
def test_ctrl_c(work):
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(100):
            work()
    timer.join()
