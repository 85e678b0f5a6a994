"""What a long life asks for: threads, Ctrl-C, fork, pickle, memory, and objects that were never made."""

import copy
import gc
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import triangulum
from triangulum import Simulation


def interrupted(call, after=0.3):
    """Whether Ctrl-C ends the call."""
    timer = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        timer.join()
    return False


def test_ctrl_c_ends_steps_that_go_on(backend):
    sim = Simulation("plummer:n=1000", backend=backend)
    assert interrupted(lambda: sim.step(10**9))
    steps = sim.steps
    assert steps > 0 and np.isfinite(sim.positions).all()
    sim.step(2)
    assert sim.steps == steps + 2


def test_ctrl_c_ends_forces():
    for n in (20_000, 40_000, 80_000, 160_000):
        x = np.random.default_rng(1).random((n, 3))
        begin = time.monotonic()
        triangulum.forces(x, 1.0, "gravity", eps=0.1, backend="cpu")
        if time.monotonic() - begin > 0.5:
            break
    begin = time.monotonic()
    assert interrupted(lambda: triangulum.forces(x, 1.0, "gravity", eps=0.1, backend="cpu"), 0.1)
    assert triangulum.forces(x[:9], 1.0, "gravity", eps=0.1, backend="cpu").shape == (9, 3)


def test_ctrl_c_ends_the_making_of_bodies_and_tables(tmp_path):
    pipe = tmp_path / "no_writer.csv"
    os.mkfifo(pipe)
    table = triangulum.maps["lambda-lut"](20_000)
    for call in (lambda: Simulation("galaxy:n=20000000", backend="cpu"), table.lut, table.verify, table.tiles,
                 lambda: Simulation(str(pipe), backend="cpu")):
        begin = time.monotonic()
        assert interrupted(call)
        assert time.monotonic() - begin < 2
    assert len(table) == 200_010_000


MANY = np.random.default_rng(3).random((400_000, 3))
SPREAD = np.random.default_rng(4).random((1_000_000, 3))
LONG = {
    "counts of contacts": lambda: triangulum.contacts(MANY, 0.05, per_body=True, backend="cpu"),
    "counts in few cells": lambda: triangulum.contacts(MANY[:150_000], 0.5, per_body=True, backend="cpu"),
    "springs": lambda: triangulum.forces(MANY, 1.0, "contact", radii=0.04, backend="cpu"),
    "a sample of a bench": lambda: triangulum.bench("triplet", n=4096, samples=50, backend="cpu"),
    "checks": lambda: triangulum.verify(full=True, backend="cpu"),
    "data of a bench": lambda: triangulum.bench("dummy", form="automaton", n=40_000, samples=3, backend="cpu"),
    "distances of a bench": lambda: triangulum.bench("edm", n=32_768, map="lambda", samples=3, warmup=0, backend="cpu"),
    "a large square": lambda: [triangulum.pdist(MANY[:20_000], layout="square", backend="cpu") for _ in range(9)],
    "a tree": lambda: triangulum.forces(SPREAD, 1.0, "gravity", eps=0.1, pairs="tree", tolerance=1e-7, backend="cpu"),
}


@pytest.mark.parametrize("call", LONG.values(), ids=LONG)
def test_ctrl_c_ends_long_work_soon(call):
    """Half a second; here with room for a loaded machine. Some took a minute."""
    begin = time.monotonic()
    assert interrupted(call, 0.7)
    assert time.monotonic() - begin < 5


def test_ctrl_c_in_a_block_gives_the_state_back():
    sim = Simulation("plummer:n=50", backend="cpu")
    before = sim.hash()

    def work():
        with sim.arrays() as a:
            a.positions[:] = 0
            time.sleep(5)

    assert interrupted(work, 0.1)
    assert sim.hash() == before
    sim.step()


def work_of(k, backend, results):
    sim = Simulation("plummer:n=300", accumulate="ordered", backend=backend)
    for _ in range(20):
        sim.step(5)
        with sim.arrays() as a:
            assert a.masses is not None
    x = sim.positions
    results[k] = sim.hash(), triangulum.pdist(x, backend=backend), triangulum.contacts(x, 0.01, backend=backend)


