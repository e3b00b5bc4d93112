"""`kernelwright explain CODE`: the page of a finding's code."""

import argparse
import difflib

from kernelwright_backends.core.catalogue import CATALOGUE, page
from kernelwright_server.cli.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "code", nargs="?", metavar="CODE", help="a code such as RACE_SHARED (default: list all codes)"
    )


def run(arguments: argparse.Namespace) -> int:
    if arguments.code is None:
        _list()
        return 0
    code = arguments.code.upper().replace("-", "_")
    if code not in CATALOGUE:
        near = difflib.get_close_matches(code, CATALOGUE, n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else "'kernelwright explain' lists all codes"
        raise UsageError(f"no such code: '{arguments.code}'; {hint}")
    entry = CATALOGUE[code]
    gate = "no gate" if entry.gate == "none" else f"the {entry.gate} gate"
    text = page(code)
    print(f"{code} ({entry.severity.value}, {gate}): {entry.summary}\n")
    print(text.rstrip() if text is not None else "This code has no page.")
    return 0


def _list() -> None:
    from kernelwright_server.cli.tables import console, print_table

    rows = [(code, entry.gate, entry.severity.value, entry.summary) for code, entry in CATALOGUE.items()]
    print_table(console(), ("code", "gate", "severity", "what it means"), rows)
