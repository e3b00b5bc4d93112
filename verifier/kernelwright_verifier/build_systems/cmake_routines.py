"""Functions and macros that a CMake project defines, and how a call's words reach their parameters."""

from collections.abc import Sequence
from dataclasses import dataclass

from kernelwright_verifier.build_systems.cmake_language import Command


@dataclass(frozen=True)
class Routine:
    has_scope: bool  # a function's variables end with it, a macro's are its caller's
    parameters: tuple[str, ...]
    body: tuple[Command, ...]

    def variables(self, words: Sequence[str]) -> dict[str, str]:
        """What the body sees of a call with these words."""
        seen = {
            "ARGC": str(len(words)),
            "ARGV": ";".join(words),
            "ARGN": ";".join(words[len(self.parameters) :]),
        }
        seen |= {f"ARGV{number}": word for number, word in enumerate(words)}
        return seen | dict(zip(self.parameters, words, strict=False))


def parsed_arguments(words: Sequence[str]) -> dict[str, str]:
    """The variables that `cmake_parse_arguments(prefix options names lists words...)` sets; {} of its form with PARSE_ARGV."""
    if len(words) < 4 or words[0] == "PARSE_ARGV":
        return {}
    prefix, (options, names, lists) = words[0], (known.split(";") for known in words[1:4])
    found: dict[str, list[str]] = {}
    rest: list[str] = []
    into, room = rest, len(words)
    for word in (part for given in words[4:] for part in given.split(";") if part):
        if word in options:
            found[word], into, room = ["TRUE"], rest, len(words)
        elif word in names or word in lists:
            into = found.setdefault(word, [])
            room = 1 if word in names else len(words)
        else:
            into.append(word)
            room -= 1
            if not room:
                into, room = rest, len(words)
    made = {f"{prefix}_{option}": "FALSE" for option in options if option}
    made |= {f"{prefix}_{name}": ";".join(values) for name, values in found.items()}
    return made | {f"{prefix}_UNPARSED_ARGUMENTS": ";".join(rest)}
