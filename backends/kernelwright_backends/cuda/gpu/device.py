"""Which NVIDIA GPUs are here: asked of the driver in a process of its own, so that none of ours holds a context."""

import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

from kernelwright_backends.model import Model
from kernelwright_backends.target import ARCHITECTURE, Target

CONTROL = Path("/dev/nvidiactl")
_OF_ALL = ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools")
_FACTS = Path("/proc/driver/nvidia/gpus")
_ASK_S = 30.0

# Run with -I: the standard library alone. Numbers are CUdevice_attribute's.
_QUESTION = """
import ctypes, json, sys
def told(**what):
    print(json.dumps(what)); sys.exit()
try:
    cuda = ctypes.CDLL("libcuda.so.1")
except OSError as error:
    told(problem=str(error))
status = cuda.cuInit(0)
if status:
    text = ctypes.c_char_p()
    cuda.cuGetErrorString(status, ctypes.byref(text))
    told(problem=(text.value or b"error %d" % status).decode())
number, version = ctypes.c_int(), ctypes.c_int()
cuda.cuDeviceGetCount(ctypes.byref(number))
cuda.cuDriverGetVersion(ctypes.byref(version))
found = []
for n in range(number.value):
    device, value, size = ctypes.c_int(), ctypes.c_int(), ctypes.c_size_t()
    cuda.cuDeviceGet(ctypes.byref(device), n)
    name, bus, uuid = ctypes.create_string_buffer(100), ctypes.create_string_buffer(32), ctypes.create_string_buffer(16)
    cuda.cuDeviceGetName(name, 100, device)
    cuda.cuDeviceGetPCIBusId(bus, 32, device)
    cuda.cuDeviceGetUuid(uuid, device)
    cuda.cuDeviceTotalMem_v2(ctypes.byref(size), device)
    def attribute(which):
        cuda.cuDeviceGetAttribute(ctypes.byref(value), which, device)
        return value.value
    h = uuid.raw.hex()
    found.append(dict(
        name=name.value.decode(), bus=bus.value.decode().lower(), architecture="sm_%d%d" % (attribute(75), attribute(76)),
        uuid="GPU-" + "-".join((h[:8], h[8:12], h[12:16], h[16:20], h[20:])), memory_bytes=size.value,
        l2_bytes=attribute(38), processors=attribute(16)))
told(devices=found, cuda="%d.%d" % (version.value // 1000, version.value % 1000 // 10))
"""


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
    try:
        answer = subprocess.run(
            [sys.executable, "-I", "-c", _QUESTION],
            capture_output=True,
            text=True,
            timeout=_ASK_S,
            check=False,
        )
        return Devices.model_validate(json.loads(answer.stdout))
    except subprocess.TimeoutExpired:
        return Devices(problem=f"the NVIDIA driver did not answer within {_ASK_S:g} s")
    except ValueError:
        return Devices(problem="the NVIDIA driver ended the process that asked it")


def device_for(target: Target, found: Devices) -> Device:
    """The first GPU that is the target's chip.

    Raises:
        DeviceMissing: there is none.
    """
    elsewhere = f"cuda:{target.chip}@cpu executes it on the CPU"
    if not found.devices:
        raise DeviceMissing(
            f"{target}: no NVIDIA GPU can be used here: {found.problem or 'the driver knows none'}; {elsewhere}"
        )
    for device in found.devices:
        if device.architecture == target.architecture.rstrip("a") and _is_product(device, target.chip):
            return device
    there = ", ".join(f"{d.name} ({d.architecture}: target cuda:{d.architecture}@gpu)" for d in found.devices)
    raise DeviceMissing(f"{target}: the GPU here is another: {there}; {elsewhere}")


def _is_product(device: Device, chip: str) -> bool:
    return chip not in ARCHITECTURE or chip.split("-")[0].upper() in device.name.upper()
