"""Which NVIDIA GPUs are here: asked of the driver in a process of its own, so that none of ours holds a context."""

import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

from kernelwright_backends.core.model import Model
from kernelwright_backends.core.target import ARCHITECTURE, DEFAULT_PRODUCT, AvailableDevice, Target

CONTROL = Path("/dev/nvidiactl")
_OF_ALL = ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools")
_FACTS = Path("/proc/driver/nvidia/gpus")
_ASK_S = 30.0

# Run with -I.
_QUESTION = Path(__file__).with_name("queries") / "devices.py"


class DeviceMissing(RuntimeError):
    """There is no GPU that a target could run on; the message says what is there and what to do."""


class Device(Model):
    """One GPU as the driver tells of it."""

    name: str
    bus: str
    architecture: str
    uuid: str
    memory_bytes: int
    l2_bytes: int
    processors: int

    @property
    def files(self) -> tuple[Path, ...]:
        """The device files that a program needs which runs on this GPU and no other."""
        minor = re.search(r"Device Minor:\s*(\d+)", _text(_FACTS / self.bus / "information"))
        own = [Path(f"/dev/nvidia{minor[1]}")] if minor else sorted(Path("/dev").glob("nvidia[0-9]*"))
        shared = [path for name in _OF_ALL if (path := Path("/dev", name)).exists()]
        return (*shared, *own)


class Devices(Model):
    """What the driver answered."""

    devices: tuple[Device, ...] = ()
    cuda: str = ""
    problem: str = ""
    broken: bool = False
    """a driver is loaded, but does not work"""


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def driver_present() -> bool:
    """Whether there could be a GPU at all: one look at a file."""
    return CONTROL.exists()


@cache
def find_devices() -> Devices:
    """Ask the driver, once a process (about a quarter of a second where there is one, nothing where there is none)."""
    if not driver_present():
        return Devices(problem=f"no NVIDIA driver is loaded ({CONTROL} is missing)")
    if os.environ.get("CUDA_VISIBLE_DEVICES", "all") in ("", "-1"):
        return Devices(problem="CUDA_VISIBLE_DEVICES hides every GPU")
    try:
        answer = subprocess.run(
            [sys.executable, "-I", str(_QUESTION)],
            capture_output=True,
            text=True,
            timeout=_ASK_S,
            check=False,
            # Numbered as nvidia-smi numbers them, of those that CUDA_VISIBLE_DEVICES leaves.
            env={**os.environ, "CUDA_DEVICE_ORDER": "PCI_BUS_ID"},
        )
        return read_answer(answer.stdout)
    except subprocess.TimeoutExpired:
        return Devices(problem=f"the NVIDIA driver did not answer within {_ASK_S:g} s", broken=True)


def read_answer(text: str) -> Devices:
    """What the process that asked the driver printed."""
    try:
        found = Devices.model_validate(json.loads(text))
    except ValueError:
        return Devices(problem="the NVIDIA driver ended the process that asked it", broken=True)
    return found.model_copy(update={"broken": bool(found.problem)})


def devices_for(target: Target, found: Devices) -> tuple[Device, ...]:
    """The GPUs that are the target's chip, all of one kind: any of them will do. One alone where the target has a number.

    Raises:
        DeviceMissing: there is none.
    """
    elsewhere = f"use {target.on_cpu()} to run on the CPU"
    if not found.devices:
        raise DeviceMissing(
            f"{target} is not available: {found.problem or 'the NVIDIA driver lists no GPU'}; {elsewhere}"
        )
    if target.number is not None and target.number >= len(found.devices):
        numbered = ", ".join(f"{n}: {d.name}" for n, d in enumerate(found.devices))
        raise DeviceMissing(
            f"{target} is not available: there is no GPU of that number here ({numbered}); {elsewhere}"
        )
    asked = found.devices if target.number is None else (found.devices[target.number],)
    fitting = [device for device in asked if _is_chip(device, target)]
    if fitting:
        return tuple(device for device in fitting if device.name == fitting[0].name)
    there = ", ".join(f"{d.name} ({d.architecture}: target cuda:{d.architecture}@gpu)" for d in asked)
    raise DeviceMissing(f"{target} is not available: the GPU here is {there}; {elsewhere}")


def target_of(device: Device) -> Target:
    """What a GPU is called as a target: its architecture where that stands for this very product, else the product, else the
    architecture again."""
    architecture = device.architecture
    products = [
        name for name in ARCHITECTURE if ARCHITECTURE[name] == architecture and _is_product(device, name)
    ]
    usual = DEFAULT_PRODUCT.get(architecture)
    chip = architecture if not products or usual in products else max(products, key=len)
    return Target(dialect="cuda", chip=chip, where="gpu")


def chosen(found: Devices, problem: str) -> AvailableDevice:
    """What `auto` takes: the first GPU.

    Args:
        problem: why nothing can be built for it; empty where that is well.
    """
    if found.broken:
        return AvailableDevice(name="an NVIDIA driver", problem=found.problem)
    if not found.devices:
        return AvailableDevice()
    first = found.devices[0]
    if problem:
        return AvailableDevice(name=first.name, problem=problem)
    return AvailableDevice(target=target_of(first), name=first.name)


def _is_chip(device: Device, target: Target) -> bool:
    return device.architecture == target.architecture.rstrip("a") and _is_product(device, target.chip)


def _is_product(device: Device, chip: str) -> bool:
    if chip not in ARCHITECTURE:
        return True
    name, _, size_gb = chip.partition("-")
    if name.upper() not in device.name.upper():
        return False
    # Of one name in two sizes the memory tells which; the driver keeps some of it for itself.
    return not size_gb or abs(device.memory_bytes / 2**30 - int(size_gb)) < 0.25 * int(size_gb)
