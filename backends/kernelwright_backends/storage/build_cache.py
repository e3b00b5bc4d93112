"""Builds that are kept: an object and its record, in a folder of the cache into which no sandbox could ever write.

An entry that is not what an earlier run of this user left there is as good as none.
"""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kernelwright_backends.interfaces.build import BuildResult
from kernelwright_backends.storage.eviction import touch
from kernelwright_backends.storage.folders import is_own, private_folder, read_own, remove, write_private

RECORD = "build.json"
RECORD_BYTES = 64 << 20
_OBJECT_BYTES = 1 << 30


@contextmanager
def making(kept: Path) -> Iterator[Path]:
    """A folder of ours beside `kept` for what is made on the way to it; programs are shown it, and none may write there."""
    own = private_folder(kept.with_name(f".{kept.stem}.{secrets.token_hex(4)}"))
    try:
        yield own
    finally:
        shutil.rmtree(own, ignore_errors=True)


def kept_result(kept: Path) -> BuildResult | None:
    """What an earlier build left in the folder `kept`."""
    try:
        if not is_own(kept):
            return None
        saved = BuildResult.model_validate_json(read_own(kept / RECORD, RECORD_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    if saved.object is not None and (saved.object.parent != kept or not is_own(saved.object, _OBJECT_BYTES)):
        return None
    touch(kept)
    return saved.model_copy(update={"cached": True})


def keep_result(result: BuildResult, own: Path, kept: Path) -> BuildResult:
    """Let `own`, in which the object lies, become `kept`, with a record of the result.

    Returns:
        The result, its object where it lies now.
    """
    moved = result.model_copy(
        update={"object": kept / result.object.name if result.object is not None else None}
    )
    write_private(own / RECORD, moved.model_dump_json().encode())
    if os.path.lexists(kept) and kept_result(kept) is None:
        # What no run of ours can have left there goes, unseen.
        kept.rename(own.with_name(f"{own.name}.replaced"))
        remove(own.with_name(f"{own.name}.replaced"))
    try:
        own.rename(kept)
    except OSError:  # another process was as quick
        shutil.rmtree(own, ignore_errors=True)
    return moved
