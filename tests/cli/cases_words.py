"""Cases of the command line: messages and the streams they go to; and limits of a session (ulimit): whatever one leaves,
a command ends with 0, or with a code and a sentence of its own. None ends by a signal."""

import json
import os
import pty
import re
import resource
import shlex
import subprocess
import sys

from program import case, expect, skip, state_hash, text_of, write


@case
def help(tri):
    out, err = tri.run("--help")
    expect("triangulum run" in out and "help all" in out and out.count("\n") < 30 and err == "", (out, err))
    out, _ = tri.run("help", "all")
    expect("## " not in out and "--steps" in out and "EXIT CODES" in out, out)
    out, _ = tri.run("bench", "--help")
    expect(out.startswith("BENCH") and "--kernel" in out and "--steps" not in out, out)
    expect(tri.run("--help", "bench")[0] == out, "both forms of help must agree")
    out, _ = tri.run("--version")
    expect(re.fullmatch(r"triangulum \d+\.\d+\.\d+\S*\n", out), out)


@case
def no_arguments(tri):
    out, err = tri.run(code=2, without=["DISPLAY", "WAYLAND_DISPLAY"])
    expect(out == "" and "triangulum run" in err, err)


@case
def crashes_are_seen(tri):
    """A case fails if a process that it started crashed, although nothing looked at its exit code."""
    for number, how in ((11, "kill -SEGV $$"), (6, "sh -c 'kill -ABRT $$'; exit $?")):
        subprocess.run(["sh", "-c", how], stderr=subprocess.DEVNULL)
        expect(any(str(number) in told or str(128 + number) in told for told in subprocess.Popen.crashed), how)
        subprocess.Popen.crashed.clear()


@case
def exit_codes(tri):
    tri.run("nonsense", code=2)
    tri.run("run", "plummer:n=10", "--steps", "0")
    tri.run("run", "plummer:n=10", "--steps", "1", "--nonsense", code=2)
    tri.run("run", "plummer:n=10", "--steps", "1", "--map", "lamda", code=2)
    tri.run("run", "plummer:n=10", "--steps", "1", "--until", "3", code=2)
    tri.run("run", "no_such_file.csv", "--steps", "1", code=6)
    tri.run("run", "plummer:n=10", "--steps", "1", "-o", "no_such_folder/a.csv", code=6)
    tri.run("compute", "distances", "no_such_file.csv", "-o", "a.npy", code=6)
    write("bad.csv", "x,y,z\n1,2,zebra\n")
    _, err = tri.run("run", "bad.csv", "--steps", "1", code=6)
    expect("bad.csv" in err and "2" in err, err)
    tri.run("view", code=7, without=["DISPLAY", "WAYLAND_DISPLAY"])
    cuda = json.loads(tri.run("info", "--json")[0])["backends"][1]
    expect(cuda["name"] == "cuda", cuda)
    if not cuda["available"]:
        _, err = tri.run("run", "plummer:n=10", "--steps", "1", "--backend", "cuda", code=3)
        expect(cuda["reason"] in err, err)
    write("many.csv", "x\n" + "1\n" * 8000000)
    for output in ("a.npy", "a.csv", "a.h5"):
        _, err = tri.run("compute", "distances", "many.csv", "-o", output, "--layout", "square", code=6)
        expect(re.search(rf"'{output}' takes [\d.e+]+ GiB(?: or more)?, and its disk has [\d.e+]+ GiB free", err), err)
        expect("fewer points" in err and sorted(os.listdir(".")) == ["bad.csv", "many.csv"], (err, os.listdir(".")))
    # The message names the largest n that fits, below the requested one: n^2 / 2 distances of 8 bytes exceed 2^64.
    for n in ("1000000", "2147483648"):
        _, err = tri.run("bench", "--kernel", "edm", "--n", n, "--backend", "cpu", "--precision", "fp64", "--samples", "1",
                         code=5)
        largest = re.search(r"Use --n (\d+) or less", err)
        expect(largest and 1000 < int(largest.group(1)) < 1000000, err)


