"""Settings of the C library's allocator for a process that runs for days."""

import ctypes
import gc
import time

# Of glibc's malloc.h.
_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8
_LARGE_BYTES = 128 << 10
_EVERY_S = 30.0


def give_memory_back() -> None:
    """Arrays get pages of their own, which go when they go, and threads share two arenas; left alone, glibc raises its
    threshold with the first large array, and every thread keeps what it once needed. Other C libraries are left as they are."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return
    mallopt(_M_ARENA_MAX, 2)
    mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES)


class Collector:
    """Collects cycles now and then. Left alone the collector, whose thresholds are high while somebody types, would keep what
    an ended verification leaves (tasks, tracebacks, the arrays that they hold) for hours."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def work_ended(self) -> None:
        """Collect, if it was not done lately: some milliseconds."""
        now = time.monotonic()
        if now - self._last >= _EVERY_S:
            self._last = now
            gc.collect()
