"""Names of what is kept, by what it was made of. Each part goes in with its kind and length, so that no other parts read the same.

Texts of a workspace are among the parts, and their authors would otherwise choose which other text they share an object with.
"""

import hashlib
from collections.abc import Callable, Iterable
from typing import TypeAlias

Part: TypeAlias = "str | bytes | Iterable[Part]"


def content_key(*parts: Part, digits: int = 32) -> str:
    """SHA-256 of the parts, in so many hexadecimal digits. Lists within lists are told apart from their elements."""
    digest = hashlib.sha256()
    _take(digest.update, parts)
    return digest.hexdigest()[:digits]


def _take(update: Callable[[bytes], object], parts: Iterable[Part]) -> None:
    update(b"[")
    for part in parts:
        if isinstance(part, (str, bytes)):
            # A name of a file, or a text, may hold half characters.
            content = part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass")
            update(b"%c%d:" % (b"b" if isinstance(part, bytes) else b"s", len(content)))
            update(content)
        else:
            _take(update, part)
    update(b"]")