@case
def sentences(tri):
    def says(part, *arguments, code=2):
        out, err = tri.run(*arguments, code=code, without=["DISPLAY", "WAYLAND_DISPLAY"])
        expect(err.startswith("error: ") and err.count("\n") == 1, f"not one line: {err}")
        expect(part in err, f"'{part}' is not in: {err}")
        expect(out == "", out)

    says("Did you mean 'run'?", "rnu")
    says("Did you mean '--steps'?", "run", "plummer", "--step", "3")
    says("Did you mean 'lambda'?", "run", "plummer", "--steps", "1", "--map", "lamda")
    says("Did you mean 'plummer'?", "run", "plumer", "--steps", "1")
    says("nothing here goes over triples", "run", "plummer:n=10", "--steps", "1", "--map", "tetra")
    says("--map utm is exact to n = 4097 in float32; n = 5000. Use --map utm-block, or --n 4097 or less.",
         "run", "plummer:n=5000", "--steps", "1", "--map", "utm", "--backend", "cpu")
    says("no window", "view", code=7)


@case
def meets_half_way(tri):
    """Words of other programs are understood, and what is printed has the names of ours."""
    tri.run("version")
    expect(tri.run("-V")[0] == tri.run("--version")[0], "both forms of version must agree")
    expect(tri.run("help", "run")[0] == tri.run("run", "--help")[0], "both forms of help must agree")
    ran = tri.json("run", "plummer:n=1e2", "--steps", "1e1", "--integrator", "leapfrog", "--precision", "double")
    same = tri.json("run", "plummer:n=100", "--steps", "10", "--integrator", "kdk", "--precision", "fp64")
    expect(ran["state_hash"] == same["state_hash"] and "leapfrog" not in str(ran) and "double" not in str(ran), ran)
    _, err = tri.run("run", "plummer", "--n", "1000", "--steps", "1", code=2)
    expect("plummer:n=1000" in err, err)
    write("stars.csv", ",x,y,z,mass\n0,0,0,0,1\n1,1,0,0,2\n")
    _, err = tri.run("run", "star.csv", "--steps", "1", code=6)
    expect(err == "error: there is no file 'star.csv'. Did you mean 'stars.csv'?\n", err)
    for misspelt in (("compute", "distances", "stars.cvs", "-o", "d.npy"), ("convert", "star.csv", "s.npy"),
                     ("plot", "stars.cs", "-o", "s.svg"), ("run", "--restart", "stars.h5")):
        said = tri.run(*misspelt, code=6)[1]
        expect(said.startswith("error: there is no file 'star") and said.endswith("'. Did you mean 'stars.csv'?\n"), said)
    forces = tri.json("compute", "forces", "stars.csv", "-o", "f.csv", "--law", "lj")
    expect(forces["law"] == "lennard-jones", forces)
    for arguments, code in ((["run", "none.csv", "--steps", "1"], 6), (["run", "plummer"], 2), (["nonsense"], 2),
                            (["compute", "distances", "none.csv", "-o", "d.npy"], 6)):
        out, err = tri.run(*arguments, "--json", code=code)
        expect(json.loads(out) == {"error": err[len("error: "):-1], "exit": code}, (out, err))


@case
def streams(tri):
    """`-` is standard input, csv or tab, and standard output, csv; the summary then goes to standard error."""
    tri.run("convert", "plummer:n=20", "p.csv")
    tri.run("convert", "p.csv", "p.tab")
    csv = text_of("p.csv")
    expect(tri.run("convert", "p.csv", "-")[0] == csv, "csv on standard output")
    for name in ("p.csv", "p.tab"):
        with open(name) as f:
            expect(tri.run("convert", "-", "-", stdin=f)[0] == csv, name)
        with open(name) as f:
            tri.run("run", "-", "--steps", "3", "-o", "end.csv", stdin=f)
        with open(name) as f:
            out, err = tri.run("run", "-", "--steps", "3", "-o", "-", stdin=f)
        expect(out == text_of("end.csv") and "state hash" in err, (out, err))
    out, err = tri.run("run", "kepler", "--steps", "2", "--diag", "-", "--diag-every", "1", "--json")
    expect(out.startswith("step,time,") and out.count("\n") == 4 and json.loads(err)["steps"] == 2, (out, err))
    with open("p.csv") as f:
        out, _ = tri.run("compute", "forces", "-", "-o", "-", "--law", "gravity", stdin=f)
    expect(out.startswith("fx,fy,fz\n") and out.count("\n") == 21, out)
    _, err = tri.run("run", "-", "--steps", "1", stdin=subprocess.DEVNULL, code=6)
    expect("'standard input' holds no bodies" in err, err)
    expect(not os.path.exists("-"), os.listdir("."))


