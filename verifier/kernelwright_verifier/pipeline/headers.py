"""A header that does not compile alone, judged through the files of its project that include it."""

import asyncio
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

from kernelwright_backends.core.finding import Finding, Severity, finding
from kernelwright_backends.core.registry import index_of
from kernelwright_backends.host.nearby_sources import sources_near
from kernelwright_backends.storage.content_key import content_key
from kernelwright_backends.untrusted.reach import Reach
from kernelwright_verifier.gates.compile.build import compile_options
from kernelwright_verifier.pipeline.context import VerificationContext

_SUFFIXES = (".cu", ".cpp", ".cc")
_HEADER_SUFFIXES = (".cuh", ".h", ".hpp")
_DEEPEST = 4
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
    said: Finding | None = None
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
        if any(Path(f.path) == path for f in wrong):
            continue
        why = f"{path.name} does not compile by itself ({errors[0].message})"
        message = (
            f"{why}, and {includer.name}, which includes it, has errors of its own"
            if wrong
            else f"{why}; it was compiled as a part of {includer.name}"
        )
        said = finding(
            "COMPILE_ERROR",
            message,
            str(path),
            errors[0].range,
            severity=Severity.INFORMATION,
            data={"includer": str(includer), "judged": not wrong},
        )
        if not wrong:
            break
    return (*others, said) if said is not None else None


def state_of_includers(header: Path) -> str:
    """A digest of all sources near a header, of which any may decide how it is judged."""
    reach = Reach(header)
    texts = []
    for source in sources_near(header, (*_SUFFIXES, *_HEADER_SUFFIXES), above=True):
        with suppress(OSError):
            texts.append((str(source), reach.read(source)))
    return content_key(texts)


def _includers(header: Path) -> Iterator[tuple[Path, str]]:
    """Sources near it that include it, also by way of other headers, nearest first, with their texts."""
    reach = Reach(header)
    texts: dict[Path, bytes] = {}
    for source in sources_near(header, (*_SUFFIXES, *_HEADER_SUFFIXES), above=True):
        with suppress(OSError):
            texts[source] = reach.read(source)
    reaching, waiting = set[str](), {header.name}
    for _ in range(_DEEPEST):
        reaching |= waiting
        names = b"|".join(re.escape(name.encode()) for name in sorted(waiting))
        include = re.compile(
            rb"^[ \t]*#[ \t]*include[ \t]*[\"<](?:[^\">\n]*/)?(?:" + names + rb")[\">]", re.MULTILINE
        )
        found = [source for source, text in texts.items() if include.search(text)]
        for source in found:
            if source.suffix in _SUFFIXES:
                yield source, texts.pop(source).decode("utf-8", "replace")
        waiting = {source.name for source in found if source.suffix in _HEADER_SUFFIXES} - reaching
        if not waiting:
            return
