"""The functions for kernels of your own, in four languages: bands, rows of masked attention, batches and queues by brute
force, and those of triangulum.warp and triangulum.cute against the maps in C++.

Numba and Warp compile them for the CPU, the CuTe DSL for the host; Triton runs them on a GPU, or in its interpreter, which
needs no torch for arrays that look like tensors. None needs a GPU: pip install numba warp-lang nvidia-cutlass-dsl triton
"""

import importlib.util
import os
from itertools import product

import numpy as np
import pytest
from device_libraries import awkward

LIMIT = 2**31
RESULTS = {"lambda_tile": 2, "fold_tile": 2, "h_tile": 2, "tetra_tile": 3, "lambda_next": 2, "tetra_next": 3, "share": 2,
           "next_tile": 2, "band_tile": 2, "attention_row": 5, "batch_tile": 3}
GPU = importlib.util.find_spec("torch") is not None and __import__("torch").cuda.is_available()
if not GPU:
    os.environ["TRITON_INTERPRET"] = "1"  # before the functions of triangulum.triton are decorated


def compiled(folder, stem, text, names):
    """The function `kernel` of a text, from a file: these languages read the source of what they compile."""
    path = folder / f"{stem}.py"
    path.write_text(text)
    space = dict(names)
    exec(compile(text, str(path), "exec"), space)
    return space["kernel"]


def parts(name, more):
    """Names of the arguments behind the index, and of the results."""
    return [f"a{k}" for k in range(len(more))], [f"r{k}" for k in range(RESULTS[name])]


class Numba:
    def __init__(self, _):
        pytest.importorskip("numba")
        from triangulum import numba as self_functions

        self.functions = self_functions

    def __call__(self, name, index, *more):
        function = getattr(self.functions, name)
        return np.array([function(i, *more) for i in index.tolist()], np.int64).reshape(len(index), RESULTS[name])


class Warp:
    def __init__(self, folder):
        self.wp, self.folder, self.kernels = pytest.importorskip("warp"), folder, {}
        self.wp.config.quiet = True
        from triangulum import warp as self_functions

        self.functions = self_functions

    def __call__(self, name, index, *more):
        wp = self.wp
        if name not in self.kernels:
            given, results = parts(name, more)
            types = ["wp.array(dtype=wp.int64)" if isinstance(m, np.ndarray) else "wp.int64" for m in more]
            text = (f"@wp.kernel\ndef kernel(index: wp.array(dtype=wp.int64), "
                    + "".join(f"{g}: {t}, " for g, t in zip(given, types)) + "out: wp.array2d(dtype=wp.int64)):\n"
                    f"    i = wp.tid()\n    {', '.join(results)} = function({', '.join(['index[i]', *given])})\n"
                    + "".join(f"    out[i, {k}] = wp.int64({r})\n" for k, r in enumerate(results)))
            self.kernels[name] = compiled(self.folder, f"warp_{name}", text,
                                          {"wp": wp, "function": getattr(self.functions, name)})
        def array(values):
            return wp.array(values, dtype=wp.int64, device="cpu")

        out = wp.zeros((len(index), RESULTS[name]), dtype=wp.int64, device="cpu")
        given = [array(m) if isinstance(m, np.ndarray) else wp.int64(m) for m in more]
        wp.launch(self.kernels[name], len(index), inputs=[array(index), *given, out], device="cpu")
        return out.numpy()


class Cute:
    def __init__(self, folder):
        pytest.importorskip("cutlass.cute", reason="the CuTe DSL is the package nvidia-cutlass-dsl")
        import cutlass
        from triangulum import cute as self_functions

        self.cutlass, self.functions, self.folder, self.kernels = cutlass, self_functions, folder, {}

    def __call__(self, name, index, *more):
        from cutlass.cute.runtime import from_dlpack

        cutlass, out = self.cutlass, np.zeros((len(index), RESULTS[name]), np.int64)
        given = [from_dlpack(a).mark_layout_dynamic() if isinstance(a, np.ndarray) else cutlass.Int64(a)
                 for a in (index, *more, len(index), out)]
        if name not in self.kernels:
            words, results = parts(name, more)
            types = ["cute.Tensor" if isinstance(m, np.ndarray) else "cutlass.Int64" for m in more]
            text = ("@cute.jit\ndef kernel(index: cute.Tensor, " + "".join(f"{w}: {t}, " for w, t in zip(words, types)) +
                    "n: cutlass.Int64, out: cute.Tensor):\n    for i in cutlass.range(n):\n"
                    f"        {', '.join(results)} = function({', '.join(['index[i]', *words])})\n"
                    + "".join(f"        out[i, {k}] = cutlass.Int64({r})\n" for k, r in enumerate(results)))
            kernel = compiled(self.folder, f"cute_{name}", text,
                              {"cutlass": cutlass, "cute": cutlass.cute, "function": getattr(self.functions, name)})
            self.kernels[name] = cutlass.cute.compile(kernel, *given)
        self.kernels[name](*given)
        return out


