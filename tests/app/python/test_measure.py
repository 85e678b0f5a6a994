"""bench and verify: the results of the commands of these names, and the same refusals.

python -m triangulum.benchmarks: its figures are sane, its checks see damage, and what is missing is skipped aloud.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import triangulum
from triangulum import bench, benchmarks, verify

QUICK = dict(samples=3, warmup=0, backend="cpu")


def program():
    """The command line beside the module in the build folder, or an installed one."""
    beside = Path(triangulum.__file__).parents[3] / "bin" / "triangulum"
    found = str(beside) if beside.exists() else os.environ.get("TRIANGULUM") or shutil.which("triangulum")
    return found or pytest.skip("no triangulum on PATH, and none named by TRIANGULUM")


def of_command(*arguments):
    done = subprocess.run([program(), *arguments, "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["results"]


def test_bench_times_every_map_and_checks_it():
    rows = bench(["edm", "triplet"], n=[40, 64], map=["bb", "lambda", "tetra"], **QUICK)
    assert [(r["kernel"], r["n"], r["map"]) for r in rows] == [
        ("edm", 40, "bb"), ("edm", 40, "lambda"), ("edm", 64, "bb"), ("edm", 64, "lambda"),
        ("triplet", 40, "bb"), ("triplet", 40, "tetra"), ("triplet", 64, "bb"), ("triplet", 64, "tetra")]  # fmt: skip
    for row in rows:
        assert row["check"]["passed"] and row["skipped"] is None and row["backend"] == "cpu"
        assert len(row["samples_ms"]) == row["samples"] == 3 and min(row["samples_ms"]) == row["min_ms"] > 0
        assert row["work_items"] == (row["n"] * (row["n"] - 1) // 2 if row["kernel"] == "edm" else row["work_items"])


def test_what_a_map_refuses_is_skipped_with_its_reason():
    rows = bench("dummy", n=4098, map=["utm", "bb"], **QUICK)
    assert [row["skipped"] is None for row in rows] == [False, True] and "4097" in rows[0]["skipped"]
    assert rows[0]["median_ms"] is None


def test_options_and_keys_are_those_of_the_command():
    asked = dict(n=[32, 48], features=[2, 5], precision="fp64", seed=7, threads=1)
    ours = bench("edm", map="fold", **asked, **QUICK)
    options = "--n 32,48 --features 2,5 --precision fp64 --seed 7 --threads 1 --samples 3 --warmup 0"
    theirs = of_command("bench", "--kernel", "edm", "--map", "fold", *options.split(), "--backend", "cpu")
    assert [list(row) for row in ours] == [list(row) for row in theirs]
    same = ("kernel", "map", "n", "block", "features", "layout", "precision", "seed", "work_items", "blocks_launched")
    assert [[row[key] for key in same] for row in ours] == [[row[key] for key in same] for row in theirs]


def test_a_range_of_sizes_as_on_the_command_line():
    assert sorted({row["n"] for row in bench("edm", n="2^4:2^6", map="bb", **QUICK)}) == [16, 32, 64]


@pytest.mark.parametrize(
    "call, error, words",
    (
        (lambda: bench("edmx"), ValueError, "Did you mean 'edm'"),
        (lambda: bench("edm", map="lamda"), ValueError, "Did you mean 'lambda'"),
        (lambda: bench("edm", samples=0), ValueError, "samples takes a whole number from 1"),
        (lambda: bench("gravity", features=3), ValueError, "^features is read by kernel=.edm. only"),
        (lambda: bench("edm", sample=3), ValueError, "Did you mean 'samples'"),
        (lambda: bench("edm", sample=None), ValueError, "Did you mean 'samples'"),
        (lambda: bench("edm", check=False), ValueError, "unknown keyword 'check'"),
        (lambda: bench("edm", samples=False), ValueError, "samples takes a whole number"),
        (lambda: bench("edm", map=triangulum.maps["lambda"]), TypeError, "map has a Map; give a number, a name"),
        (lambda: bench("gravity", tolerance=3e-7, **QUICK), ValueError, "^tolerance is of gravity on tensor cores"),
        (lambda: bench("edm", output="x.json"), ValueError, "unknown keyword 'output'"),
        (lambda: bench("edm", devices="all"), ValueError, "unknown keyword 'devices'"),
        (lambda: bench("edm", n=[]), ValueError, "n is empty"),
        (lambda: bench("edm", n=True), ValueError, "n takes a value"),
        (lambda: bench("edm", energy=1), ValueError, "energy takes True or False"),
        (lambda: bench("edm", energy=True, **QUICK), ValueError, "no meters"),
        (lambda: bench("edm", n=[[3]]), TypeError, "n has a list"),
        (lambda: bench(b"edm"), TypeError, "kernel has a bytes"),
        (lambda: bench("edm", n={40: 2}), TypeError, "n has a dict"),
        (lambda: bench("edm", threads=2, backend="cuda"), ValueError, "threads counts host threads"),
        (lambda: bench("edm", threshold=1.1), ValueError, "^threshold is read by compare"),
        (lambda: bench("edm", compare="old.json", threshold=0.05), ValueError, "^threshold=0.05 is below 1; 1.05 allows"),
        (lambda: bench("edm", compare="none.json", **QUICK), OSError, "none.json"),
        (lambda: bench("edm", compare=__file__, **QUICK), OSError, "test_measure.py"),
        (lambda: bench("edm", compare=["old.json"]), TypeError, "compare is a list; give the path of a file"),
        (lambda: verify(backend="gpus"), ValueError, "backend takes"),
        (lambda: verify(seed=-1), ValueError, "seed takes"),
    ),
)
def test_refusals(call, error, words):
    with pytest.raises(error, match=words):
        call()


def slower(path, factor, to):
    """The report with all times multiplied."""
    report = json.loads(path.read_text())
    for row in report["results"]:
        row["samples_ms"] = [ms * factor for ms in row["samples_ms"]]
    to.write_text(json.dumps(report))
    return to


def test_a_bench_is_compared_with_an_older_report(tmp_path):
    asked = dict(n=[40, 64], map=["bb", "lambda"], samples=7, warmup=0, backend="cpu")
    before = bench("edm", **asked)
    assert before.comparison is None and before.meta["backend"] == "cpu" and "--samples" in before.meta["argv"]
    before.save(tmp_path / "before.json")
    assert json.loads((tmp_path / "before.json").read_text()) == {"schema": 1, "meta": before.meta, "results": before}

    # Far beyond what other work on the machine can do to a sample. Nothing is raised.
    now = bench("edm", **asked, compare=slower(tmp_path / "before.json", 1e-4, tmp_path / "fast.json"), threshold=1.2)
    found = now.comparison
    assert found["file"] == str(tmp_path / "fast.json") and found["version"] == before.meta["version"]
    assert found["threshold"] == 1.2 and found["slower"] and not found["other_device"]
    assert found["device"] == before.meta["device"] and found["utc"] == before.meta["utc"]
    assert [(row["what"], row["map"]) for row in found["rows"]] == [
        (f"edm, n = {row['n']}", row["map"]) for row in now]  # fmt: skip
    for row, timed in zip(found["rows"], now):
        assert row["verdict"] == "slower" and row["now_ms"] == timed["median_ms"] and row["reason"] is None
        assert 1.2 < row["ratio_low"] <= row["ratio"] <= row["ratio_high"] and row["confidence"] > 0.9
        assert row["ratio"] == pytest.approx(row["now_ms"] / row["before_ms"])
    now.save(tmp_path / "now.json")
    assert json.loads((tmp_path / "now.json").read_text())["comparison"] == found

    slow = slower(tmp_path / "now.json", 1e4, tmp_path / "slow.json")
    found = bench("edm", **(asked | {"map": ["bb", "fold"]}), compare=str(slow)).comparison
    assert [row["verdict"] for row in found["rows"]] == ["faster", "new"] * 2 + ["gone"] * 2 and not found["slower"]
    with pytest.raises(ValueError, match=f"^compare='{slow}': it has no row in common"):
        bench("edm", **(asked | {"n": 50}), compare=slow)


def test_a_report_of_python_is_one_of_the_command(tmp_path):
    bench("edm", n=40, map="bb", **QUICK).save(tmp_path / "ours.json")
    options = ["--kernel", "edm", "--n", "40", "--map", "bb", "--samples", "3", "--warmup", "0", "--backend", "cpu"]
    done = subprocess.run([program(), "bench", *options, "--compare", str(tmp_path / "ours.json"), "-o",
                           str(tmp_path / "theirs.json")], capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert [row["verdict"] for row in json.loads((tmp_path / "theirs.json").read_text())["comparison"]["rows"]] == ["few samples"]


def test_a_report_is_not_written_where_it_cannot_or_must_not(tmp_path):
    old, link, folder = tmp_path / "old.json", tmp_path / "link.json", tmp_path / "closed"
    bench("edm", n=40, map="bb", **QUICK).save(old)
    before = old.read_text()
    now = bench("edm", n=40, map="bb", compare=old, **QUICK)
    link.hardlink_to(old), folder.mkdir(mode=0o500)
    (tmp_path / "soft.json").symlink_to(old)
    for same in (old, str(old), os.fsencode(old), link, tmp_path / "soft.json", folder / ".." / "old.json"):
        with pytest.raises(ValueError, match="the old report, which would be lost; name another file"):
            now.save(same)
    assert old.read_text() == before
    for path in (tmp_path / "report.csv", tmp_path / "report", "results.JSON.gz"):
        with pytest.raises(ValueError, match=rf"{Path(path).name}.*; give a name that ends in .json"):
            now.save(path)
        assert not os.path.exists(path)
    unwritable = [tmp_path / "nowhere" / "a.json", old / "b.json", Path("/proc/a.json")]
    for path in unwritable + ([folder / "a.json"] if os.getuid() else []):
        with pytest.raises(OSError, match=path.name):
            now.save(path)
    (tmp_path / "is.json").mkdir()
    with pytest.raises(OSError, match="is.json"):
        now.save(tmp_path / "is.json")
    for path, words in ((None, "path is a NoneType"), (3.5, "path is a float"), ("a\0.json", "NUL")):
        with pytest.raises((TypeError, ValueError), match=words):
            now.save(path)
    now.append({"not": {1, 2}})  # what JSON has not: the earlier file stays
    (tmp_path / "kept.json").write_text("earlier")
    with pytest.raises(TypeError):
        now.save(tmp_path / "kept.json")
    assert (tmp_path / "kept.json").read_text() == "earlier"


def test_verify_is_that_of_the_command():
    # In a process of its own: maps that other tests opened would be among those that are checked.
    text = "import json, triangulum; print(json.dumps(triangulum.verify(backend='cpu', seed=3)))"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    ours, theirs = json.loads(done.stdout), of_command("verify", "--backend", "cpu", "--seed", "3")
    assert all(row["passed"] and row["cases"] > 0 and row["note"] is None for row in ours)
    for rows in (ours, theirs):
        for row in rows:
            row.pop("seconds")
    assert [(row["name"], row["what"], row["cases"], row["limit"]) for row in ours] == [
        (row["name"], row["what"], row["cases"], row["limit"]) for row in theirs
    ]
    assert list(ours[0]) == list(theirs[0])
    assert any(row["name"] == "map of pairs lambda" for row in ours)


def test_on_a_gpu():
    try:
        rows = bench("edm", n=3000, map="all", samples=3, warmup=0, backend="cuda")
    except RuntimeError as error:
        (pytest.fail if os.environ.get("TRI_REQUIRE_CUDA") == "1" else pytest.skip)(str(error))
    assert all(row["check"]["passed"] for row in rows if row["skipped"] is None)
    assert sum(row["skipped"] is None for row in rows) > 5 and rows[0]["backend"] == "cuda"
    assert not [row for row in verify(backend="cuda") if not row["passed"]]


@pytest.mark.parametrize(
    "work", (lambda: bench("edm", n=700, samples=100_000, backend="cpu"), lambda: [verify(full=True) for _ in range(9)])
)
def test_ctrl_c(work):
    timer = threading.Timer(0.4, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        work()
    timer.join()


def test_other_threads_go_on():
    counted = 0
    done = threading.Event()

    def count():
        nonlocal counted
        while not done.is_set():
            counted += 1

    thread = threading.Thread(target=count)
    thread.start()
    bench("edm", n=2000, map="lambda", samples=20, backend="cpu")
    done.set()
    thread.join()
    assert counted > 1000


def test_rows_on_the_cpu():
    pytest.importorskip("scipy")
    (row,) = benchmarks.run(only="contacts_of_100000")
    assert row["skipped"] is None and row["ms"] > 0 and row["ratio"] == row["other_ms"] / row["ms"]
    assert row["pairs"] > 10_000 and "cKDTree" in benchmarks.line(row)


def test_what_is_missing_is_skipped_with_its_reason(capsys):
    assert benchmarks.main(["--only", "simulation_of_10000", "--json", "--triangulum", "/bin/false"]) == 0
    results = json.loads(capsys.readouterr().out)["results"]
    assert [row["name"] for row in results] == ["simulation_of_10000"] and "/bin/false" in results[0]["skipped"]
    assert benchmarks.main(["--only", "simulation_of_10000", "--triangulum", "/bin/false"]) == 0
    assert "skipped: /bin/false" in capsys.readouterr().out


def test_a_program_that_is_none(capsys):
    with pytest.raises(SystemExit):
        benchmarks.main(["--triangulum", "/nowhere/triangulum"])
    assert "is no program" in capsys.readouterr().err


@pytest.mark.parametrize("damage", (lambda d: d * 1.01, lambda d: d[:-1], lambda d: np.where(d == d[7], np.nan, d)))
def test_wrong_distances_are_seen(damage):
    x = benchmarks.points(60, 4)
    d, wide = triangulum.pdist(x, backend="cpu"), x.astype(np.float64)
    benchmarks.checked_distances(d, wide)
    with pytest.raises((AssertionError, ValueError)):
        benchmarks.checked_distances(damage(d), wide)


@pytest.mark.parametrize("damage", (lambda p: p[1:], lambda p: np.vstack([p, p[:1]]), lambda p: p + 1))
def test_wrong_contacts_are_seen(damage):
    pytest.importorskip("scipy")
    x, r = benchmarks.points(2000, 3), 0.03
    pairs = triangulum.contacts(x, r, backend="cpu")
    assert benchmarks.checked_contacts(x, r, pairs) == len(pairs) > 100
    with pytest.raises(AssertionError):
        benchmarks.checked_contacts(x, r, damage(pairs))


def test_targets():
    assert benchmarks.rated("x", 2.0, 1.0, least=0.6)["met"] is False
    assert benchmarks.rated("x", 2.0, 1.0, least=0.5)["met"] is True
    assert benchmarks.rated("x", 2.0, None, most=2.5) | {"name": "n", "skipped": None} == {
        "name": "n", "against": "x", "ms": 2.0, "other_ms": None, "ratio": None, "target": "<= 2.5 ms", "met": True,
        "skipped": None}  # fmt: skip
    assert "<= 2.5 ms: met" in benchmarks.line(
        benchmarks.rated("x", 2.0, None, most=2.5) | {"name": "n", "skipped": None}
    )
