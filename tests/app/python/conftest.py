"""The backends that a test runs on. Without a GPU it is skipped there, with the reason; TRI_REQUIRE_CUDA=1 makes that a
failure."""

import functools
import os

import numpy as np
import pytest
import triangulum


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
        (pytest.fail if os.environ.get("TRI_REQUIRE_CUDA") == "1" else pytest.skip)(reason)


@pytest.fixture(params=("cpu", "cuda"))
def backend(request):
    if request.param == "cuda":
        request.getfixturevalue("gpu")
    return request.param
