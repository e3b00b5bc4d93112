"""A whole extension file: dispatch, accessors, guards, modules, and the way tensors enter and leave an entry."""

from collections.abc import Callable

import pytest


@pytest.mark.parametrize("standard", ["c++17", "c++20"])
def test_an_extension_runs_and_frees_what_it_took(run: Callable[..., bytes], standard: str) -> None:
    assert run("extension.cpp", standard).decode().splitlines() == [
        "CUDAFloatType 0 1.5",
        "CUDADoubleType 0 1.5",
        "CUDAHalfType 0 1.5",
        "CUDABFloat16Type 0 1.5",
        "dtype 6, 2 x 3, strides 3 1",
        "dtype 6, 3 x 2, strides 2 1",
        "dtype 6, 2 x 3, strides 3 1",
        "dtype 6, 1 x 1, strides 1 1",
        "1.5 2.5",
        "2 references, bound -inf",
        "scaled by 2",
        "132",
        "19",
    ]
