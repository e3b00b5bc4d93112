"""The real GPU, where there is one; elsewhere what needs it is skipped and says how to run it."""

from collections.abc import Iterator

import pytest

from kernelwright_backends.core.target import Target
from kernelwright_backends.cuda.gpu.device import find_devices
from kernelwright_backends.cuda.nvcc.toolkit import ToolkitMissing, find_toolkit
from kernelwright_verifier.sandbox import Sandbox, SandboxUnavailable, open_confinement

HOW = "run `pytest -m gpu tests/gpu` on a machine that has it"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = [item for item in items if item.get_closest_marker("gpu") is not None]
    if not here:
        return
    found = find_devices()
    reason = (
        f"needs an NVIDIA GPU ({found.problem or 'the driver knows none'}): {HOW}"
        if not found.devices
        else ""
    )
    if not reason and _nvcc_problem():
        reason = f"needs nvcc ({_nvcc_problem()}): {HOW}"
    for item in here if reason else ():
        item.add_marker(pytest.mark.skip(reason=reason))


def _nvcc_problem() -> str:
    try:
        find_toolkit()
    except ToolkitMissing as missing:
        return str(missing)
    return ""


@pytest.fixture(scope="session")
def nvcc() -> None:
    """Skips where nvcc is missing; a GPU is not needed."""
    if problem := _nvcc_problem():
        pytest.skip(f"needs nvcc ({problem})")


@pytest.fixture(scope="session")
def target() -> Target:
    """The GPU that is here, else the default architecture."""
    devices = find_devices().devices
    return Target(dialect="cuda", chip=devices[0].architecture if devices else "sm_90", where="gpu")


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    try:
        yield open_confinement()
    except SandboxUnavailable as unavailable:
        pytest.skip(str(unavailable))
