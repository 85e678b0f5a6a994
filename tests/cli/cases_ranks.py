"""Several processes that work as one, started by mpirun."""

import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import time

from program import bytes_of, case, expect, skip, state_hash, text_of, write


def mpirun(tri, ranks, *arguments, through=(), **more):
    """Started, as a process group of its own, `through` a command that starts the program in each rank."""
    if not shutil.which("mpirun") or not os.path.exists(os.path.join(os.path.dirname(tri.path), "libtriangulum-mpi.so")):
        skip("this build has no MPI")
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks), *through, tri.path, *arguments]
    # Of one machine: they talk through its memory, whatever its network is.
    # Their search for GPUs would end a rank with any X server of other tests that ends meanwhile.
    environment = dict(more.pop("env", os.environ), OMPI_MCA_btl="^tcp", HWLOC_COMPONENTS="-gl")
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            start_new_session=True, env=environment, **more)


def run(tri, ranks, *arguments, code=0, **more):
    process = mpirun(tri, ranks, *arguments, **more)
    out, err = process.communicate(timeout=120)
    expect(process.returncode == code, f"{ranks} ranks, {arguments}: {process.returncode}, not {code}\n{out}{err}")
    return out, err


def by_nccl(tri, ranks, *arguments):
    """Processes as torchrun starts them, one for each GPU, the first one first."""
    about = subprocess.run([tri.path, "doctor", "--json"], capture_output=True, text=True, timeout=100).stdout
    devices = [row for row in json.loads(about) if row["what"] == "--devices"]
    if not devices or "; NCCL" not in devices[0]["found"]:
        skip("needs two GPUs and NCCL")
    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        port = any_port.getsockname()[1]
    there = dict(os.environ, TORCHELASTIC_RUN_ID="none", WORLD_SIZE=str(ranks), LOCAL_WORLD_SIZE=str(ranks),
                 MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port - 1))
    return [subprocess.Popen([tri.path, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, env=dict(there, RANK=str(r), LOCAL_RANK=str(r)))
            for r in range(ranks)]


def children(parent):
    """The processes that mpirun started, by rank."""
    found = {}
    for pid in os.listdir("/proc"):
        try:
            rank = re.search(rb"(?:^|\0)OMPI_COMM_WORLD_RANK=(\d+)", bytes_of(f"/proc/{pid}/environ"))
            above = int(text_of(f"/proc/{pid}/stat").rsplit(")", 1)[1].split()[1])
        except (OSError, ValueError):
            continue
        if rank and above == parent:
            found[int(rank.group(1))] = int(pid)
    return found


def catches(pid, number):
    with open(f"/proc/{pid}/status") as f:
        return int(re.search(r"SigCgt:\s*(\w+)", f.read()).group(1), 16) >> (number - 1) & 1


@case
def ranks(tri):
    """One state hash for any number of ranks; files and results once; errors with their exit code."""
    arguments = ["run", "plummer:n=900", "--steps", "30", "--accumulate", "ordered", "--backend", "cpu"]
    alone = state_hash(tri.run(*arguments)[0])
    for count in (1, 2, 3, 5):
        out, _ = run(tri, count, *arguments, "-o", f"end{count}.csv")
        expect(state_hash(out) == alone, f"{count} ranks: {out}")
    with open("end1.csv") as one, open("end5.csv") as five:
        expect(one.read() == five.read(), "the files differ")
    result = json.loads(run(tri, 3, *arguments, "--json")[0])
    expect(result["ranks"] == 3 and result["state_hash"] == alone, result)
    expect(len(result["rank_ms"]) == 3 and min(result["rank_ms"]) > 0, result)
    expect("rank_ms" not in json.loads(tri.run(*arguments, "--json")[0]), "one is alone")
    _, err = run(tri, 2, "run", "plummer:n=zero", "--steps", "1", code=2)
    expect(err.count("error:") == 1 and "n = 'zero', but it must be" in err, err)
    _, err = run(tri, 2, "run", "plummer:n=10", "--steps", "1", "--device", "0", code=2)
    expect("--device and --devices choose GPUs of one process, and a launcher started several" in err, err)
    hidden = dict(os.environ, CUDA_VISIBLE_DEVICES="")
    _, err = run(tri, 2, "run", "plummer:n=10", "--steps", "1", "--backend", "cuda", code=3, env=hidden)
    expect(re.search(r"error: --backend cuda: rank 0 on \S+ has no GPU: .*Use --backend cpu\.", err), err)
    forces = ["compute", "forces", "end1.csv", "--law", "gravity", "--accumulate", "ordered", "--backend", "cpu"]
    run(tri, 2, *forces, "-o", "f.csv")
    tri.run(*forces, "-o", "g.csv")
    with open("f.csv") as f, open("g.csv") as g:
        expect(f.read() == g.read(), "the forces differ")


@case
def ranks_bench(tri):
    """Forces are shared by the ranks, and checked on each; what is not shared is refused before anything runs."""
    words = ["bench", "--backend", "cpu", "--kernel", "gravity,triplet", "--map", "lambda,tetra", "--n", "200",
             "--samples", "2", "--warmup", "0", "--threads", "1"]
    one = json.loads(tri.run(*words, "--json")[0])
    three = json.loads(run(tri, 3, *words, "--json")[0])
    expect(one["meta"]["ranks"] == 1 and three["meta"]["ranks"] == 3, three["meta"])
    expect(len(one["results"]) == len(three["results"]) == 4, three)
    for alone, shared in zip(one["results"], three["results"]):
        expect(alone["ranks"] == 1 and shared["ranks"] == 3 and shared["check"]["passed"], shared)
        for key in ("kernel", "map", "n", "block", "blocks_launched", "blocks_useful", "work_items"):
            expect(alone[key] == shared[key], (key, alone, shared))
    out, _ = run(tri, 2, *words, "--accumulate", "ordered")
    expect(out.count("ordered sums, 2 ranks: 2 samples") == 2, out)
    _, err = run(tri, 2, "bench", "--backend", "cpu", "--kernel", "gravity,dummy3,gasket", code=2)
    expect("--kernel dummy3,gasket: several devices or ranks share gravity and triplet only" in err, err)
    _, err = run(tri, 2, *words, "--block", "16", "--resume", "r.json", code=0)
    _, err = run(tri, 3, *words, "--block", "16", "--resume", "r.json", code=2)
    expect("it was made with ranks = 2, and this run has 3" in err, err)


@case
def ranks_or_not(tri):
    """doctor says where they are; without MPI processes do not pretend to be alone, unless they shall be."""
    process = mpirun(tri, 2, "doctor", env=dict(os.environ, OMP_NUM_THREADS="1", CUDA_VISIBLE_DEVICES=""))
    out, _ = process.communicate(timeout=120)
    expect(re.search(r"rank 0 +\S+, 1 thread on cores [\d,-]+\n.*rank 1 +", out, re.S), out)
    out, _ = run(tri, 2, "list", "maps", env=dict(os.environ, TRIANGULUM_RANKS="off"))
    expect(out.count("lambda-stream") >= 2, out)
    # As srun starts processes without MPI, and torchrun.
    for there in ({"SLURM_STEP_NUM_TASKS": "4"}, {"WORLD_SIZE": "4", "TORCHELASTIC_RUN_ID": "none"}):
        _, err = tri.run("list", "maps", code=3, env=there)
        expect("a launcher started 4 processes, but they cannot work together: MPI sees 1 of them" in err, err)
        there |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500", "CUDA_VISIBLE_DEVICES": ""}
        _, err = tri.run("list", "maps", code=3, env=there)
        expect("MPI sees 1 of them" in err and "With a GPU each, NCCL would connect them, but " in err, err)
    os.mkdir("elsewhere")
    shutil.copy(tri.path, "elsewhere/triangulum")
    env = dict(os.environ, OMPI_COMM_WORLD_SIZE="4")
    lost = subprocess.run(["elsewhere/triangulum", "list", "maps"], capture_output=True, text=True, env=env)
    expect(lost.returncode == 3 and "a launcher started 4 processes" in lost.stderr, (lost.returncode, lost.stderr))


@case
def ranks_by_nccl(tri):
    """Without MPI: the bits of one GPU; results once; errors of the first rank; doctor shows all."""
    arguments = ["run", "plummer:n=9000", "--steps", "30", "--accumulate", "ordered", "--backend", "cuda"]
    processes = by_nccl(tri, 2, *arguments, "-o", "end.csv")
    outputs = [process.communicate(timeout=120) for process in processes]
    expect([process.returncode for process in processes] == [0, 0], outputs)
    expect(state_hash(outputs[0][0]) == state_hash(tri.run(*arguments)[0]) and outputs[1] == ("", ""), outputs)
    processes = by_nccl(tri, 2, "run", "plummer:n=zero", "--steps", "1")
    outputs = [process.communicate(timeout=120) for process in processes]
    expect(processes[0].returncode == 2 and "zero" in outputs[0][1] and outputs[1] == ("", ""), outputs)
    out = [process.communicate(timeout=120)[0] for process in by_nccl(tri, 2, "doctor")][0]
    expect(re.search(r"rank 0 +\S+, .*\n.*rank 1 +", out, re.S), out)


@case
def ranks_by_nccl_killed(tri):
    """Without a launcher that would end them: kill -9 of one rank ends the other within 10 s, with a sentence."""
    for killed in (0, 1):
        processes = by_nccl(tri, 2, "run", "plummer:n=9000", "--steps", "10000000", "--backend", "cuda", "--snapshot",
                            "s_{step}.hdf5", "--save-every", "100")
        end = time.monotonic() + 60
        while time.monotonic() < end and len(os.listdir(".")) < 2:
            time.sleep(0.01)
        processes[killed].kill()
        begin = time.monotonic()
        other = processes[1 - killed]
        _, err = other.communicate(timeout=60)
        expect(time.monotonic() - begin < 10 and other.returncode == 3, (other.returncode, err))
        expect(f"rank {killed} has ended, and the others cannot go on without it" in err, err)
        processes[killed].communicate()
        for name in os.listdir("."):
            os.remove(name)


@case
def ranks_interrupted(tri):
    """Ctrl-C at mpirun: the state after the last step is written, and goes on with another number of ranks."""
    arguments = ["plummer:n=1500", "--steps", "2000", "--accumulate", "ordered", "--backend", "cpu"]
    whole = state_hash(tri.run("run", *arguments)[0])
    process = mpirun(tri, 3, "run", *arguments, "--save-every", "10", "--snapshot", "s_{step}.hdf5")
    end = time.monotonic() + 60
    while time.monotonic() < end and not os.path.exists("s_0010.hdf5"):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    process.communicate(timeout=60)
    expect(time.monotonic() - begin < 10, f"{time.monotonic() - begin:.1f} s")
    names = sorted(name for name in os.listdir(".") if name.endswith(".hdf5"))
    expect(names and not [name for name in os.listdir(".") if ".tmp-" in name], os.listdir("."))
    out, _ = run(tri, 2, "run", "--restart", names[-1], "--backend", "cpu")
    expect(state_hash(out) == whole, f"after {names[-1]}")


def is_running(pid):
    try:
        return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


@case
def ranks_signalled(tri):
    """SIGTERM to any rank ends the run as Ctrl-C does, also while the ranks start or the first one alone works."""
    write("p.csv", "".join(f"{k % 97},{k % 89},{k}\n" for k in range(60000)))
    many = ["run", "plummer:n=1500", "--steps", "100000", "--backend", "cpu"]
    saved = many + ["-o", "end.hdf5", "--save-every", "20", "--snapshot", "s_{step}.hdf5"]
    for rank, wait_s, words in ((1, 1.5, ["run", "plummer:n=400000", "--steps", "9", "--backend", "cpu"]),
                                (2, 1.5, saved), (1, 0, many), (2, 0.1, many),
                                (1, 1.5, ["compute", "distances", "p.csv", "-o", "d.npy", "--backend", "cpu"])):
        process = mpirun(tri, 3, *words)
        found = {}
        while len(found) < 3:
            found = children(process.pid)
            expect(process.poll() is None, (words, "ended by itself"))
        while not catches(found[rank], signal.SIGTERM):
            time.sleep(0.001)
        time.sleep(wait_s)
        while words is saved and not os.path.exists("s_000020.hdf5"):
            time.sleep(0.01)
        os.kill(found[rank], signal.SIGTERM)
        begin = time.monotonic()
        while process.poll() is None and is_running(found[0]):
            time.sleep(0.01)
        took = time.monotonic() - begin  # of the first rank; mpirun takes one or two seconds more for itself
        _, err = process.communicate(timeout=60)
        # The fault took 40 s. A rank that ends by itself sleeps in MPI_Finalize(); other work takes its share.
        expect(took < 6 and time.monotonic() - begin < 12, (words, took, time.monotonic() - begin))
        expect("interrupted" in err, (words, err))
        expect(words is not saved or os.path.exists("end.hdf5"), os.listdir("."))


@case
def ranks_killed(tri):
    """kill -9 of any rank at any moment ends all of them within 10 s; earlier snapshots are whole."""
    arguments = ["plummer:n=700", "--steps", "100000", "--accumulate", "ordered"]
    rounds = int(os.environ.get("TRI_KILLS", "4"))
    random.seed(7)
    for attempt in range(rounds):
        process = mpirun(tri, 3, "run", *arguments, "--save-every", "20", "--snapshot", "s_{step}.hdf5")
        moment = time.monotonic() + random.uniform(0.02, 1.5)
        found = {}
        while time.monotonic() < moment or len(found) < 3:
            found = children(process.pid)
            expect(process.poll() is None, "it ended by itself")
        os.kill(found[attempt % 3], signal.SIGKILL)
        begin = time.monotonic()
        _, err = process.communicate(timeout=60)
        expect(process.returncode != 0, err)
        while any(os.path.exists(f"/proc/{pid}") for pid in found.values()):
            expect(time.monotonic() - begin < 10, "a rank goes on")
            time.sleep(0.01)
        # mpirun names the signal, or what a rank that noticed first returned
        expect("signal 9" in err or "non-zero exit code" in err, err)
        names = sorted(name for name in os.listdir(".") if name.endswith(".hdf5"))
        for name in names[-2:]:
            tri.run("run", "--restart", name, "--steps", "0", "--backend", "cpu")
        for name in os.listdir("."):
            os.remove(name)


@case
def ranks_without_memory(tri):
    """A rank that runs out of memory ends all of them with its sentence and exit code, with nothing written."""
    few = ["sh", "-c", '[ "$OMPI_COMM_WORLD_RANK" = 0 ] || ulimit -v 500000; exec "$0" "$@"']
    arguments = ["sphere-box:n=2000000", "--steps", "1", "--backend", "cpu", "--threads", "1", "-o", "end.csv"]
    begin = time.monotonic()
    process = mpirun(tri, 2, "run", *arguments, through=few)
    _, err = process.communicate(timeout=120)
    expect(process.returncode == 5, (process.returncode, err))
    expect(re.search(r"error: rank 1 on \S+: (out of memory|.* memory are free)", err), err)
    expect(time.monotonic() - begin < 110 and not os.listdir("."), os.listdir("."))


@case
def several_devices(tri):
    """--devices: what it excludes, and a device that is not there."""
    write("points.csv", "x,y,z,m\n0,0,0,1\n1,0,0,1\n0,1,0,1\n")
    for words, told in (
            (["run", "plummer:n=8", "--steps", "1", "--devices", "0,0"], "--devices names '0' twice in '0,0'"),
            (["run", "plummer:n=8", "--steps", "1", "--devices", "0,x"], "--devices"),
            (["run", "plummer:n=8", "--steps", "1", "--devices", "all", "--device", "0"],
             "--devices and --device both choose CUDA devices"),
            (["run", "plummer:n=8", "--steps", "1", "--devices", "0,1", "--backend", "cpu"], "--backend is cpu"),
            (["run", "gasket:r=4", "--steps", "1", "--devices", "0,1"], "an automaton runs on one device"),
            (["bench", "--devices", "0,1", "--kernel", "dummy,gravity,collision"],
             "--kernel dummy,collision: several devices or ranks share gravity and triplet only"),
            (["bench", "--devices", "0,1", "--dry-run", "--kernel", "gasket"], "--kernel gasket: several devices"),
            (["bench", "--devices", "0,1", "--map", "plain,lambda"], "--map plain is no map"),
            (["bench", "--devices", "0,1", "--energy"], "--energy reads the meters of one device"),
            (["bench", "--devices", "0,1", "--tune"], "leave --devices out")):
        _, err = tri.run(*words, code=2)
        expect(told in err, err)
    for words in (["run", "plummer:n=8", "--steps", "1"],
                  ["bench", "--kernel", "gravity,triplet"],
                  ["compute", "distances", "points.csv", "-o", "t.npy"],
                  ["compute", "collisions", "points.csv", "-o", "t.npy"],
                  ["compute", "triplets", "points.csv", "-o", "t.npy", "--bins", "0:2:1"]):
        _, err = tri.run(*words, "--devices", "0,200", code=3)
        expect("--devices: device " in err, err)
    expect(not os.path.exists("t.npy"), os.listdir("."))
