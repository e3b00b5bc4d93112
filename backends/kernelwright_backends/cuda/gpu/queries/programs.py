"""Which programs hold contexts on a GPU, and how busy they keep it: a list, or `null` where nobody tells.

    programs.py LIBRARY UUID SINCE_US

Structures and status numbers are those of NVIDIA's management library (NVML API Reference).
"""

import ctypes
import json
import sys
from pathlib import Path
from typing import Any

_MOST_PROGRAMS, _MOST_SAMPLES = 256, 1024


class _Process(ctypes.Structure):
    _fields_ = (
        ("pid", ctypes.c_uint),
        ("memory", ctypes.c_ulonglong),
        ("gpu", ctypes.c_uint),
        ("compute", ctypes.c_uint),
    )


class _Sample(ctypes.Structure):
    _fields_ = (
        ("pid", ctypes.c_uint),
        ("time", ctypes.c_ulonglong),
        ("processors", ctypes.c_uint),
        ("memory", ctypes.c_uint),
        ("encoder", ctypes.c_uint),
        ("decoder", ctypes.c_uint),
    )


def answer(library: str, uuid: str, since_us: int) -> list[dict[str, Any]] | None:
    device, number, listed = ctypes.c_void_p(), ctypes.c_uint(_MOST_PROGRAMS), (_Process * _MOST_PROGRAMS)()
    try:
        nvml = ctypes.CDLL(library)
        failed = (
            nvml.nvmlInit_v2()
            or nvml.nvmlDeviceGetHandleByUUID(uuid.encode(), ctypes.byref(device))
            or nvml.nvmlDeviceGetComputeRunningProcesses_v3(device, ctypes.byref(number), listed)
        )
    except (OSError, AttributeError):
        return None
    if failed:
        return None
    busy = _busy(nvml, device, since_us)
    return [
        {
            "pid": process.pid,
            "name": _name(process.pid),
            # All bits are set where the driver does not say.
            "memory_bytes": process.memory if process.memory < 1 << 60 else 0,
            "busy_percent": busy.get(process.pid, 0),
        }
        for process in listed[: number.value]
    ]


def _busy(nvml: ctypes.CDLL, device: ctypes.c_void_p, since_us: int) -> dict[int, int]:
    count, samples = ctypes.c_uint(_MOST_SAMPLES), (_Sample * _MOST_SAMPLES)()
    busy: dict[int, int] = {}
    try:
        status = nvml.nvmlDeviceGetProcessUtilization(
            device, samples, ctypes.byref(count), ctypes.c_ulonglong(since_us)
        )
    except AttributeError:
        return busy
    for sample in samples[: count.value] if status == 0 else ():
        busy[sample.pid] = max(busy.get(sample.pid, 0), min(sample.processors, 100))
    return busy


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


if __name__ == "__main__":
    print(json.dumps(answer(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
