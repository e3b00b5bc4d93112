"""The directive of a file that is begun, with the values that a skeleton gives it."""

import re

from kernelwright_memory.generators.base import GenerationRequest

DIRECTIVE = re.compile(r"^[ \t]*//[ \t]*kernelwright:.*(?:\\[ \t]*\n[ \t]*//.*)*$", re.MULTILINE)

_LONGEST = 130


def directive_line(request: GenerationRequest) -> str:
    """The directive of the file's entry as it stands; one that names the entry alone where there is none."""
    lines = [match[0].strip() for match in DIRECTIVE.finditer(request.text)]
    entry = request.entry or "forward"
    own = [line for line in lines if re.search(rf"\bentry={re.escape(entry)}(?!\w)", line)]
    return own[0] if own else lines[0] if lines else f"// kernelwright: entry={entry}"


def with_values(line: str, **values: str) -> str:
    """The directive `line` with further keys, each in place of the one it had and, if it is long, on a line of its own."""
    for key in values:
        line = re.sub(rf'\s+{key}=("[^"]*"|\S+)', "", line)
    pairs = [f'{key}="{value}"' for key, value in values.items()]
    whole = " ".join([line, *pairs])
    return whole if len(whole) <= _LONGEST else " \\\n//   ".join([line, *pairs])
