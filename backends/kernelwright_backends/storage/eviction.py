"""Cache eviction: how much each folder of the cache may hold, and the removal of the rest.

Verdicts and what tasks gave have limits of their own, which the user can set.
"""

import os
import time
from contextlib import suppress
from pathlib import Path

from kernelwright_backends.storage.folders import cache_folder, remove_oldest, tighten
from kernelwright_backends.untrusted.handover import OUTPUTS, discard

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
    "configured": 256 << 20,
    "cuda-nvcc": 256 << 20,
    "responses": 256 << 20,
}
_BUILT = ("driver", "headers", "objects", "cuda-nvcc")
_KEPT_S = 14 * 24 * 3600.0
# Few files, but large ones, and new ones with every version and checkout: there it is quick to look, and soon too much.
_LARGE = ("driver", "headers")
# Longer than any program may run, under a tool on a GPU or not.
_ABANDONED_S = 12 * 3600.0
_LOOK_S, _LOOK_AT_LARGE_S = 600.0, 30.0


def remove_unused() -> None:
    """Let go of builds that was never used for two weeks, and of the longest unused of what is too much: of few large files at
    most twice a minute, of all the others every ten minutes."""
    root = cache_folder()
    everywhere = _is_due(root / "looked-through", _LOOK_S)
    if not everywhere and not _is_due(root / "looked-at-large", _LOOK_AT_LARGE_S):
        return
    if everywhere:
        tighten(root, without=OUTPUTS)
        _discard_abandoned(root / OUTPUTS)
    for name, limit_bytes in LIMITS_BYTES.items():
        if (everywhere or name.endswith(_LARGE)) and (root / name).is_dir():
            kept_s = _KEPT_S if name.endswith(_BUILT) else None
            with suppress(OSError):
                remove_oldest(root / name, limit_bytes, kept_s=kept_s)


def _discard_abandoned(outputs: Path) -> None:
    """What sandboxes wrote for a process that was killed before it could clean up."""
    with suppress(OSError):
        for entry in outputs.iterdir():
            with suppress(OSError):
                if time.time() - entry.lstat().st_mtime > _ABANDONED_S:
                    discard(entry)


def _is_due(mark: Path, after_s: float) -> bool:
    """Whether nobody has looked for so long; notes that somebody does now."""
    with suppress(OSError):
        if time.time() - mark.stat().st_mtime < after_s:
            return False
    with suppress(OSError):
        mark.touch(mode=0o600)
    return True


def touch(used: os.PathLike[str]) -> None:
    """Note that something of the cache was used."""
    with suppress(OSError):
        os.utime(used)
