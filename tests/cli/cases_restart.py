"""Cases of the command line: long runs: what stops them, and how they continue."""

import json
import os
import re
import resource
import signal
import subprocess
import time

from cases_run import started_and_stopped
from program import bytes_of, case, expect, state_hash, write


def snapshots_here():
    return sorted(name for name in os.listdir(".") if name.endswith(".hdf5"))


@case
def restart(tri):
    """200 steps equal 100, a restart, and 100 more: the same bits, and the same diagnostics file."""
    for precision, more in (("fp32", []), ("fp64", ["--integrator", "yoshida4", "--accumulate", "ordered"])):
        scene = ["plummer:n=300,seed=5", "--precision", precision, "--backend", "cpu", "--threads", "1", "--map", "fold",
                 "--block", "24", *more]
        log = ["--diag-every", "10", "--diag"]
        out, _ = tri.run("run", *scene, "--steps", "200", *log, "whole.csv", "--json")
        whole = json.loads(out)
        tri.run("run", *scene, "--steps", "100", *log, "parts.csv", "--save-every", "50", "--snapshot", "s_{step}.hdf5")
        expect(snapshots_here() == ["s_050.hdf5", "s_100.hdf5"], os.listdir("."))
        # The snapshot of step 50 records the end at 100, and the log already has rows after 50.
        out, err = tri.run("run", "--restart", "s_050.hdf5", "--diag", "parts.csv")
        expect("5 rows beyond step 50" in err, err)
        # A row that Ctrl-C left out.
        rows = open("parts.csv").readlines()
        expect(rows[-1].startswith("100,"), rows)
        write("parts.csv", "".join(rows[:-1]))
        out, err = tri.run("run", "--restart", "s_100.hdf5", "--steps", "100", "--diag", "parts.csv", "--json")
        parts = json.loads(out)
        expect(err == "", err)
        expect(parts["state_hash"] == whole["state_hash"], (parts, whole))
        for key in ("steps", "time", "energy", "energy_error", "energy_error_max", "momentum_drift", "integrator", "map",
                    "block", "threads", "precision", "accumulate", "backend"):
            expect(parts[key] == whole[key], (key, parts[key], whole[key]))
        expect(parts["steps_before"] == 100 and whole["steps_before"] == 0, parts)
        expect(open("parts.csv").read() == open("whole.csv").read(), "the logs differ")
        # The command line may repeat the snapshot's settings, and a log may start late.
        out, _ = tri.run("run", *scene, "--restart", "s_100.hdf5", "--until", "0.78125", "--diag", "late.csv", "-o", "e.npy")
        expect(state_hash(out) == whole["state_hash"], "repeated options change the run")
        expect([line.split(",")[0] for line in open("late.csv")][:3] == ["step", "100", "110"], open("late.csv").read())
        for name in ("parts.csv", "late.csv"):
            os.remove(name)


@case
def restart_of_springs(tri):
    """The step that a scene takes from its contacts is none too long for the rounded masses of a snapshot."""
    tri.run("run", "sphere-box:n=8", "--steps", "1", "-o", "s.hdf5")
    for words in (["--restart", "s.hdf5"], ["sphere-box:n=8"]):
        _, err = tri.run("run", *words, "--steps", "1")
        expect("shortest contact time" not in err, err)


@case
def restart_of_automatic_steps(tri):
    """Saved at exact times; the run that goes on from one of them is the run that was never cut."""
    scene = ["kepler:e=0.95", "--until", "6.5", "--save-every", "dt=2", "--snapshot", "s_{step}.hdf5"]
    out, err = tri.run("run", *scene, "--diag", "whole.csv", "--diag-every", "10", "--json")
    whole = json.loads(out)
    expect(err == "" and whole["time"] == 6.5 and whole["integrator"] == "hermite", whole)
    expect(whole["dt_auto"]["eta"] == 1e-4, whole)
    expect(0 < whole["dt_auto"]["shortest"] < whole["dt"] <= whole["dt_auto"]["longest"], whole)
    expect(abs(whole["energy_error"]) < 1e-8 and whole["steps_wanted"] is None, whole)
    rows = [line.strip().split(",") for line in open("whole.csv")]
    expect(rows[0][-1] == "dt" and float(rows[1][-1]) == 0 and float(rows[2][-1]) > 0, rows[:3])
    times = [float(row[1]) for row in rows[1:]]
    expect(times == sorted(times) and times[-1] == 6.5, times[-3:])
    names = snapshots_here()
    expect(len(names) == 3, names)
    for name, time_saved in zip(names, (2, 4, 6)):
        os.rename(name, f"kept_{time_saved}.hdf5")
    out, err = tri.run("run", "--restart", "kept_2.hdf5", "--save-every", "dt=2", "--snapshot", "s_{step}.hdf5",
                       "--diag", "whole.csv", "--json")
    again = json.loads(out)
    expect(again["state_hash"] == whole["state_hash"] and again["steps"] == whole["steps"], (again, whole))
    expect([line.strip().split(",") for line in open("whole.csv")] == rows, "the logs differ")
    expect(snapshots_here()[-2:] == names[1:], snapshots_here())
    _, err = tri.run("run", "--restart", "kept_2.hdf5", "--dt", "0.1", code=2)
    expect("contradicts" in err and "auto" in err, err)
    _, err = tri.run("run", "--restart", "kept_2.hdf5", "--eta", "0.1", code=2)
    expect("contradicts" in err, err)
    _, err = tri.run("run", "--restart", "kept_2.hdf5", "--until", "1", code=2)
    expect("the time is 2 already" in err, err)
    out, _ = tri.run("run", "kepler:e=0.95", "--until", "1")
    expect("hermite with dt auto (eta = 0.0001)" in out and "to t = 1\n" in out, out)
    _, err = tri.run("run", "gas:n=20", "--steps", "1", "--dt", "auto", code=2)
    expect("contact" in err and err.count("\n") == 1, err)
    _, err = tri.run("run", "kepler", "--steps", "1", "--integrator", "hermite", "--precision", "fp32", code=2)
    expect("--precision fp64" in err, err)


