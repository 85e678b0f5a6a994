"""Where a test runs. Without a GPU, or without a library for one, it is skipped there, with the reason;
TRI_REQUIRE_CUDA=1 makes that a failure."""

import functools

import numpy as np
import pytest
import triangulum
from device_libraries import WAYS, CuPy, NumPy, Torch, missing, taken_by


@functools.cache
def _why_no_gpu():
    try:
        triangulum.pdist(np.zeros((2, 1)), backend="cuda")
    except RuntimeError as error:
        return str(error)
    return None


@pytest.fixture
def gpu():
    if reason := _why_no_gpu():
        missing(reason)


@pytest.fixture(params=("cpu", "cuda"))
def backend(request):
    if request.param == "cuda":
        request.getfixturevalue("gpu")
    return request.param


@pytest.fixture(params=(Torch, CuPy))
def lib(request):
    """A library with arrays on a GPU."""
    return request.param()


@pytest.fixture(params=("cpu", "cuda", Torch, CuPy), ids=("cpu", "cuda", "torch", "cupy"))
def place(request):
    """NumPy on each backend, and the libraries with arrays on a GPU: call(place.device(x), **place.how)."""
    if request.param == "cuda":
        request.getfixturevalue("gpu")
    return NumPy(request.param) if isinstance(request.param, str) else request.param()


@pytest.fixture(params=("numpy", *WAYS))
def state(request):
    """A backend, and what makes an array that may be written of one of its Simulation.arrays()."""
    if request.param == "numpy":
        return "cpu", lambda array: array
    request.getfixturevalue("gpu")
    return "cuda", taken_by(request.param)[0]