class Memory:
    """What Triton's interpreter asks of a tensor."""

    device = "cpu"

    def __init__(self, array):
        self.array, self.dtype = array, "int64"
        self.data_ptr = lambda: array.ctypes.data
        self.untyped_storage = self.cpu = lambda: self
        self.new_empty = lambda *_, **__: Memory(array)
        self.set_ = self.copy_ = lambda *_, **__: self
        self.storage_offset, self.size, self.stride = lambda: 0, lambda: array.shape, lambda: (1,)


class Triton:
    LANES = 1024

    def __init__(self, folder):
        self.triton, self.folder, self.kernels = pytest.importorskip("triton"), folder, {}
        from triangulum import triton as self_functions

        self.functions = self_functions

    def __call__(self, name, index, *more):
        import triton.language as tl

        given, results = parts(name, more)
        if name not in self.kernels:  # numbers as arrays of one: the interpreter takes an argument of 2^31 for -2^31
            loads = [g if isinstance(m, np.ndarray) else f"tl.load({g})" for g, m in zip(given, more)]
            text = ("@triton.jit\ndef kernel(index, " + "".join(f"{g}, " for g in given) + "out, n, LANES: tl.constexpr):\n"
                    "    i = tl.program_id(0) * LANES + tl.arange(0, LANES)\n"
                    f"    {', '.join(results)} = function({', '.join(['tl.load(index + i)', *loads])})\n"
                    + "".join(f"    tl.store(out + i * {len(results)} + {k}, tl.cast({r}, tl.int64))\n"
                              for k, r in enumerate(results)))
            self.kernels[name] = compiled(self.folder, f"triton_{name}", text, {
                "triton": self.triton, "tl": tl, "function": getattr(self.functions, name)})
        padded = np.zeros(-(-max(len(index), 1) // self.LANES) * self.LANES, np.int64)
        padded[: len(index)] = index
        arrays = [padded, *(m if isinstance(m, np.ndarray) else np.array([m], np.int64) for m in more),
                  np.zeros((len(padded), len(results)), np.int64)]
        if GPU:
            import torch

            arrays = [torch.from_numpy(a).cuda() for a in arrays]
        self.kernels[name][(len(padded) // self.LANES,)](*(a if GPU else Memory(a) for a in arrays), len(index), LANES=self.LANES)
        return (arrays[-1].cpu().numpy() if GPU else arrays[-1])[: len(index)]


@pytest.fixture(scope="module", params=(Numba, Warp, Cute, Triton), ids=lambda language: language.__name__.lower())
def run(request, tmp_path_factory):
    return request.param(tmp_path_factory.mktemp("kernels"))


def bands():
    """The functions of the host, from any of the languages that is there."""
    from triangulum import _bands

    return _bands


# The maps: those of Numba and Triton have files of their own.

@pytest.fixture
def of_a_map(run):
    if isinstance(run, (Numba, Triton)):
        pytest.skip("test_numba.py and test_triton.py have these")
    return run


@pytest.mark.parametrize("name", ("lambda", "fold", "h", "tetra"))
def test_tiles_of_maps(of_a_map, name):
    from triangulum import maps

    more = lambda side: (side,) if name in ("fold", "h") else ()  # noqa: E731
    for side in (1, 2, 3, 7, 8, 21, 64, 100):
        sized = maps[name](side)
        if name != "tetra" or side < 60:
            assert np.array_equal(of_a_map(f"{name}_tile", np.arange(len(sized)), *more(side)), sized.tiles()), side
    for side in (maps[name].max_side, maps[name].max_side - 1, 92_682):
        sized = maps[name](side)
        rows = [r for k in range(1, 31) for r in (2**k - 1, 2**k, 2**k + 1)] + [side - 1, 94_906_266, 67_108_865]
        number = (lambda r: r * (r + 1) * (r + 2) // 6) if name == "tetra" else (lambda r: r * (r + 1) // 2)
        omega = awkward(len(sized), [number(r) for r in rows if r < side], 300)
        assert of_a_map(f"{name}_tile", omega, *more(side)).tolist() == [list(sized.tile(int(w))) for w in omega]


def test_steps_and_shares(of_a_map):
    for row in range(6):
        got = of_a_map("lambda_next", np.full(row + 1, row), 0)
        assert got.tolist() == [[row + 1, 0] if row == 0 else [row, 1]] * (row + 1)
    assert of_a_map("lambda_next", np.array([3, 4]), 3).tolist() == [[4, 0], [4, 4]]
    for x, y, z in ((0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1), (2, 5, 9)):
        following = (x + 1, y, z) if x != y else (0, y + 1, z) if y != z else (0, 0, z + 1)
        assert of_a_map("tetra_next", np.array([x]), y, z).tolist() == [list(following)]
    for tiles, workers in ((10, 3), (55, 7), (2**61, 4096)):
        firsts = [of_a_map("share", np.array([tiles]), workers, worker)[0].tolist() for worker in (0, 1, 2, workers - 1)]
        assert firsts[0][0] == 0 and sum(firsts[-1]) == tiles and all(n - tiles // workers in (0, 1) for _, n in firsts)
        assert firsts[1][0] == firsts[0][1] and firsts[2][0] == firsts[1][0] + firsts[1][1]


# Bands.

def test_small_bands(run):
    for rows, cols in product((0, 1, 4, 7), (0, 1, 4, 7)):
        for shift, window in product((-5, -1, 0, 1, 6), (0, 1, 3, 9, LIMIT)):
            expected = [[r, c] for r in range(rows) for c in range(cols) if r + shift - window < c <= r + shift]
            assert bands().band_count(rows, cols, shift, window) == len(expected)
            if expected:
                assert run("band_tile", np.arange(len(expected)), cols, shift, window).tolist() == expected


@pytest.mark.parametrize("rows, cols, shift, window", (
    (LIMIT, LIMIT, 0, LIMIT), (LIMIT, LIMIT, 0, 4097), (1, LIMIT, LIMIT - 1, LIMIT), (1 << 20, 1 << 24, 15 << 20, 1 << 22),
    (LIMIT, 1000, -5, 70000), (100000, LIMIT, 7, LIMIT - 1)))
def test_large_bands(run, rows, cols, shift, window):
    count = bands().band_count(rows, cols, shift, window)
    omega = awkward(count, [2**k for k in range(1, 62)], 300)
    for w, (row, column) in zip(omega.tolist(), run("band_tile", omega, cols, shift, window).tolist()):
        lowest = max(row + shift - window + 1, 0)
        assert 0 <= row < rows and lowest <= column <= min(row + shift, cols - 1)
        assert bands().band_count(row, cols, shift, window) + column - lowest == w


# Rows of masked attention.

def tile_pairs(mask, row, column, tile_queries, tile_keys):
    queries, keys, low, high = mask
    q = np.arange(row * tile_queries, min((row + 1) * tile_queries, queries))[:, None]
    k = np.arange(column * tile_keys, (column + 1) * tile_keys)[None, :]
    seen = (k < keys) & (low <= k - q) & (k - q <= high)
    return seen.any(), seen.all()


def expect_rows(run, mask, tile_queries, tile_keys):
    rows, columns = -(-mask[0] // tile_queries), -(-mask[1] // tile_keys)
    got = run("attention_row", np.arange(rows), *mask, tile_queries, tile_keys)
    assert sorted(got[:, 0].tolist()) == list(range(rows)), mask
    slack, longest = (0 if tile_queries == tile_keys else 2), columns
    for row, first, end, whole, whole_end in got.tolist():
        assert first <= whole <= whole_end <= end <= columns and end - first <= longest + slack, (mask, row)
        longest = min(longest, end - first)
        for column in range(columns):
            some, every = tile_pairs(mask, row, column, tile_queries, tile_keys)
            assert some == (first <= column < end) and every == (whole <= column < whole_end), (mask, row, column)


def test_rows_of_small_masks(run):
    mask = bands().attention_mask
    for tile in ((2, 2), (3, 2), (2, 5)):
        for queries, keys in ((10, 7), (7, 10), (1, 1), (9, 0), (3, 5)):
            for left, right in ((-1, 0), (3, 0), (0, 2), (-1, -1)):
                expect_rows(run, mask(queries, keys, left, right), *tile)
    expect_rows(run, (7, 1, -2, -2), 3, 3)
    expect_rows(run, (3, 5, 0, 1), 2, 2)
    expect_rows(run, (5, 5, 2, 1), 2, 2)
    rng = np.random.default_rng(3)
    for _ in range(12):
        queries, keys = rng.integers(1, 60, 2).tolist()
        expect_rows(run, mask(queries, keys, *rng.integers(-5, 30, 2).tolist()), *rng.integers(1, 9, 2).tolist())


def test_rows_of_large_masks(run):
    for left, right, tile_queries, tile_keys in ((-1, 0, 1, 1), (1000, 17, 128, 176), (-1, 0, 128, 64), (0, 2**30, 64, 64)):
        mask = bands().attention_mask(LIMIT, LIMIT, left, right)
        rows = -(-LIMIT // tile_queries)
        got = run("attention_row", awkward(rows, [], 300), *mask, tile_queries, tile_keys)
        lengths = [end - first for _, first, end, _, _ in got.tolist()]
        assert len(set(got[:, 0].tolist())) == len(set(awkward(rows, [], 300).tolist())) and lengths[0] + 2 >= max(lengths)
        for row, *loop in got.tolist():
            assert loop == list(bands()._range(row, *mask, tile_queries, tile_keys)), (mask, row)


def test_tables_of_attention():
    masks = [bands().attention_mask(*m) for m in ((40, 40), (0, 9), (17, 60, 20), (100, 90, -1, 3))]
    table = bands().attention_table(masks, 16, 8)
    assert sorted(map(tuple, table[:, :2].tolist())) == [(s, r) for s, m in enumerate(masks) for r in range(-(-m[0] // 16))]
    assert np.all(np.diff(table[:, 3] - table[:, 2]) <= 0), "longest first"
    for sequence, row, *loop in table.tolist():
        assert loop == list(bands()._range(row, *masks[sequence], 16, 8))
    assert bands().attention_table([], 16, 16).shape == (0, 6)
    with pytest.raises(ValueError, match="2\\^31"):
        bands().attention_mask(-1, 5)


# Batches and queues.

def test_batches(run):
    for sides in ((2, 0, 3, 1), (1,), (0, 0, 5, 0), tuple(range(9)), (92682, 3, LIMIT, 92683)):
        prefix = bands().batch_table(sides)
        count = int(prefix[-1])
        position = np.arange(count) if count < 500 else awkward(count, [int(p) for p in prefix], 300)
        for w, (triangle, row, column) in zip(position.tolist(), run("batch_tile", position, prefix, len(sides)).tolist()):
            assert 0 <= column <= row < sides[triangle] and prefix[triangle] + row * (row + 1) // 2 + column == w
    with pytest.raises(ValueError, match="2\\^63"):
        bands().batch_table([LIMIT] * 4 + [LIMIT])


def test_queues(run):
    for tiles, workers in ((7, 3), (5, 5), (1, 1), (100, 4)):
        got = run("next_tile", np.arange(tiles), tiles, workers).tolist()
        assert [w for w, _ in got] == [*range(workers, tiles)] + [-1] * workers
        assert [last for _, last in got] == [0] * (tiles - 1) + [1]
    assert run("next_tile", np.array([2**61]), 2**62, 4096).tolist() == [[2**61 + 4096, 0]]


def test_what_is_no_count_is_refused():
    b = bands()
    for call, error, words in (
        (lambda: b.attention_mask(4.0, 4), TypeError, "attention_mask: queries is a float"),
        (lambda: b.attention_mask(4, 4, left=None), TypeError, "left is a NoneType"),
        (lambda: b.band_count(8, "8", 0), TypeError, "band_count: cols is a str"),
        (lambda: b.band_count(-1, 8, 0), ValueError, "between 0 and 2"),
        (lambda: b.attention_table([(4, 4, 0)], 16, 8), ValueError, "mask 0 is .4, 4, 0."),
        (lambda: b.attention_table([5], 16, 8), ValueError, "mask 0 is"),
        (lambda: b.attention_table([(4, -4, 0, 0)], 16, 8), ValueError, "-4 keys"),
        (lambda: b.attention_table([(4, 4, 0.5, 0)], 16, 8), TypeError, "low is a float"),
        (lambda: b.attention_table([(4, 4, 0, 0)], 0, 8), ValueError, "1 or more, not 0 and 8"),
        (lambda: b.attention_table([(4, 4, 0, 0)], 16, -8), ValueError, "1 or more"),
        (lambda: b.batch_table([3, 2.5]), TypeError, "batch_table: side is a float"),
        (lambda: b.batch_table([3, -1]), ValueError, "not -1"),
        (lambda: b.batch_table([True]), TypeError, "side is True"),
        (lambda: b.batch_table([[1, 2]]), TypeError, "side is a list"),
    ):
        with pytest.raises(error, match=words):
            call()
    narrow = np.array([60_000, 70_000], np.int32)  # whose squares are beyond 32 bits
    assert b.batch_table(narrow).tolist() == b.batch_table(narrow.tolist()).tolist()
    assert b.attention_mask(np.int8(100), np.int8(100), np.int8(100)) == (100, 100, -100, 0)
