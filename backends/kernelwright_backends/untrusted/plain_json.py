"""Reads JSON of another program within bounds: nesting, numbers and characters that its users could not handle are errors."""

import json
import math
import re
from typing import Any, NoReturn

DEPTH = 64
"""Of lists and objects within each other: far beyond what any of our records has."""
_SMALLEST, _LARGEST = -(1 << 63), (1 << 64) - 1
_SURROGATE = re.compile("[\ud800-\udfff]")


class JsonError(ValueError):
    """It is no JSON that is read here; the message says why, in a few words."""


def read_json(content: bytes | str, *, depth: int = DEPTH) -> Any:
    """Plain data of finite numbers (integers of 64 bits) and of text that can be written again.

    Args:
        depth: of lists and objects within each other, at most.

    Raises:
        JsonError: it is no JSON, or nested deeper, or holds a number or a character that is neither kept nor shown.
    """
    try:
        text = content.decode("utf-8") if isinstance(content, bytes) else content
    except UnicodeDecodeError:
        raise JsonError("no UTF-8 text") from None
    _hold_depth(text, depth)
    try:
        data = json.loads(text, parse_int=_integer, parse_float=_number, parse_constant=_no_number)
    except JsonError:
        raise
    except (ValueError, RecursionError):
        raise JsonError("no JSON") from None
    if "\\u" in text or _SURROGATE.search(text):
        _hold_text(data)
    return data


def _hold_depth(text: str, most: int) -> None:
    """
    Raises:
        JsonError: lists and objects lie deeper within each other. Strings are passed over.
    """
    # Brackets alone bound the depth; where there are few, nothing need be walked.
    if text.count("[") + text.count("{") <= most:
        return
    depth = 0
    for match in _SIGNS.finditer(text):
        sign = match[0]
        if sign in "[{":
            depth += 1
            if depth > most:
                raise JsonError(f"nested deeper than {most}")
        elif sign in "]}":
            depth -= 1


# A string as a whole, or a bracket. Possessive: an unfinished string is walked once, not once for each place in it.
_SIGNS = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\Z)|[\[\]{}]', re.DOTALL)


def _integer(digits: str) -> int:
    if len(digits) > 20 or not _SMALLEST <= (value := int(digits)) <= _LARGEST:
        raise JsonError(f"the number {digits[:20]}{'...' * (len(digits) > 20)} is too large")
    return value


def _number(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise JsonError(f"the number {digits[:20]} is too large")
    return value


def _no_number(name: str) -> NoReturn:
    raise JsonError(f"{name} is no number")


def _hold_text(data: Any) -> None:
    """
    Raises:
        JsonError: half of a surrogate pair, which cannot be written as UTF-8.
    """
    waiting = [data]
    while waiting:
        found = waiting.pop()
        if isinstance(found, str):
            if _SURROGATE.search(found):
                raise JsonError("half of a surrogate pair")
        elif isinstance(found, dict):
            waiting += [*found, *found.values()]
        elif isinstance(found, list):
            waiting += found
