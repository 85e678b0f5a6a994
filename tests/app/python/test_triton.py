"""triangulum.triton against the maps in C++: whole domains, and the last tiles before the limits.

On a GPU the kernels are compiled; elsewhere Triton's interpreter runs them.
"""

import os

import numpy as np
import pytest
from device_libraries import awkward, awkward_pairs
from triangulum import maps

torch = pytest.importorskip("torch", reason="Triton's kernels take arrays of torch")
pytest.importorskip("triton")
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
if DEVICE == "cpu":
    if os.environ.get("TRI_REQUIRE_CUDA") == "1":
        pytest.fail("torch finds no GPU")
    os.environ["TRITON_INTERPRET"] = "1"  # before the functions are decorated

import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from triangulum import triton as tri  # noqa: E402

LANES = 1024
SIDES = (1, 2, 3, 4, 5, 7, 8, 21, 64, 100, 127, 255)
LIMIT = 2**31


@triton.jit
def lambda_kernel(omega, out, m, LANES: tl.constexpr):
    lanes = tl.program_id(0) * LANES + tl.arange(0, LANES)
    row, column = tri.lambda_tile(tl.load(omega + lanes))
    tl.store(out + 2 * lanes, row)
    tl.store(out + 2 * lanes + 1, column)


@triton.jit
def fold_kernel(omega, out, m, LANES: tl.constexpr):
    lanes = tl.program_id(0) * LANES + tl.arange(0, LANES)
    row, column = tri.fold_tile(tl.load(omega + lanes), tl.load(m))
    tl.store(out + 2 * lanes, row)
    tl.store(out + 2 * lanes + 1, column)


@triton.jit
def h_kernel(omega, out, m, LANES: tl.constexpr):
    lanes = tl.program_id(0) * LANES + tl.arange(0, LANES)
    row, column = tri.h_tile(tl.load(omega + lanes), tl.load(m))
    tl.store(out + 2 * lanes, row)
    tl.store(out + 2 * lanes + 1, column)


@triton.jit
def tetra_kernel(omega, out, m, LANES: tl.constexpr):
    lanes = tl.program_id(0) * LANES + tl.arange(0, LANES)
    x, y, z = tri.tetra_tile(tl.load(omega + lanes))
    tl.store(out + 3 * lanes, x)
    tl.store(out + 3 * lanes + 1, y)
    tl.store(out + 3 * lanes + 2, z)


@triton.jit
def lambda_stream_kernel(out, tiles):
    first, count = tri.share(tiles, tl.num_programs(0), tl.program_id(0))
    row, column = tri.lambda_tile(first)
    for omega in range(first, first + count):
        tl.store(out + 2 * omega, row)
        tl.store(out + 2 * omega + 1, column)
        row, column = tri.lambda_next(row, column)


@triton.jit
def tetra_stream_kernel(out, tiles):
    first, count = tri.share(tiles, tl.num_programs(0), tl.program_id(0))
    x, y, z = tri.tetra_tile(first)
    for omega in range(first, first + count):
        tl.store(out + 3 * omega, x)
        tl.store(out + 3 * omega + 1, y)
        tl.store(out + 3 * omega + 2, z)
        x, y, z = tri.tetra_next(x, y, z)


@triton.jit
def share_kernel(out, tiles, workers):
    first, count = tri.share(tiles, workers, tl.program_id(0))
    tl.store(out + 2 * tl.program_id(0), first)
    tl.store(out + 2 * tl.program_id(0) + 1, count)


@triton.jit
def program_kernel(out):
    omega = tl.program_id(0)
    row, column = tri.lambda_tile(omega)
    tl.store(out + 2 * omega, row)
    tl.store(out + 2 * omega + 1, column)


KERNELS = {"lambda": lambda_kernel, "fold": fold_kernel, "h": h_kernel, "tetra": tetra_kernel}