@case
def no_gpu(tri):
    """With all GPUs hidden from the driver: commands that need one exit with 3 and the reason, auto continues."""
    hidden = {"CUDA_VISIBLE_DEVICES": ""}
    write("p.csv", "x,y\n0,0\n3,4\n")
    cuda = json.loads(tri.run("info", "--json", env=hidden)[0])["backends"][1]
    expect(cuda["name"] == "cuda" and not cuda["available"] and cuda["reason"], cuda)
    jobs = [["run", "plummer:n=10", "--steps", "1"], ["compute", "distances", "p.csv", "-o", "d.csv"],
            ["compute", "collisions", "p.csv", "-o", "c.csv"], ["bench", "--kernel", "dummy", "--n", "64"],
            ["compute", "forces", "p.csv", "-o", "f.csv", "--law", "gravity"], ["verify", "--quick"]]
    for job in jobs:
        for choice in (["--backend", "cuda"], ["--device", "0"]):
            out, err = tri.run(*job, *choice, code=3, env=hidden)
            expect(out == "" and err.startswith("error: ") and err.count("\n") == 1, (job, out, err))
            expect(cuda["reason"] in err and "--backend cpu" in err, (job, err))
    expect(not [name for name in os.listdir(".") if name != "p.csv"], os.listdir("."))
    for job in (jobs[1], jobs[3] + ["--samples", "1"]):
        _, err = tri.run(*job, "-v", env=hidden)
        expect("backend cpu" in err and "not cuda: " + cuda["reason"] in err, (job, err))
        _, err = tri.run(*job, env=hidden)
        expect("cuda" not in err, (job, err))


@case
def quiet(tri):
    _, loud = tri.run("run", "plummer:n=20", "--steps", "2", "-v")
    expect("backend cpu: " in loud or "backend cuda: " in loud, loud)
    out, err = tri.run("run", "plummer:n=20", "--steps", "2", "-q")
    expect(err == "" and "state hash" in out, err)
    expect("\033" not in out, "colour without a terminal")


@case
def info_and_list(tri):
    out, _ = tri.run("info")
    for word in ("version", "build", "cpu", "cuda", "processor", "memory"):
        expect(word in out, out)
    facts = json.loads(tri.run("info", "--json")[0])
    expect(facts["threads"] >= 1 and facts["memory_bytes"] > 2**28, facts)
    maps = json.loads(tri.run("list", "maps", "--json")[0])
    expect(len(maps) == 26 and sum(m["historical"] for m in maps) == 5, [m["name"] for m in maps])
    expect({m["domain"] for m in maps} == {"pairs", "triples", "gasket"}, maps)
    for what, word in (("maps", "lambda-stream"), ("laws", "axilrod-teller"), ("scenes", "argon-droplet"), ("fractals", "vicsek"),
                       ("formats", ".npy"), ("devices", "cpu")):
        out, _ = tri.run("list", what)
        expect(word in out, out)
        expect(all(len(line) <= 100 for line in out.split("\n")), out)
        expect(isinstance(json.loads(tri.run("list", what, "--json")[0]), list), what)


@case
def published_failures(tri):
    """Each command of `list failures`, run by this Python, prints the wrong and the right row of the list."""
    rows = json.loads(tri.run("list", "failures", "--json")[0])
    expect(len(rows) >= 10 and len({row["name"] for row in rows}) == len(rows), rows)
    try:
        import numpy  # noqa: F401
        numpy_here = True
    except ImportError:
        numpy_here = False
    out, _ = tri.run("list", "failures")
    table, commands = out.split("the right row:\n")
    expect(all(len(line) <= 100 for line in table.split("\n")), table)
    expect(commands.splitlines() == [row["command"] for row in rows], commands)
    ran = 0
    for row in rows:
        expect(row["index"] is not None and row["given"] != row["right"] and row["name"] in table, row)
        interpreter, flag, program = shlex.split(row["command"])
        expect((interpreter, flag) == ("python3", "-c"), row)
        if "numpy" in program and not numpy_here:
            continue
        done = subprocess.run([sys.executable, flag, program], capture_output=True, text=True, timeout=60)
        given = "nan" if row["given"] is None else row["given"]
        expect(done.returncode == 0 and done.stdout.split() == [str(given), str(row["right"])], f"{row}: {done}")
        ran += 1
    expect(ran >= 4, ran)


