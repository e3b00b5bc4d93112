"""Which GPU serves a target, and what is said where none does."""

import pytest

from kernelwright_backends.core.registry import ToolchainUnavailable, toolchain_for
from kernelwright_backends.core.target import Target
from kernelwright_backends.cuda.gpu.device import Device, DeviceMissing, Devices, devices_for, find_devices


def gpu(name: str, architecture: str, number: int = 0) -> Device:
    return Device(
        name=name, bus=f"0000:0{number}:00.0", architecture=architecture, uuid=f"GPU-{number}",
        memory_bytes=80 << 30, l2_bytes=1 << 25, processors=100,
    )  # fmt: skip


H200, A100, H100 = (
    gpu("NVIDIA H200", "sm_90"),
    gpu("NVIDIA A100-SXM4-80GB", "sm_80", 1),
    gpu("NVIDIA H100", "sm_90", 2),
)


@pytest.mark.parametrize(
    ("target", "device"),
    [
        ("cuda:sm_90@gpu", H200),
        ("cuda:sm_90a@gpu", H200),
        ("cuda:h200@gpu", H200),
        ("cuda:h100@gpu", H100),
        ("cuda:a100-80@gpu", A100),
        ("cuda:sm_80@gpu", A100),
    ],
)
def test_the_first_gpu_that_is_the_chip_serves(target: str, device: Device) -> None:
    assert devices_for(Target.parse(target), Devices(devices=(H200, A100, H100)))[0] == device


def test_another_chip_is_refused_and_the_one_that_is_here_named() -> None:
    with pytest.raises(DeviceMissing) as refused:
        devices_for(Target.parse("cuda:b200@gpu"), Devices(devices=(H200,)))
    assert str(refused.value) == (
        "cuda:b200@gpu is not available: the GPU here is NVIDIA H200 (sm_90: target cuda:sm_90@gpu); "
        "use cuda:b200@cpu to run on the CPU"
    )


def test_a_product_of_the_same_architecture_is_another_chip() -> None:
    with pytest.raises(DeviceMissing):
        devices_for(Target.parse("cuda:h100@gpu"), Devices(devices=(H200,)))


def test_a_machine_without_a_gpu_says_why_and_what_runs_instead() -> None:
    problem = "no NVIDIA driver is loaded (/dev/nvidiactl is missing)"
    with pytest.raises(DeviceMissing) as refused:
        devices_for(Target.parse("cuda:sm_90@gpu"), Devices(problem=problem))
    assert str(refused.value) == (
        f"cuda:sm_90@gpu is not available: {problem}; use cuda:sm_90@cpu to run on the CPU"
    )


@pytest.mark.skipif(bool(find_devices().devices), reason="this machine has a GPU")
def test_no_toolchain_is_given_out_for_a_gpu_that_is_not_here() -> None:
    with pytest.raises(ToolchainUnavailable, match=r"use cuda:sm_90@cpu to run on the CPU"):
        toolchain_for(Target.parse("cuda:sm_90@gpu"))
