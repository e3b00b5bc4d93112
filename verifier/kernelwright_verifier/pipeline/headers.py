"""A header that does not compile alone, judged through the files of its project that include it."""

import asyncio
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from kernelwright_backends.core.finding import Finding, Severity, finding
from kernelwright_backends.core.registry import index_of
from kernelwright_backends.host.nearby_sources import sources_near
from kernelwright_backends.untrusted.reach import Reach
from kernelwright_verifier.gates.compile.build import compile_options
from kernelwright_verifier.pipeline.context import VerificationContext

_SUFFIXES = (".cu", ".cpp", ".cc")
_MOST_INCLUDERS = 3
_MAY_STAND_ALONE = frozenset({"COMPILE_ERROR"})


async def through_includers(
    context: VerificationContext, found: tuple[Finding, ...]
) -> tuple[Finding, ...] | None:
    """What is to be said of a header whose own compilation found `found`: nothing but a note where a file that includes it
    compiles; the errors that stand in it where none does; None where nothing includes it, or where it is refused anyway.

    Raises:
        ConfinementError: nothing here can confine the compiler.
    """
    errors = [f for f in found if f.severity is Severity.ERROR]
    if any(f.code not in _MAY_STAND_ALONE for f in errors):
        return None
    plan = context.plan
    path = plan.candidate.path.resolve()
    includers = await asyncio.to_thread(lambda: list(islice(_includers(path), _MOST_INCLUDERS)))
    others = tuple(f for f in found if f.severity is not Severity.ERROR)
    for includer, text in includers:
        built = await context.steps.timed(
            "build",
            context.toolchain.build(
                text,
                includer,
                index_of(plan.index.dialect, text),
                None,
                context.target,
                context.confinement,
                compile_options(plan),
            ),
        )
        wrong = [f for f in built.findings if f.severity is Severity.ERROR]
        if not any(Path(f.path) == path for f in wrong):
            note = (
                f"{path.name} does not compile by itself ({errors[0].message}); it was compiled as a part of "
                f"{includer.name}"
            )
            if wrong:
                note = (
                    f"{path.name} does not compile by itself ({errors[0].message}), and {includer.name}, which "
                    "includes it, has errors of its own"
                )
            at = errors[0]
            said = finding("COMPILE_ERROR", note, str(path), at.range, severity=Severity.INFORMATION,
                           data={"includer": str(includer), "judged": not wrong})  # fmt: skip
            return (*others, said)
    return None


def _includers(header: Path) -> Iterator[tuple[Path, str]]:
    """Sources near it that include it themselves, nearest first, with their texts."""
    include = re.compile(
        rb"^[ \t]*#[ \t]*include[ \t]*[\"<](?:[^\">\n]*/)?" + re.escape(header.name.encode()) + rb"[\">]",
        re.MULTILINE,
    )
    reach = Reach(header)
    for source in sources_near(header, _SUFFIXES, above=True):
        try:
            text = reach.read(source)
        except OSError:
            continue
        if include.search(text):
            yield source, text.decode("utf-8", "replace")
