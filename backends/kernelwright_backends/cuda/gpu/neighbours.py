"""Who else is on a GPU: asked of the driver's management library in a process of its own."""

import json
import subprocess
import sys

from kernelwright_backends.cuda.gpu.device import Device
from kernelwright_backends.model import Model

_ASK_S = 10.0
_LIBRARY = "libnvidia-ml.so.1"

# Run with -I: the standard library alone. Structures and status numbers are NVML's.
_QUESTION = """
import ctypes, json, sys
def told(what):
    print(json.dumps(what)); sys.exit()
class Process(ctypes.Structure):
    _fields_ = [("pid", ctypes.c_uint), ("memory", ctypes.c_ulonglong), ("gpu", ctypes.c_uint), ("compute", ctypes.c_uint)]
class Sample(ctypes.Structure):
    _fields_ = [("pid", ctypes.c_uint), ("time", ctypes.c_ulonglong), ("processors", ctypes.c_uint),
                ("memory", ctypes.c_uint), ("encoder", ctypes.c_uint), ("decoder", ctypes.c_uint)]
try:
    nvml = ctypes.CDLL(sys.argv[1])
    assert nvml.nvmlInit_v2() == 0
    device = ctypes.c_void_p()
    assert nvml.nvmlDeviceGetHandleByUUID(sys.argv[2].encode(), ctypes.byref(device)) == 0
    number, listed = ctypes.c_uint(256), (Process * 256)()
    assert nvml.nvmlDeviceGetComputeRunningProcesses_v3(device, ctypes.byref(number), listed) == 0
except (OSError, AttributeError, AssertionError):
    told(None)
busy = {}
count, samples = ctypes.c_uint(1024), (Sample * 1024)()
try:
    if nvml.nvmlDeviceGetProcessUtilization(device, samples, ctypes.byref(count), ctypes.c_ulonglong(int(sys.argv[3]))) == 0:
        for sample in samples[:count.value]:
            busy[sample.pid] = max(busy.get(sample.pid, 0), min(sample.processors, 100))
except AttributeError:
    pass
found = []
for process in listed[:number.value]:
    try:
        name = open("/proc/%d/comm" % process.pid).read().strip()
    except OSError:
        name = ""
    memory = process.memory if process.memory < 1 << 60 else 0
    found.append(dict(pid=process.pid, name=name, memory_bytes=memory, busy_percent=busy.get(process.pid, 0)))
told(found)
"""


class Program(Model):
    """Another program that holds a context on the GPU."""

    pid: int
    name: str = ""
    memory_bytes: int = 0
    busy_percent: int = 0
    """the largest share of the processors that it used"""

    def __str__(self) -> str:
        return f"{self.name} (process {self.pid})" if self.name else f"process {self.pid}"


def programs_on(device: Device, since_us: int = 0) -> tuple[Program, ...] | None:
    """The programs that hold contexts on a GPU, none of ours as long as it is our turn; None where nobody tells.

    Args:
        since_us: from when on their use of the processors counts; microseconds of the system's clock.
    """
    try:
        answer = subprocess.run(
            [sys.executable, "-I", "-c", _QUESTION, _LIBRARY, device.uuid, str(since_us)],
            capture_output=True,
            text=True,
            timeout=_ASK_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    return read_programs(answer.stdout)


def read_programs(text: str) -> tuple[Program, ...] | None:
    """What the process that asked printed; None where the library is missing or does not tell."""
    try:
        listed = json.loads(text)
    except ValueError:
        return None
    return tuple(Program.model_validate(one) for one in listed) if listed is not None else None
