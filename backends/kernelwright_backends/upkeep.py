"""How much each folder of the cache may hold, and the removal of what is too much.

Verdicts and what tasks gave have limits of their own, which the user can set.
"""

import os
import time
from contextlib import suppress

from kernelwright_backends.folders import cache_folder, remove_oldest

# A precompiled header holds 50 MB, and every version and set of flags has its own.
LIMITS_BYTES = {
    "accepted": 64 << 20,
    "ascendc-cpu/driver": 256 << 20,
    "ascendc-cpu/headers": 1 << 30,
    "ascendc-cpu/objects": 1 << 30,
    "ascendc-npu/objects": 1 << 30,
    "cuda-cpu/driver": 256 << 20,
    "cuda-cpu/headers": 2 << 30,
    "cuda-cpu/objects": 1 << 30,
    "cuda-gpu/driver": 256 << 20,
    "cuda-gpu/objects": 1 << 30,
    "cuda-nvcc": 256 << 20,
    "responses": 256 << 20,
}
_BUILT = ("driver", "headers", "objects", "cuda-nvcc")
_KEPT_S = 14 * 24 * 3600.0
_LOOK_S = 3600.0


def remove_unused() -> None:
    """Let go of builds that nobody has used for two weeks, and of the longest unused of what is too much; at most once an
    hour."""
    root = cache_folder()
    looked = root / "looked-through"
    with suppress(OSError):
        if time.time() - looked.stat().st_mtime < _LOOK_S:
            return
    with suppress(OSError):
        looked.touch()
    for name, limit_bytes in LIMITS_BYTES.items():
        if (root / name).is_dir():
            kept_s = _KEPT_S if name.endswith(_BUILT) else None
            with suppress(OSError):
                remove_oldest(root / name, limit_bytes, kept_s=kept_s)


def touch(used: os.PathLike[str]) -> None:
    """Note that something of the cache was used."""
    with suppress(OSError):
        os.utime(used)
