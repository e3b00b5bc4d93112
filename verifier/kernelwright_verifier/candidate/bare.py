"""A file that holds no code yet: comments, directives and includes, as an agent begins one for a task."""

import re

_COMMENT = re.compile(r"//(?:[^\n\\]|\\\r?\n|\\)*|/\*.*?\*/", re.DOTALL)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"][^\n]*$", re.MULTILINE)


def is_bare(text: str) -> bool:
    """Whether there is nothing in a file that a kernel could change: all that is written there is its own."""
    return not _INCLUDE.sub("", _COMMENT.sub("", text)).strip()
