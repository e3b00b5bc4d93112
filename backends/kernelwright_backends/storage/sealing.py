"""Seals of files that this user's Kernelwright wrote: only the holder of the user's key can make them.

A file of the cache says nothing by lying there; a digest in it says that it is whole, not who made it. What decides something
(a verdict, an accepted latency) is believed only with its seal. The key never leaves the user's data folder.
"""

import fcntl
import hmac
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from kernelwright_backends.storage.folders import cache_folder, data_folder, own_file

_NAME = "seal.key"
_BYTES = 32
_SEAL = re.compile(rb', "seal": "(?P<seal>[0-9a-f]{64})"\}\n?\Z')


def sealed(purpose: str, content: bytes) -> bytes:
    """A JSON object as one line, with its seal as the last member.

    Args:
        purpose: what it is, and for which place; the same content for another purpose has another seal.
        content: a JSON object that is not empty, and has no member of that name.
    """
    whole = content.rstrip()
    return whole[:-1] + b', "seal": "' + _seal(purpose, whole).encode() + b'"}\n'


def unsealed(purpose: str, content: bytes) -> bytes | None:
    """What `sealed` was given; None where the seal is not this user's, or not for this purpose. Nothing is parsed before."""
    match = _SEAL.search(content[-128:])
    if match is None:
        return None
    whole = content[: max(len(content) - 128, 0) + match.start()] + b"}"
    return whole if hmac.compare_digest(_seal(purpose, whole).encode(), match["seal"]) else None


def _seal(purpose: str, content: bytes) -> str:
    # The length keeps the two apart: no purpose together with a content reads like another pair.
    words = f"{len(purpose.encode())}:{purpose}:".encode()
    return hmac.new(_key(_place()), words + content, "sha256").hexdigest()


def _place() -> Path | None:
    """Where the key lies: with what must not be lost, else where the caches lie (a home that cannot be written)."""
    for ask in (data_folder, cache_folder):
        with suppress(OSError):
            folder = ask()
            if os.access(folder, os.W_OK) or (folder / _NAME).exists():
                return folder / _NAME
    return None


@cache
def _key(place: Path | None) -> bytes:
    """The user's key, made at the first use; of this process alone where nothing can be kept."""
    if place is not None:
        with suppress(OSError):
            return _read(place) or _made(place)
    return secrets.token_bytes(_BYTES)


def _read(place: Path) -> bytes | None:
    """The key that lies there; None where it is another program's, or others could read or write it."""
    try:
        with own_file(place, secret=True) as file:
            content = file.read(_BYTES + 1)
    except OSError:
        return None
    return content if len(content) == _BYTES else None


def _made(place: Path) -> bytes:
    """A new key there, whole or not at all; that of another process, if it was faster.

    Raises:
        OSError: it cannot be written.
    """
    half = place.with_name(f".{_NAME}-{os.getpid()}-{secrets.token_hex(4)}")
    key = secrets.token_bytes(_BYTES)
    with _alone(place.with_name(f".{_NAME}.lock")):
        if (other := _read(place)) is not None:
            return other
        descriptor = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                os.fchmod(descriptor, 0o600)
                file.write(key)
                file.flush()
                os.fsync(descriptor)
            # What lies there is not a key that can be believed: it goes, and with it all that was sealed by it.
            half.replace(place)
        finally:
            half.unlink(missing_ok=True)
    return key


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """No other process is in here meanwhile, where the file system has locks."""
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
