"""How a program of ours that runs in a sandbox confines each of its forks: apart from the others, and from itself.

The reference's parent has imported torch and forks a worker for each task. It imports nothing of Kernelwright, so that all of
this is plain data, which `reference_worker/confining.py` carries out before the fork has read a task.
"""

from pathlib import Path
from typing import Any

from kernelwright_verifier.sandbox import filesystem
from kernelwright_verifier.sandbox.launch import Request
from kernelwright_verifier.sandbox.seccomp import OWN_PID, seccomp_filter


def apart(folder: Path) -> dict[str, Any]:
    """In a process group of its own, and no more: for who runs without a sandbox."""
    return {"folder": str(folder)}


def in_namespaces(request: Request, folder: Path) -> dict[str, Any]:
    """In process, mount and IPC namespaces of its own, where of all that was writable only `folder` is left; under the filter of any
    confined program."""
    own = dict.fromkeys((folder.absolute(), folder.resolve()))
    areas = [
        (str(area), str(name))
        for area in filesystem.bound_paths(request.writable)
        for name in own
        if name.is_relative_to(area)
    ]
    share = request.limits.memory_mb << 18  # a quarter of the memory, in bytes
    return {
        "namespaces": {
            "areas": areas,
            "read_only": ["/tmp"],
            "emptied": [("/dev/shm", f"mode=1777,size={share}")],
            "masked": [
                str(path) for path in (*filesystem.hidden(device=False), *filesystem.hidden_from_root())
            ],
            "filter": seccomp_filter().hex(),
            "own_pid": OWN_PID,
        },
    }
