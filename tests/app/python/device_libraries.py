"""Libraries with arrays, as tests of them need it: NumPy; on a GPU PyTorch, CuPy, and a home-made DLPack producer."""

import importlib
import os

import numpy as np
import pytest


def missing(reason):
    if os.environ.get("TRI_REQUIRE_CUDA") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def load(module):
    try:
        return importlib.import_module(module)
    except ImportError as error:
        missing(str(error))


class NumPy:
    def __init__(self, backend):
        self.how = {"backend": backend}

    def device(self, x):
        return x.copy()

    def host(self, x):
        assert type(x) is np.ndarray
        return x


class Torch:
    """What a test needs of a library."""

    how = {}  # keywords of a call

    def __init__(self):
        self.torch = load("torch")
        if not self.torch.cuda.is_available():
            missing("torch sees no GPU")

    def device(self, x, device=0):
        return self.torch.from_numpy(x.copy()).to(f"cuda:{device}")

    def host(self, x):
        assert isinstance(x, self.torch.Tensor) and x.is_cuda
        return x.cpu().numpy()

    def empty(self, shape, dtype):
        return self.torch.empty(shape, dtype=getattr(self.torch, np.dtype(dtype).name), device="cuda:0")

    def where(self, x):
        return x.device.index

    def stream(self):
        return self.torch.cuda.stream(self.torch.cuda.Stream())

    def delay(self):
        self.torch.cuda._sleep(200_000_000)  # a tenth of a second

    def synchronize(self):
        self.torch.cuda.synchronize()

    def devices(self):
        return self.torch.cuda.device_count()

    def from_dlpack(self, array):
        return self.torch.from_dlpack(array)

    def free_memory(self):
        return self.torch.cuda.mem_get_info()[0]

    def on(self, device):
        return self.torch.cuda.device(device)

    def current(self):
        return self.torch.cuda.current_device()

    def capture(self, work):
        graph = self.torch.cuda.CUDAGraph()
        with self.torch.cuda.graph(graph):
            work()
        return graph.replay


class CuPy:
    how = {}

    def __init__(self):
        self.cupy = load("cupy")
        try:
            self.cupy.cuda.runtime.getDeviceCount()
        except self.cupy.cuda.runtime.CUDARuntimeError as error:
            missing(f"cupy sees no GPU: {error}")
        self.spin = self.cupy.RawKernel(
            "extern \"C\" __global__ void spin() { long long begin = clock64();"
            " while (clock64() - begin < 200000000) {} }",
            "spin",
        )

    def device(self, x, device=0):
        with self.cupy.cuda.Device(device):
            return self.cupy.asarray(x)

    def host(self, x):
        assert isinstance(x, self.cupy.ndarray)
        return x.get()

    def empty(self, shape, dtype):
        return self.cupy.empty(shape, dtype)

    def where(self, x):
        return x.device.id

    def stream(self):
        return self.cupy.cuda.Stream(non_blocking=True)

    def delay(self):
        self.spin((1,), (1,), ())

    def synchronize(self):
        self.cupy.cuda.Device().synchronize()

    def devices(self):
        return self.cupy.cuda.runtime.getDeviceCount()

    def from_dlpack(self, array):
        return self.cupy.from_dlpack(array)

    def free_memory(self):
        return self.cupy.cuda.Device().mem_info[0]

    def on(self, device):
        return self.cupy.cuda.Device(device)

    def current(self):
        return self.cupy.cuda.runtime.getDevice()

    def capture(self, work):
        stream = self.cupy.cuda.Stream(non_blocking=True)
        with stream:
            stream.begin_capture()
            work()
            graph = stream.end_capture()

        def replay():
            graph.launch(stream)
            stream.synchronize()

        return replay


class Producer:
    """An array of a library that is known by DLPack alone."""

    def __init__(self, array):
        self.array, self.streams = array, []

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, *, stream=None, max_version=None):
        self.streams.append(stream)
        return self.array.__dlpack__(stream=stream)


def points(n, d, dtype=np.float32):
    return np.random.default_rng(1000 * n + d).normal(size=(n, d)).astype(dtype)


def there(lib, value):
    """The library's arrays in place of NumPy's, also in a tuple or a dict."""
    if isinstance(value, tuple):
        return tuple(there(lib, part) for part in value)
    if isinstance(value, dict):
        return {key: there(lib, part) for key, part in value.items()}
    return lib.device(value) if type(value) is np.ndarray and value.ndim > 0 and value.dtype.kind in "fi" else value


WAYS = ("cupy.asarray", "cupy.from_dlpack", "torch.as_tensor", "torch.from_dlpack")


def taken_by(way):
    """What takes a DeviceArray without a copy, and brings it to NumPy."""
    name, call = way.split(".")
    module = load(name)
    how = {"device": "cuda"} if call == "as_tensor" else {}
    to_numpy = module.asnumpy if name == "cupy" else lambda tensor: tensor.cpu().numpy()
    return lambda array: getattr(module, call)(array, **how), to_numpy


def awkward(count, starts, anywhere):
    """Of so many positions those around `starts`, at both ends, and so many anywhere."""
    near = [w + d for w in starts for d in (-1, 0, 1)] + [0, 1, count - 2, count - 1]
    near += np.random.default_rng(5).integers(0, count, anywhere).tolist()
    return np.array([w for w in near if 0 <= w < count], np.int64)


def awkward_pairs(sized, side, anywhere):
    """Around the starts of rows where roots round, likewise."""
    rows = [2**k + d for k in range(1, 31) for d in (-1, 0, 1)] + [side - 1, side // 2, 94_906_266, 67_108_865]
    return awkward(len(sized), [r * (r + 1) // 2 for r in rows], anywhere)
