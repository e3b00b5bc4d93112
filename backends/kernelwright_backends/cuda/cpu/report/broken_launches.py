"""Launches whose `<<<` a formatter has taken apart: `k < < <grid, block> > >(x)`."""

import re
from collections.abc import Sequence

from kernelwright_backends.core.finding import Finding, finding
from kernelwright_backends.host.places import Places

_BROKEN = re.compile(rb"\w\s*(?:<[^<>;{}\n]*>\s*)?(<[ \t]+<[ \t]*<|<[ \t]*<[ \t]+<)(?![<=])")
_FOLLOWING = re.compile(
    r"expected (?:primary-expression|'[^']*') before '[<>]|no match for 'operator<|before '<' token"
)


def broken_launches(found: Sequence[Finding], places: Places) -> list[Finding]:
    """The errors of a compiler; where such a launch stands, it is named in place of those that follow from it."""
    if not any(f.code == "COMPILE_ERROR" and _FOLLOWING.search(f.message) for f in found):
        return list(found)
    made = []
    for path, file in places.files.items():
        for match in _BROKEN.finditer(file.original):
            at = file.lines.range(match.start(1), match.end(1))
            spelled = match[1].decode()
            message = f"'{spelled}' does not start a launch; write '<<<' and '>>>' without blanks"
            made.append(finding("COMPILE_ERROR", message, str(path), at, data={"compiler": "g++"}))
    return [*made, *(f for f in found if f.code != "COMPILE_ERROR")] if made else list(found)