@case
def restart_refusals(tri):
    tri.run("run", "plummer:n=40,seed=3", "--steps", "4", "--save-every", "4", "--snapshot", "s_{step}.hdf5", "--backend",
            "cpu")
    contradictions = (["--dt", "0.5"], ["--eps", "0.5"], ["--G", "2"], ["--seed", "4"], ["--integrator", "yoshida4"],
                      ["--precision", "fp64"], ["kepler"])
    for options in contradictions:
        _, err = tri.run("run", *options, "--restart", "s_4.hdf5", "--steps", "1", code=2)
        expect("contradicts --restart s_4.hdf5" in err and "Leave" in err, err)
    _, err = tri.run("run", "--restart", "s_4.hdf5", code=2)
    expect("is at its end, step 4" in err, err)
    _, err = tri.run("run", "--restart", "s_4.hdf5", "--until", "0.001", code=2)
    expect("the time is 0.015625 already" in err, err)
    _, err = tri.run("run", "--restart", "s_4.hdf5", "--steps", "1", "--map", "bb", "--threads", "1", "--block", "8")
    expect("last bits may differ" in err, err)
    _, err = tri.run("run", "--restart", "none.hdf5", "--steps", "1", code=6)
    expect("none.hdf5" in err, err)
    whole = bytes_of("s_4.hdf5")
    for name, content in (("cut.hdf5", whole[:-100]), ("flipped.hdf5", whole.replace(b"plummer:n=40", b"plummer:n=41"))):
        write(name, content)
        _, err = tri.run("run", "--restart", name, "--steps", "1", code=6)
        expect(name in err and err.count("\n") == 1, err)
    # Rows of another run, which would be taken out or followed by those of this one.
    tri.run("run", "plummer:n=41,seed=3", "--steps", "8", "--diag", "other.csv", "--diag-every", "3", "--backend", "cpu")
    rows = bytes_of("other.csv")
    _, err = tri.run("run", "--restart", "s_4.hdf5", "--steps", "1", "--diag", "other.csv", code=6)
    expect("'other.csv', line 2: has another time or energy" in err and bytes_of("other.csv") == rows, err)
    _, err = tri.run("run", "plummer:n=40", "--steps", "1", "--diag", "e.npy", code=2)
    expect("its rows are csv" in err and not os.path.exists("e.npy"), err)
    # Folders of steps are made, and where they cannot be the run does not begin.
    tri.run("run", "plummer:n=40", "--steps", "12", "--save-every", "6", "--snapshot", "of/{step}/s{step}.hdf5", code=6)
    os.mkdir("of")
    tri.run("run", "plummer:n=40", "--steps", "12", "--save-every", "6", "--snapshot", "of/{step}/s{step}.hdf5")
    expect(os.listdir("of/06") == ["s06.hdf5"] and os.listdir("of/12") == ["s12.hdf5"], os.listdir("of"))
    _, err = tri.run("run", "plummer:n=40", "--steps", "1000000000", "--save-every", "1000", "--snapshot",
                     "none/{step}/s.hdf5", code=6)
    expect("cannot create 'none/0': No such file" in err, err)
    # Read as bodies it is like any other file, with a note about what is lost.
    _, err = tri.run("run", "s_4.hdf5", "--steps", "1", "-o", "again.tipsy")
    expect("--restart continues" in err, err)
    _, err = tri.run("run", "again.tipsy", "--steps", "1", "-o", "t.hdf5")
    expect("big-endian tipsy with a header of 32 bytes: 0 gas, 40 dark, 0 star" in err, err)