@case
def full_disk(tri):
    for arguments in (["run", "plummer:n=20", "--steps", "2"], ["list", "maps"], ["--help"], ["info", "--json"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([tri.path, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
        expect(done.returncode == 6 and done.stderr.startswith("error: "), f"{arguments}: {done}")


@case
def closed_pipe(tri):
    process = subprocess.Popen([tri.path, "list", "maps"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    err = process.stderr.read()
    expect(process.wait(timeout=60) == 0 and err == b"", f"{process.returncode}: {err}")


@case
def closed_streams(tri):
    """No data file has the number of a stream that is closed, so that text would be written into it."""
    for closed in (">&-", "2>&-", "0<&- >&-", "0<&- >&- 2>&-"):
        done = subprocess.run(["sh", "-c", f'exec "$0" "$@" {closed}', tri.path, "run", "kepler", "--steps", "3", "-v",
                               "--diag", "d.csv", "-o", "end.csv"], capture_output=True, text=True, timeout=60)
        expect(done.returncode == 0, (closed, done))
        rows = text_of("d.csv").splitlines()
        expect(len(rows) == 5 and all(row.count(",") == 14 for row in rows), (closed, rows))
        rows = text_of("end.csv").splitlines()
        expect(len(rows) == 3, (closed, rows))
    for words in (["convert", "end.csv", "-"], ["run", "end.csv", "--steps", "1", "-o", "-"],
                  ["run", "end.csv", "--steps", "1", "--diag", "/dev/stdout"], ["compute", "distances", "end.csv", "-o", "-"]):
        done = subprocess.run(["sh", "-c", 'exec "$0" "$@" >&-', tri.path, *words], capture_output=True, text=True)
        expect(done.returncode == 6 and "it is not open for writing" in done.stderr, (words, done))
    # Nobody sees a sentence on a closed standard error, but under --json.
    for words in (["run", "end.csv", "--steps", "1", "--diag", "/dev/stderr"], ["run", "end.csv", "--steps", "1", "--diag", "/dev/fd/2"],
                  ["run", "end.csv", "--steps", "1", "--diag", "/dev/stdin"]):
        done = subprocess.run(["sh", "-c", 'exec "$0" "$@" 2>&- <&-', tri.path, *words, "--json"], capture_output=True, text=True)
        expect(done.returncode == 6 and "it is not open for writing" in json.loads(done.stdout)["error"], (words, done))


@case
def escapes(tri):
    """A terminal does not obey the names and titles of files: control characters are shown as text."""
    _, err = tri.run("run", "a\x1b]0;mine\x07\x9b\x7f.csv", "--steps", "1", code=6)
    expect("'a\\x1b]0;mine\\x07\\u009b\\x7f.csv'" in err, repr(err))
    expect(not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", err), repr(err))
    write("my.toml", 'title = "red \\u001b[31m\\u0007"\ngenerator = "plummer"\n[parameters]\nn = 10\n')
    here, there = pty.openpty()
    done = subprocess.run([tri.path, "run", "my.toml", "--steps", "1"], stdout=there, stderr=subprocess.PIPE, timeout=60)
    seen = os.read(here, 65536)
    os.close(there), os.close(here)
    expect(done.returncode == 0 and b"red \\x1b[31m\\x07" in seen, seen)
    out, _ = tri.run("run", "my.toml", "--steps", "1")
    expect("red \x1b[31m\x07" in out, "a file of results is as it was")


@case
def no_home(tri):
    bare = {name: value for name, value in os.environ.items() if name == "LD_LIBRARY_PATH"}
    done = subprocess.run([tri.path, "run", "kepler", "--steps", "2"], env=bare, capture_output=True, text=True,
                          timeout=60)
    expect(done.returncode == 0 and "state hash" in done.stdout, done)


@case
def read_only_folder(tri):
    os.mkdir("locked")
    os.chmod("locked", 0o555)
    if os.access("locked", os.W_OK):  # root may write anywhere: use a folder that is never writable
        folder = "/proc"
    else:
        folder = "locked"
    for arguments in (["run", "kepler", "--steps", "2", "-o", f"{folder}/end.csv"],
                      ["run", "kepler", "--steps", "2", "--diag", f"{folder}/d.csv"],
                      ["compute", "distances", tri.file("iris.csv"), "-o", f"{folder}/d.npy"],
                      ["bench", "--kernel", "edm", "--n", "64", "--samples", "1", "-o", f"{folder}/b.json"]):
        _, err = tri.run(*arguments, code=6)
        expect("error: " in err and folder in err, err)
    done = subprocess.run([tri.path, "run", "kepler", "--steps", "2"], cwd=folder, capture_output=True, text=True)
    expect(done.returncode == 0, done)


@case
def options_that_act(tri):
    """Each option of run, under each law: it changes the state, or says why not. Some change how it is computed alone."""
    with open("b.csv", "w") as f:
        f.write("m,x,y,z,vx,vy,vz,r\n")
        for k in range(27):
            f.write(f"{1 + k % 3},{k % 3 * 0.95 + 0.01 * k},{k // 3 % 3},{k // 9 * 1.1},{k % 2},{-(k % 3) / 4},0.5,0.51\n")
    laws = {"gravity": [], "lj": ["--law", "lj"], "springs": ["--law", "contact"],
            "impulses": ["--law", "contact", "--response", "impulses"],
            "triples": ["--law", "none", "--triple-law", "axilrod-teller"], "none": ["--law", "none"]}
    forces, contacts = {"gravity", "lj", "springs", "triples"}, {"springs", "impulses"}
    pairs, every = forces - {"triples"} | {"impulses"}, set(laws)
    values = {  # value of the option, and the laws under which the same state is right
        "--dt": ("0.003", set()), "--eta": ("0.1", set()), "--integrator": ("symplectic-euler", set()), "--eps": ("0.4", set()),
        "--G": ("2", set()), "--epsilon": ("2", set()), "--sigma": ("0.8", set()), "--cutoff": ("1.2", set()),
        "--shifted": (None, set()), "--stiffness": ("50", set()), "--damping": ("3", set()), "--shear": ("2", set()),
        "--response": ("impulses", {"impulses"}), "--restitution": ("0.25", set()), "--nu": ("5", set()),
        "--law": ("-mi*mj/r^3", set()), "--triple-law": ("1/(a*b*c)", set()), "--seed": ("7", set()),
        "--accumulate": ("ordered", {"triples"}), "--precision": ("fp32", set()), "--tolerance": ("1e-6", {"gravity"}),
        "--slice-ms": ("20", set()), "--map": ("bb", pairs | {"triples"}), "--block": ("16", pairs | {"triples"}),
        "--broad-phase": ("grid", contacts), "--arithmetic": ("float32", every), "--threads": ("1", every),
        "--units": ("si", every - {"gravity"}), "--device": ("0", set()), "--devices": ("0", set()),
        "--pairs": ("tree", {"gravity"})}
    of_files = {"--steps", "--until", "--diag", "--diag-every", "--energy-limit", "--save-every", "--snapshot", "--walltime",
                "--restart", "--output", "--orbits", "--backend", "--map-file", "--json", "--quiet", "--verbose"}
    text = tri.run("run", "--help")[0]
    listed = {name for line in text.splitlines() if line.startswith("-")
              for name in re.findall(r"(?<!\S)--[A-Za-z-]+", line.split("  ")[0])}
    expect(listed - of_files == set(values), listed ^ of_files ^ set(values))
    for law, words in laws.items():
        base = ["run", "b.csv", "--steps", "20", "--dt", "0.002", "--backend", "cpu", "--precision", "fp64"]
        before, told = tri.run(*base, *words)
        for option, (value, same) in values.items():
            line = base + words
            if option in line:
                at = line.index(option)
                line[at:at + 2] = []
            done = subprocess.run([tri.path, *line, option, *([value] if value else [])], capture_output=True, text=True)
            expect(done.returncode in (0, 2), (law, option, done))
            acts = done.returncode == 2 or state_hash(done.stdout) != state_hash(before) or law in same
            expect(acts or set(done.stderr.splitlines()) - set(told.splitlines()), (law, option, "does nothing", done))


KEYS_OF_SCENES = {
    "": {"units": '"si"', "integrator": '"symplectic-euler"', "precision": '"fp32"', "eta": 0.1, "names": '["a"]',
         "accumulate": '"ordered"', "seed": 7},
    "parameters": {"G": 2, "eps": 0.4, "n": 12, "epsilon": 2, "sigma": 0.8, "cutoff": 1.2, "seed": 7, "nu": 5, "eta": 0.1,
                   "stiffness": 50},
    "physics": {"response": '"impulses"', "stiffness": 50, "damping": 3, "shear": 2, "restitution": 0.25, "epsilon": 2,
                "sigma": 0.8, "cutoff": 1.2, "shifted": "true", "nu": 5, "walls": '"reflecting"', "low": "[0, 0, 0]",
                "high": "[4, 4, 4]", "field": "[0, 0, -1]", "G": 2, "eps": 0.4}}


@case
def keys_that_act(tri):
    """Each key of a scene, under each law: it changes the state, or is refused, or noted."""
    bodies = [[1 + k % 3, k % 3 * 0.95 + 0.01 * k + 0.2, k // 3 % 3 + 0.2, k // 9 * 1.1 + 0.2, k % 2, -(k % 3) / 4, 0.5, 0.51]
              for k in range(27)]
    laws = {"gravity": {}, "lennard-jones": {}, "contact": {}, "impulses": {"pair": '"contact"', "response": '"impulses"'},
            "axilrod-teller": {"pair": '"none"', "triple": '"axilrod-teller"'}, "none": {}, "-mi*mj/(r^2 + 0.1)": {},
            "1/(a*b*c)": {"pair": '"none"', "triple": '"1/(a*b*c)"'}}

    def end_of(tables):
        with open("s.toml", "w") as f:
            for table, keys in tables.items():
                f.writelines(f"[{table}]\n" if table else f"title = 't'\nbodies = {bodies}\n")
                f.writelines(f"{key} = {value}\n" for key, value in keys.items())
        done = subprocess.run([tri.path, "run", "s.toml", "--steps", "20", "--backend", "cpu"], capture_output=True, text=True)
        return done.returncode, state_hash(done.stdout) if done.returncode == 0 else "", done.stderr

    for law, physics in laws.items():
        base = {"": {}, "parameters": {"dt": 0.002}, "physics": physics or {"pair": f'"{law}"'}}
        before = end_of(base)
        expect(before[0] == 0, (law, before))
        # What is so without the key, and the names of units where no constant has a unit.
        same = {"precision"} | ({"units"} if law != "gravity" else set())
        same |= {"integrator"} if law in ("none", "impulses") else set()  # nothing kicks
        for table, keys in KEYS_OF_SCENES.items():
            for key, value in keys.items():
                after = end_of({**base, table: {**base[table], key: value}})
                expect(after[0] in (0, 2, 6), (law, table, key, after))
                expect(after != before or key in same or key in physics, (law, table, key, "does nothing", after))


@case
def keys_of_generators_that_act(tri):
    """Each key of each generator changes the state; mass alone may change nothing that moves."""
    values = {"n": 150, "seed": 150, "fill": 0.1, "walls": "open", "response": "impulses", "g": 2, "e": 0.3, "k": 777, "c": 0.5,
              "speed": 2, "box": 40, "temperature": 0.3, "eps": 0.5, "dt": 0.0013, "mass": 1.3, "length": 1.3, "G": 1.3,
              "virial": 0.4, "ratio": 2, "spacing": 1.3, "nu": 2, "bulge": 0.3, "halo": 8, "bulge-length": 0.3,
              "halo-length": 9, "thickness": 0.2, "Q": 2, "disk-share": 0.3, "bulge-share": 0.05, "charge": 2, "jitter": 0.1, "contrast": 0.6}
    for made in json.loads(tri.run("list", "generators", "--json")[0]):
        name, keys = made["name"], re.findall(r"(?:^|, )([A-Za-z-]+)=", made["keys"])
        if name in ("file", "bodies"):
            continue
        few = {"n": 200} if "n" in keys else {}

        def end_of(chosen):
            scene = f"{name}:" + ",".join(f"{key}={value}" for key, value in chosen.items())
            out, err = tri.run("run", scene.rstrip(":"), "--steps", "20", "--backend", "cpu")
            return state_hash(out), err

        before = end_of(few)
        for key in keys:
            wordless = end_of({**few, key: values[key]}) == before
            expect(not wordless or key == "mass", (name, key, "does nothing"))


MIB = 1 << 20
SENTENCES = {5: "memory|threads|limit", 6: "", 7: ""}  # exit codes that a limit may give, and words of their sentences

COMMANDS = [("run", "plummer:n=2000", "--steps", "2", "-o", "end.h5"),
            ("run", "first.h5", "--steps", "1"),
            ("compute", "forces", "first.csv", "--law", "-mi*mj/sqrt(r^2+1)", "-o", "f.npy"),
            ("compute", "distances", "first.csv", "-o", "d.npy"),
            ("compute", "collisions", "first.csv", "-o", "c.csv"),
            ("compute", "triplets", "few.csv", "-o", "t.csv", "--bins", "0:9:3"),
            ("verify", "map", "lambda", "--n", "1..8"),
            ("law", "-mi*mj/r"), ("info",), ("list", "scenes"),
            ("bench", "--kernel", "dummy", "--n", "1024", "--samples", "1", "-o", "b.json"),
            ("view", "plummer:n=200", "--exit-after", "2"),
            ("render", "plummer:n=200", "-o", "p.png", "--size", "64x48")]


def files(tri):
    tri.run("run", "plummer:n=500", "--steps", "0", "-o", "first.csv")
    tri.run("run", "plummer:n=500", "--steps", "0", "-o", "first.h5")
    tri.run("run", "plummer:n=30", "--steps", "0", "-o", "few.csv")


def ends_well(tri, words, what, limit):
    """Runs it below this limit; the way in which it ended, as a code."""
    name = {value: key for key, value in vars(resource).items() if key.startswith("RLIMIT_")}[what]
    env = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    if words[0] in ("run", "compute", "bench", "view", "render"):
        words = (*words, "--backend", "cpu", "--threads", "2")
    done = subprocess.run([tri.path, *words], capture_output=True, text=True, env=env, timeout=120,
                          preexec_fn=lambda: resource.setrlimit(what, (limit, limit)))
    said = f"{name} {limit}: {words}: {done.returncode}\n{done.stderr[-1500:]}"
    if 127 == done.returncode or "error while loading shared libraries" in done.stderr:
        return None  # not this program: its loader has no room
    expect(done.returncode == 0 or done.returncode in SENTENCES, said)
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1:] or [""]
        expect("error: " in done.stderr and last[0].rstrip().endswith((".", ")")), said)
        expect(re.search(SENTENCES[done.returncode], done.stderr), said)
    return done.returncode


def sweep(tri, commands, what, limits):
    for words in commands:
        codes = [ends_well(tri, words, what, limit) for limit in limits]
        expect(any(code is not None for code in codes), words)


def refuse_sanitizers():
    if "TRI_SANITIZED" in os.environ:
        skip("the sanitizers take more memory than any limit leaves")


@case
def limit_of_memory(tri):
    refuse_sanitizers()
    files(tri)
    sweep(tri, COMMANDS, resource.RLIMIT_AS, [MIB * m for m in (40, 70, 100, 140, 180, 240, 320, 420, 600, 900)])


@case
def limit_of_data(tri):
    refuse_sanitizers()
    files(tri)
    sweep(tri, COMMANDS, resource.RLIMIT_DATA, [MIB * m for m in (2, 8, 16, 30, 60, 120)])


@case
def limit_of_files(tri):
    refuse_sanitizers()
    files(tri)
    sweep(tri, COMMANDS, resource.RLIMIT_NOFILE, (3, 4, 5, 6, 8, 12, 20))
    sweep(tri, COMMANDS, resource.RLIMIT_FSIZE, (0, 1, 1000, 50000))
    sweep(tri, COMMANDS, resource.RLIMIT_STACK, (64 << 10, 256 << 10, MIB))