def test_threads_with_an_object_each(backend):
    results = {}
    threads = [threading.Thread(target=work_of, args=(k, backend, results)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    for hash, d, pairs in results.values():
        assert hash == results[0][0] and np.array_equal(d, results[0][1]) and np.array_equal(pairs, results[0][2])


def test_one_object_in_two_threads_is_refused(backend):
    sim, errors = Simulation("plummer:n=3000", backend=backend), []
    thread = threading.Thread(target=lambda: sim.step(300))
    thread.start()
    while thread.is_alive() and not errors:
        for call in (lambda: sim.steps, lambda: sim.arrays().__enter__(), lambda: repr(sim), lambda: len(sim)):
            try:
                call()
            except RuntimeError as error:
                errors.append(str(error))
    thread.join()
    assert errors and all("another thread" in error for error in errors)
    assert sim.steps == 300


def child_of_fork(sim, backend, connection):
    """The sentence or the hash that a forked process gets from each call."""
    said = []
    calls = (
        lambda: sim.step(5) or sim.hash(),
        lambda: Simulation("plummer:n=300", accumulate="ordered", backend=backend).hash(),
        lambda: str(len(triangulum.pdist(np.zeros((400, 3)), backend=backend))),
        lambda: Simulation("plummer:n=300").backend, lambda: len(os.listdir("/proc/self/task")),
    )
    for call in calls:
        try:
            said.append(call())
        except RuntimeError as error:
            said.append(str(error))
    connection.send(said)


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork")
def test_after_a_fork(backend):
    sim = Simulation("plummer:n=300", accumulate="ordered", backend=backend)
    begin = sim.hash()
    sim.step(5)  # on threads
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=child_of_fork, args=(sim, backend, there))
    process.start()
    assert here.poll(60), "the forked process hangs"
    said = here.recv()
    process.join(60)
    assert process.exitcode == 0
    sim.step(5)
    if backend == "cpu":
        assert said[:3] == [sim.hash(), begin, str(400 * 399 // 2)]
        assert said[4] > 1 or len(os.sched_getaffinity(0)) == 1, "it computes on one thread"
    else:
        assert all("fork" in sentence for sentence in said[:3]) and said[3] == "cpu"


def test_a_forked_process_exits():
    """By exit(), which ends the threads that a thread of the parent had; where no GPU was used, since the CUDA driver
    itself cannot end a forked process."""
    program = """import ctypes, os, signal, warnings
import numpy as np, triangulum as tr
warnings.simplefilter("ignore")
tr.pdist(np.random.default_rng(2).random((3000, 3)), backend="cpu")
sim = tr.Simulation("plummer:n=2000", backend="cpu")
sim.step(2)
child = os.fork()
if child == 0:
    signal.alarm(60)
    sim.step(2)
    del sim
    ctypes.CDLL(None).exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


WORK = {
    "forces": "tr.forces(x, 1.0, 'gravity', eps=0.1, backend='cpu')",
    "pdist": "[tr.pdist(x[:3000], backend='cpu') for _ in range(10**6)]",
    "contacts": "[tr.contacts(x[:3000], 0.2, backend='cpu') for _ in range(10**6)]",
    "steps": "tr.Simulation('plummer:n=2000', backend='cpu').step(10**9)",
    "triplets": "tr.triplets(x[:3000], [0, 0.1, 1], map='tetra', backend='cpu')",
    "verify": "tr.maps['lambda'](60000).verify()",
}


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_the_interpreter_ends_while_daemons_work(work):
    program = f"""import sys, threading, time
import numpy as np, triangulum as tr
x = np.random.default_rng(0).random((60000, 3))
for _ in range(2):
    threading.Thread(target=lambda: {work}, daemon=True).start()
time.sleep(0.3)
sys.exit(7)
"""
    begin = time.monotonic()
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 7 and done.stderr == "" and time.monotonic() - begin < 20


def test_maps_are_pickled_and_copied():
    m = triangulum.maps
    for map in (m["lambda"](9), m["bb", "pairs"](4, diagonal=False), m["lambda-stream"](9, workers=3), m["gasket"](8)):
        for made in (pickle.loads(pickle.dumps(map)), copy.copy(map), copy.deepcopy(map)):
            assert repr(made) == repr(map) and np.array_equal(made.tiles(0, 2), map.tiles(0, 2))
    for made in (pickle.loads(pickle.dumps(m["lambda"])), copy.deepcopy(m["lambda"])):
        assert made == m["lambda"]
    law = pickle.loads(pickle.dumps(triangulum.law("a*b*c", over="triples")))
    assert law == "a*b*c" and law.over == "triples"


def test_a_simulation_is_not_pickled_or_copied():
    sim = Simulation("plummer:n=5", backend="cpu")
    for call in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match=r"save\(\) it"):
            call(sim)


def failing_calls(tmp):
    x = np.zeros((4, 3))
    one_place = np.zeros((2, 3))
    return (
        lambda: Simulation("plumer"), lambda: Simulation("plummer:n=50", backend="cpu", map="tetra"),
        lambda: Simulation("plummer:n=50", backend="cpu", integrator="hermite", precision="fp32"),
        lambda: Simulation(positions=x, masses=-1.0, backend="cpu"),
        lambda: Simulation(positions=x, masses=1.0, radii=5.0, laws={"pair": "contact"}, box=1.0, backend="cpu"),
        lambda: Simulation.load(tmp / "nowhere.h5"),
        lambda: triangulum.forces(one_place, 1.0, "gravity", backend="cpu"),
        lambda: triangulum.contacts(x, -1.0, backend="cpu"), lambda: triangulum.pdist(x, map="lamda", backend="cpu"),
        lambda: triangulum.triplets(x, [2, 1], backend="cpu"),
    )


def test_exceptions_in_init_leave_nothing(tmp_path):
    resource_of = [len(os.listdir("/proc/self/fd")), threading.active_count()]
    for call in failing_calls(tmp_path):
        for _ in range(20):
            with pytest.raises((ValueError, OSError, ArithmeticError)):
                call()
    gc.collect()
    assert [len(os.listdir("/proc/self/fd")), threading.active_count()] == resource_of


def surface(sim, tmp):
    """Every call of the module on the cpu backend, once, some of them with errors."""
    x = np.random.default_rng(0).random((60, 3), dtype=np.float32)
    m = np.ones(60, np.float32)
    triangulum.pdist(x, backend="cpu")
    triangulum.pdist(x, layout="square", out=np.empty((60, 60), np.float32), backend="cpu")
    triangulum.contacts(x, 0.1, backend="cpu")
    triangulum.contacts(x, 0.1, box=1.0, per_body=True, backend="cpu")
    triangulum.triplets(x[:20], [0, 0.5, 1], backend="cpu")
    triangulum.forces(x, m, "gravity", eps=0.1, energy=True, backend="cpu")
    triangulum.forces(x[:12], m[:12], {"pair": "lennard-jones", "triple": "axilrod-teller"}, backend="cpu")
    triangulum.maps(), triangulum.scenes()
    sim.step(2)
    sim.run(until=sim.time)
    with sim.arrays() as a:
        a.velocities[0] = 0
    sim.energy(), sim.hash(), sim.diagnostics, sim.laws, repr(sim), len(sim), sim.notes
    sim.positions, sim.velocities, sim.masses, sim.radii, sim.time, sim.steps, sim.map, sim.device
    sim.save(tmp / "state.npy")
    new = Simulation(positions=sim.positions, masses=sim.masses, laws=sim.laws, box=None, dt=0.01, backend="cpu")
    new.step()
    Simulation("kepler", backend="cpu").step()
    for call in failing_calls(tmp):
        try:
            call()
        except (ValueError, OSError, ArithmeticError):
            pass


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def test_no_memory_is_lost(tmp_path):
    """10,000 calls and more: 300 rounds of some 50 calls after 60 that fill caches."""
    sim = Simulation("plummer:n=40", backend="cpu")
    sim.save(tmp_path / "run.h5")
    for _ in range(60):
        surface(sim, tmp_path)
    gc.collect()
    before = resident()
    for _ in range(300):
        surface(sim, tmp_path)
    gc.collect()
    assert resident() - before < 8 << 20  # a lost kilobyte a round would be a third of a megabyte, an array 5
    for _ in range(50):
        Simulation.load(tmp_path / "run.h5", backend="cpu")


LIMITED = """
import ctypes, resource, sys, numpy as np, triangulum as tr
x, m = np.random.default_rng(1).random((1500, 3)), np.ones(1500)
work = {
    "pdist": lambda: tr.pdist(x), "forces": lambda: tr.forces(x, m, "gravity", eps=0.1, backend="cpu"),
    "contacts": lambda: tr.contacts(x, 0.01, backend="cpu"), "triplets": lambda: tr.triplets(x[:60], [0.0, 0.5, 2.0]),
    "simulation": lambda: tr.Simulation("plummer:n=1500", backend="cpu").step(2),
    "saving": lambda: tr.Simulation("plummer:n=500", backend="cpu").save("s.h5"),
    "loading": lambda: tr.Simulation.load("first.h5", backend="cpu"),
}[sys.argv[1]]
tr.Simulation("plummer:n=500", backend="cpu").save("first.h5")
kind = getattr(resource, sys.argv[2])
errors, reserve = (MemoryError, OSError), bytearray(100_000)  # which the interpreter may need to say what happened
held = {line.split(":")[0]: line for line in open("/proc/self/status")}
used = int(held["VmSize" if sys.argv[2] == "RLIMIT_AS" else "VmData"].split()[1]) << 10
value = int(sys.argv[3]) + (used if sys.argv[2] in ("RLIMIT_AS", "RLIMIT_DATA") else 0)
malloc = ctypes.CDLL(None).malloc
malloc.restype, malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
resource.setrlimit(kind, (value, value))
size = 1 << 20 if sys.argv[2:] == ["RLIMIT_AS", "0"] else 0  # not even what the heap still has
while size >= 24:
    while malloc(size): pass
    size //= 2
try:
    work()
except errors as error:
    del reserve
    print(error)
"""


@pytest.mark.parametrize("work", ["pdist", "forces", "contacts", "triplets", "simulation", "saving", "loading"])
def test_limits_of_the_session(work, tmp_path):
    """ulimit -v, -d, -f and -n: a MemoryError or an OSError, never a signal."""
    for kind, values in (
        ("RLIMIT_AS", [0, 1 << 20, 4 << 20, 16 << 20, 100 << 20]), ("RLIMIT_DATA", [0, 1 << 20, 16 << 20]),
        ("RLIMIT_FSIZE", [0, 1000]), ("RLIMIT_NOFILE", [3, 5, 8]),
    ):
        for value in values:
            done = subprocess.run(
                [sys.executable, "-c", LIMITED, work, kind, str(value)], capture_output=True, text=True, timeout=100,
                cwd=tmp_path,
            )
            said = done.stdout + done.stderr[-1000:]
            assert done.returncode == 0 and "bad_alloc" not in said, (kind, value, done.returncode, said)