@case
def save_by_time(tri):
    """By simulated time: at the steps nearest to the multiples, also after a restart between two of them."""
    scene = ["plummer:n=20,dt=0.01", "--steps", "30"]
    tri.run("run", *scene, "--save-every", "dt=0.067", "--snapshot", "s_{step}.hdf5")
    expect(snapshots_here() == ["s_07.hdf5", "s_13.hdf5", "s_20.hdf5", "s_27.hdf5"], os.listdir("."))
    tri.run("run", "--restart", "s_13.hdf5", "--save-every", "dt=0.067", "--snapshot", "t_{step}.hdf5")
    expect(snapshots_here()[4:] == ["t_20.hdf5", "t_27.hdf5"], os.listdir("."))
    _, err = tri.run("run", *scene, "--save-every", "dt=0.001", "--snapshot", "s_{step}.hdf5", code=2)
    expect("shorter than a step" in err, err)


@case
def walltime(tri):
    begin = time.monotonic()
    out, err = tri.run("run", "plummer:n=200", "--steps", "1000000000", "--walltime", "2s", "--save-every", "wall=0.5s",
                       "--snapshot", "s_{step}.hdf5", "--diag", "d.csv", "--precision", "fp64", "--backend", "cpu", "--json")
    took = time.monotonic() - begin
    result = json.loads(out)
    expect(took < 4, f"--walltime 2s took {took} s")
    expect("--walltime is over" in err and result["walltime_over"] and not result["interrupted"], err)
    names = snapshots_here()
    expect(3 <= len(names) <= 5, names)
    last = re.search(r"--restart (\S+\.hdf5)\.", err).group(1)
    expect(last == names[-1] and int(last[2:-5]) == result["steps"], (last, names))
    out, _ = tri.run("run", "--restart", last, "--steps", "0", "--json")
    expect(json.loads(out)["state_hash"] == result["state_hash"], out)
    expect(int(open("d.csv").read().strip().split("\n")[-1].split(",")[0]) == result["steps"], "the last row is missing")


@case
def interrupted_and_resumed(tri):
    """Ctrl-C and kill write the last state; the restarted run ends like an uninterrupted one."""
    arguments = ["plummer:n=250", "--steps", "4000", "--precision", "fp64", "--backend", "cpu", "--threads", "2"]
    whole = state_hash(tri.run("run", *arguments)[0])
    for number in (signal.SIGINT, signal.SIGTERM):
        run = ["run", *arguments, "--save-every", "500", "--snapshot", "s_{step}.hdf5"]
        code, out, err = started_and_stopped(tri, run, lambda: len(snapshots_here()) >= 2, number)
        expect(code == 130, f"{code}: {err}")
        last = re.search(r"--restart (\S+\.hdf5)\.", err).group(1)
        steps = int(re.search(r"steps +([\d,]+) of", out).group(1).replace(",", ""))
        expect(last == snapshots_here()[-1] == f"s_{steps:04}.hdf5", (last, steps, os.listdir(".")))
        out, _ = tri.run("run", "--restart", last)  # to the original end
        expect(state_hash(out) == whole, f"after {last}")
        for name in snapshots_here():
            os.remove(name)


