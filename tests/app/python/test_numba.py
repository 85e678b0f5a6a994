"""triangulum.numba against the maps in C++: whole domains, and the last tiles before the limits; on the CPU, and in CUDA
kernels where there is a GPU or its simulator (NUMBA_ENABLE_CUDASIM=1)."""

import os

import numpy as np
import pytest
from device_libraries import awkward, awkward_pairs
from triangulum import maps

numba = pytest.importorskip("numba")

from numba import cuda  # noqa: E402
from triangulum import numba as tri  # noqa: E402

SIDES = (1, 2, 3, 4, 5, 7, 8, 21, 64, 100, 127, 255, 1000)
LIMIT = 2**31


@numba.njit
def fill_lambda(omega, m, out):
    for k in range(len(omega)):
        out[k, 0], out[k, 1] = tri.lambda_tile(omega[k])


@numba.njit
def fill_fold(omega, m, out):
    for k in range(len(omega)):
        out[k, 0], out[k, 1] = tri.fold_tile(omega[k], m)


@numba.njit
def fill_h(omega, m, out):
    for k in range(len(omega)):
        out[k, 0], out[k, 1] = tri.h_tile(omega[k], m)


@numba.njit
def fill_tetra(omega, m, out):
    for k in range(len(omega)):
        out[k, 0], out[k, 1], out[k, 2] = tri.tetra_tile(omega[k])


FILLS = {"lambda": fill_lambda, "fold": fill_fold, "h": fill_h, "tetra": fill_tetra}


def tiles_of(name, omega, m):
    out = np.zeros((len(omega), 3 if name == "tetra" else 2), np.int64)
    FILLS[name](omega, m, out)
    return out


@pytest.mark.parametrize("name", FILLS)
def test_whole_domains(name):
    for side in (s for s in SIDES if name != "tetra" or s < 260):
        sized = maps[name](side)
        assert np.array_equal(tiles_of(name, np.arange(len(sized)), side), sized.tiles()), side


@pytest.mark.parametrize("side", (LIMIT, LIMIT - 1, 2**30 + 12345, 92_682, 8_390_657))
@pytest.mark.parametrize("name", ("lambda", "fold", "h"))
def test_near_the_limit(name, side):
    sized = maps[name](side)
    omega = awkward_pairs(sized, side, 20_000)
    assert tiles_of(name, omega, side).tolist() == [list(sized.tile(int(w))) for w in omega]


def test_tetra_near_the_limit():
    limit = maps["tetra"].max_side
    sized = maps["tetra"](limit)
    layers = list(range(3000)) + [2**k + d for k in range(1, 22) for d in (-1, 0, 1)] + list(range(limit - 3000, limit))
    omega = awkward(len(sized), [z * (z + 1) * (z + 2) // 6 for z in layers], 20_000)
    assert tiles_of("tetra", omega, 0).tolist() == [list(sized.tile(int(w))) for w in omega]


@numba.njit
def lambda_stream(tiles, workers, out):
    for worker in range(workers):
        first, count = tri.share(tiles, workers, worker)
        row, column = tri.lambda_tile(first)
        for k in range(first, first + count):
            out[k, 0], out[k, 1] = row, column
            row, column = tri.lambda_next(row, column)


@numba.njit
def tetra_stream(tiles, workers, out):
    for worker in range(workers):
        first, count = tri.share(tiles, workers, worker)
        x, y, z = tri.tetra_tile(first)
        for k in range(first, first + count):
            out[k, 0], out[k, 1], out[k, 2] = x, y, z
            x, y, z = tri.tetra_next(x, y, z)


@pytest.mark.parametrize("workers", (1, 7, 100))
def test_streams(workers):
    for name, fill, side in (("lambda-stream", lambda_stream, 40), ("tetra-stream", tetra_stream, 20)):
        sized = maps[name](side, workers=workers)
        out = np.zeros_like(sized.tiles())
        fill(len(sized), workers, out)
        assert np.array_equal(out, sized.tiles())
        for worker in range(workers):
            first, count = tri.share(len(sized), workers, worker)
            assert np.array_equal(sized.tiles(worker, worker + 1), out[first : first + count])


def test_in_a_cuda_kernel():
    if not cuda.is_available():
        if os.environ.get("TRI_REQUIRE_CUDA") == "1":
            pytest.fail("Numba finds no GPU")
        pytest.skip("Numba finds no GPU; NUMBA_ENABLE_CUDASIM=1 simulates one")

    @cuda.jit
    def kernel(m, pairs, folded, halved, triples):
        omega = cuda.grid(1)
        if omega < len(pairs):
            pairs[omega, 0], pairs[omega, 1] = tri.lambda_tile(omega)
            folded[omega, 0], folded[omega, 1] = tri.fold_tile(omega, m)
            halved[omega, 0], halved[omega, 1] = tri.h_tile(omega, m)
        if omega < len(triples):
            triples[omega, 0], triples[omega, 1], triples[omega, 2] = tri.tetra_tile(omega)

    side = 21
    expected = [maps[name](side).tiles() for name in ("lambda", "fold", "h", "tetra")]
    out = [cuda.to_device(np.zeros_like(tiles)) for tiles in expected]
    try:
        kernel[-(-len(expected[3]) // 128), 128](side, *out)
    except AttributeError as error:
        if "module 'numpy' has no attribute" not in str(error):
            raise
        pytest.skip(f"Numba's CUDA part does not work with NumPy {np.__version__}: {error}")
    for got, tiles in zip(out, expected):
        assert np.array_equal(got.copy_to_host(), tiles)
