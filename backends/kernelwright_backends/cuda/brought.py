"""What PyTorch's headers bring along of the standard library and ours do not, since each header costs time: they are included
where a text names what is in them."""

import re

_BROUGHT = {
    "cout": "iostream", "cerr": "iostream", "endl": "iostream", "stringstream": "sstream", "ostringstream": "sstream",
    "function": "functional", "hash": "functional", "map": "map", "set": "set", "unordered_set": "unordered_set",
    "deque": "deque", "list": "list", "mutex": "mutex", "lock_guard": "mutex", "atomic": "atomic",
    "accumulate": "numeric", "iota": "numeric", "bitset": "bitset", "variant": "variant",
}  # fmt: skip
_OF_STD = re.compile(rb"\bstd::(" + "|".join(_BROUGHT).encode() + rb")\b")


def includes_brought(text: bytes) -> bytes:
    """The lines that include what a text which builds on PyTorch takes for granted."""
    headers = {_BROUGHT[match[1].decode()] for match in _OF_STD.finditer(text)}
    return "".join(f"#include <{header}>\n" for header in sorted(headers)).encode()