@case
def killed(tri):
    """kill -9 while a snapshot is written: every earlier one is complete and continues to the same end."""
    arguments = ["plummer:n=1000", "--steps", "60", "--backend", "cpu", "--threads", "2"]
    whole = state_hash(tri.run("run", *arguments)[0])
    half_written = lambda: any(".tmp-" in name for name in os.listdir("."))
    caught, kept = 0, 0
    for attempt in range(6):
        process = subprocess.Popen([tri.path, "run", *arguments, "--save-every", "1", "--snapshot", "s_{step}.hdf5"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        end = time.monotonic() + 60
        while time.monotonic() < end and process.poll() is None:
            if len(snapshots_here()) > attempt and half_written():
                break
        process.kill()
        process.communicate(timeout=60)
        caught += half_written()
        names = snapshots_here()
        kept += len(names)
        for name in names:
            out, _ = tri.run("run", "--restart", name, "--steps", "0")
            state_hash(out)
        out, _ = tri.run("run", "--restart", names[-1])
        expect(state_hash(out) == whole, f"after {names[-1]}")
        for name in os.listdir("."):
            os.remove(name)
    expect(caught > 0 and kept >= 6, f"{caught} of 6 kills hit a snapshot; {kept} were complete")


def limited(size):
    """For a child process: limits the size of files, as on a full disk."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@case
def full_disk_run(tri):
    """A full disk ends a run with 6; what was written before is complete, and the run continues from there."""
    arguments = ["run", "plummer:n=100", "--steps", "600", "--backend", "cpu", "--threads", "1", "--diag-every", "1"]
    tri.run(*arguments, "--diag", "whole.csv")
    save = ["--save-every", "50", "--snapshot", "s_{step}.hdf5"]
    # The log reaches the limit, in the middle of a row, which goes.
    _, err = tri.run(*arguments, *save, "--diag", "d.csv", code=6, preexec_fn=limited(60000))
    expect("cannot write 'd.csv'" in err and err.count("\n") == 1, err)
    names = snapshots_here()
    expect(2 <= len(names) < 12 and open("whole.csv").read().startswith(open("d.csv").read()), names)
    expect(open("d.csv").read().endswith("\n"), open("d.csv").read()[-300:])
    expect(f"go on with --restart {names[-1]}" in err, err)
    tri.run("run", "--restart", names[-1], "--diag", "d.csv")
    expect(open("d.csv").read() == open("whole.csv").read(), "the log differs from that of the uninterrupted run")
    # A snapshot reaches it: nothing is left of that one, and an earlier file with its name is unchanged.
    before = open(names[-1], "rb").read()
    _, err = tri.run("run", "--restart", names[0], *save, code=6, preexec_fn=limited(len(before) - 1000))
    expect("cannot write 's_100.hdf5'" in err and "free some space" in err and err.count("\n") == 1, err)
    expect(snapshots_here() == names and open(names[-1], "rb").read() == before, os.listdir("."))
    expect(not any(".tmp-" in name for name in os.listdir(".")), os.listdir("."))


@case
def tolerance_alone(tri):
    """It takes the tree where that is faster, also in the middle of a run, and all pairs keep it elsewhere."""
    def search(*args):
        done = json.loads(tri.run("run", *args, "--steps", "2", "--backend", "cpu", "--json")[0])
        return done["pairs"], done["tolerance"]
    expect(search("plummer:n=300", "--tolerance", "1e-4") == ("all", None), "few bodies")
    expect(search("plummer:n=300", "--tolerance", "1e-4", "--pairs", "tree") == ("tree", 1e-4), "asked for")
    plummer = ["plummer:n=3000", "--backend", "cpu", "--json", "--tolerance"]
    for tolerance in "1e-3", "1e-6":  # the error that is measured is that of `verify tree`, in the same state
        done = json.loads(tri.run("run", *plummer, tolerance, "--pairs", "tree", "--steps", "0")[0])
        judged = json.loads(tri.run("verify", "tree", *plummer, tolerance)[0])["results"][1]
        expect(0 < done["error"] < float(tolerance) and done["error"] == judged["worst"], (done["error"], judged))
        expect(done["error_bodies"] == judged["cases"] == 1000, done)
    expect(json.loads(tri.run("run", "plummer:n=300", "--steps", "1", "--json")[0])["error"] is None, "all pairs")
    for spelled in "0.0001", "1E-4", "1.0e-4", "+1e-04", "10e-5":
        expect(search("plummer:n=300", "--tolerance", spelled, "--pairs", "tree") == ("tree", 1e-4), spelled)
    _, err = tri.run("run", "plummer:n=300", "--steps", "1", "--tolerance", "0.0002", code=2)
    expect("takes auto, 1e-9," in err and "got '0.0002'" in err, err)
    expect(search("plummer:n=33000", "--tolerance", "1e-4") == ("tree", 1e-4), "many bodies")
    tri.run("run", "plummer:n=33000", "--steps", "1", "--backend", "cpu", "-o", "all.h5")
    expect(search("--restart", "all.h5", "--tolerance", "1e-4") == ("tree", 1e-4), "from all pairs on")
    for words, why in ((["1e-4", "--pairs", "all"], "here is neither"), (["1e-9", "--precision", "fp32"], "finer than fp32"),
                       (["1e-4", "--law", "lennard-jones"], "here is neither"),
                       (["1e-4", "--pairs", "tree", "--map", "utm"], "visits squares"),
                       (["1e-4", "--pairs", "tree", "--map", "rb"], "visits squares"),
                       (["1e-4", "--integrator", "hermite", "--pairs", "tree"], "not by a tree")):
        _, err = tri.run("run", "plummer:n=300", "--steps", "1", "--backend", "cpu", "--tolerance", *words, code=2)
        expect(why in err, err)
    words = ["-o", "f.npy", "--law", "gravity", "--tolerance", "1e-4", "--backend", "cpu", "--json"]
    out, _ = tri.run("compute", "forces", "all.h5", *words)
    expect(json.loads(out)["pairs"] == "tree", out)