def tiles_of(name, omega, m):
    """The tiles of these omega by Triton."""
    padded = np.zeros(-(-max(len(omega), 1) // LANES) * LANES, np.int64)
    padded[: len(omega)] = omega
    columns = 3 if name == "tetra" else 2
    out = torch.zeros((len(padded), columns), dtype=torch.int64, device=DEVICE)
    side = torch.tensor([m], dtype=torch.int64, device=DEVICE)  # the interpreter takes an argument of 2^31 for -2^31
    KERNELS[name][(len(padded) // LANES,)](torch.from_numpy(padded).to(DEVICE), out, side, LANES=LANES)
    return out.cpu().numpy()[: len(omega)]


@pytest.mark.parametrize("name", KERNELS)
def test_whole_domains(name):
    for side in (s for s in SIDES if name != "tetra" or s < 60):
        sized = maps[name](side)
        assert np.array_equal(tiles_of(name, np.arange(len(sized)), side), sized.tiles()), side


in_bulk = pytest.mark.skipif(DEVICE == "cpu", reason="the interpreter is too slow for millions of tiles; needs a GPU")


@in_bulk
@pytest.mark.parametrize("name", KERNELS)
def test_millions_of_tiles_near_the_limit(name):
    limit = maps[name].max_side
    sized = maps[name](limit)
    count, rng = len(sized), np.random.default_rng(7)
    for start in [0, count - 1_000_000, *rng.integers(0, count - 1_000_000, 5).tolist()]:
        tiles = tiles_of(name, np.arange(start, start + 1_000_000), limit)
        assert np.array_equal(tiles, sized.tiles(start, start + 1_000_000)), start


@in_bulk
@pytest.mark.parametrize("name, side", (("lambda", 5000), ("fold", 5001), ("h", 4999), ("tetra", 300)))
def test_large_domains(name, side):
    sized = maps[name](side)
    assert np.array_equal(tiles_of(name, np.arange(len(sized)), side), sized.tiles())


@pytest.mark.parametrize("side", (LIMIT, LIMIT - 1, 2**30 + 12345, 92_682, 8_390_657))
@pytest.mark.parametrize("name", ("lambda", "fold", "h"))
def test_near_the_limit(name, side):
    sized = maps[name](side)
    omega = awkward_pairs(sized, side, 200)
    assert tiles_of(name, omega, side).tolist() == [list(sized.tile(int(w))) for w in omega]


def test_tetra_near_the_limit():
    sized = maps["tetra"](sized_limit := maps["tetra"].max_side)
    layers = [2**k + d for k in range(1, 22) for d in (-1, 0, 1)] + list(range(sized_limit - 40, sized_limit))
    omega = awkward(len(sized), [z * (z + 1) * (z + 2) // 6 for z in layers], 200)
    assert tiles_of("tetra", omega, 0).tolist() == [list(sized.tile(int(w))) for w in omega]


@pytest.mark.parametrize("workers", (1, 7, 55))
def test_streams(workers):
    for name, kernel, side in (("lambda-stream", lambda_stream_kernel, 10), ("tetra-stream", tetra_stream_kernel, 6)):
        sized = maps[name](side)
        out = torch.full(sized.tiles().shape, -1, dtype=torch.int64, device=DEVICE)
        kernel[(workers,)](out, len(sized))
        assert np.array_equal(out.cpu().numpy(), sized.tiles())


def test_shares_are_those_of_the_persistent_maps():
    workers, sized = 100, maps["lambda-stream"](1000, workers=100)
    out = torch.zeros((workers, 2), dtype=torch.int64, device=DEVICE)
    share_kernel[(workers,)](out, len(sized), workers)
    for worker, (first, count) in enumerate(out.tolist()):
        run = sized.tiles(worker, worker + 1)
        assert len(run) == count and np.array_equal(run[0], maps["lambda"](1000).tile(first))


def test_a_program_a_tile():
    sized = maps["lambda"](9)
    out = torch.zeros((len(sized), 2), dtype=torch.int64, device=DEVICE)
    program_kernel[(len(sized),)](out)
    assert np.array_equal(out.cpu().numpy(), sized.tiles())
