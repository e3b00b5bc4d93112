"""Parses data and programs of other authors: nesting that is too deep is an ordinary error.

The parsers of Python's own library end with `RecursionError` or `MemoryError`, and what they just took may still be too deep for
whoever walks over it.
"""

import ast
import json
import re
import tomllib
from typing import Any

DEEPEST = 64
"""Lists and tables within each other; what people write has ten."""
DEEPEST_PYTHON = 400
_DOTTED = re.compile(r"[\w\"'-]+(?:[ \t]*\.[ \t]*[\w\"'-]+)*")
_TOO_DEEP = "it is nested more than {} deep"


class Unparsable(ValueError):
    """The text is none of what it should be; the message says where, in one line."""


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text.

    Raises:
        Unparsable: it is no JSON, or too deep.
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise Unparsable(_TOO_DEEP.format(DEEPEST)) from None
    except ValueError as error:  # also of bytes that are no text, and of numbers with thousands of digits
        raise Unparsable(_first_line(error)) from None
    return _shallow(value)


def parse_toml(text: str) -> dict[str, Any]:
    """The table of a TOML text.

    Raises:
        Unparsable: it is no TOML, or too deep.
    """
    # tomllib keeps every beginning of a dotted key.
    if any(line.count(".") > DEEPEST and _has_deep_key(line) for line in text.splitlines()):
        raise Unparsable(_TOO_DEEP.format(DEEPEST))
    try:
        value = tomllib.loads(text)
    except RecursionError:
        raise Unparsable(_TOO_DEEP.format(DEEPEST)) from None
    except ValueError as error:
        raise Unparsable(_first_line(error)) from None
    _shallow(value)
    return value


def parse_python(text: str, file: str = "<text>") -> ast.Module:
    """The tree of a Python text, no deeper than a plain recursive walk can go.

    Raises:
        SyntaxError: it is no Python, or too deep.
    """
    try:
        tree = ast.parse(text, filename=file)
    except (RecursionError, MemoryError):
        raise SyntaxError(_TOO_DEEP.format(DEEPEST_PYTHON)) from None
    except ValueError as error:  # a zero byte, a number with thousands of digits
        raise SyntaxError(_first_line(error)) from None
    level: list[ast.AST] = [tree]
    for _ in range(DEEPEST_PYTHON):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return tree
    raise SyntaxError(_TOO_DEEP.format(DEEPEST_PYTHON))


def _has_deep_key(line: str) -> bool:
    return any(match[0].count(".") > DEEPEST for match in _DOTTED.finditer(line))


def _shallow(value: Any) -> Any:
    level = [value]
    for _ in range(DEEPEST):
        level = [
            child
            for item in level
            if isinstance(item, dict | list)
            for child in (item.values() if isinstance(item, dict) else item)
        ]
        if not level:
            return value
    raise Unparsable(_TOO_DEEP.format(DEEPEST))


def _first_line(error: Exception) -> str:
    return (str(error).strip() or "it cannot be read").splitlines()[0][:300]
