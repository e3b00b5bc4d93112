"""`kernelwright demo`: spots, checks, drafts and refines the examples, and says where every figure comes from."""

import argparse
import asyncio
import sys
import tempfile
import time
import tomllib
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from pathlib import Path
from typing import NamedTuple

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from kernelwright_memory import Memory
from kernelwright_memory.agent import Event, Finished, draft, refine
from kernelwright_memory.generators.choosing import choose_generator
from kernelwright_server.assignment import Work, choose_plan
from kernelwright_server.cli.errors import UsageError
from kernelwright_server.cli.terminal import Terminal
from kernelwright_server.reports.text import microseconds
from kernelwright_verifier.config import Configuration, LimitSettings
from kernelwright_verifier.options import VerifyOptions
from kernelwright_verifier.task import Candidate
from kernelwright_verifier.verdict import Verdict
from kernelwright_verifier.verifier import Verifier, read_candidate

_REFINE_STEPS = 8
_GOAL_DRAFTED = 8
_GOAL_REFINED = 5


class Expectation(NamedTuple):
    """What `expected.toml` says of one entry."""

    file: str
    entry: str | None
    feasible: bool
    stub: bool
    gate: str | None
    codes: tuple[str, ...]


class Row(NamedTuple):
    name: str
    ok: bool
    verdict: Verdict | None
    said: str
    start_us: float | None = None
    steps: int = 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--examples", type=Path, default=Path("examples"), help="folder with expected.toml")
    parser.add_argument("--only", help="only examples whose file name contains this")


def run(arguments: argparse.Namespace) -> int:
    listing = arguments.examples / "expected.toml"
    if not listing.is_file():
        raise UsageError(
            f"{listing} does not exist; run the demo in a checkout, or name its examples with --examples"
        )
    raw = tomllib.loads(listing.read_text(encoding="utf-8"))["kernel"]
    other = arguments.examples / "ascendc" / "expected.toml"
    if other.is_file():
        rows = tomllib.loads(other.read_text(encoding="utf-8"))["kernel"]
        raw += [{**row, "file": f"ascendc/{row['file']}"} for row in rows if row.get("demo")]
    expectations = [
        Expectation(
            file=row["file"],
            entry=row.get("entry"),
            feasible=row["feasible"],
            stub=row.get("stub", False),
            gate=row.get("gate"),
            codes=tuple(row.get("codes", ())),
        )
        for row in raw
        if arguments.only is None or arguments.only in row["file"]
    ]
    return asyncio.run(_demo(arguments.examples, expectations, complete=arguments.only is None))


async def _demo(folder: Path, expectations: list[Expectation], *, complete: bool) -> int:
    # A log has no width of its own; the tables need some.
    console = Terminal(width=None if sys.stdout.isatty() else 150)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="kernelwright-demo-") as scratch:
        memory = Memory(Path(scratch) / "memory")
        async with Verifier(Configuration(limits=LimitSettings(time_s=60))) as verifier:
            console.print(
                Text.assemble(
                    ("Kernelwright", "bold"),
                    " on the examples: no GPU, no model key, kernels executed on the CPU\n",
                )
            )
            with _progress(console) as progress:
                bar = progress.add_task("preparing the compiler and the reference", total=None)
                await verifier.prepare()
                progress.remove_task(bar)
                written = [e for e in expectations if not e.stub]
                checked = await _all(progress, "checking", [_check(verifier, folder, e) for e in written])
                stubs = [e for e in expectations if e.stub]
                drafted = await _all(
                    progress, "drafting", [_draft(verifier, memory, folder, e) for e in stubs]
                )
                naive = [e for e in written if e.feasible and "naive" in e.file]
                refined = await _all(
                    progress, "refining", [_refine(verifier, memory, folder, e) for e in naive]
                )
    console.print(_checked_table(checked))
    console.print(_drafted_table(drafted))
    console.print(_refined_table(refined))
    right, feasible, faster = (sum(row.ok for row in rows) for rows in (checked, drafted, refined))
    goal_drafted, goal_refined = (_GOAL_DRAFTED, _GOAL_REFINED) if complete else (0, 0)
    good = right == len(checked) and feasible >= goal_drafted and faster >= goal_refined
    console.print(
        f"{right} of {len(checked)} examples judged as expected, {feasible} of {len(drafted)} stubs drafted "
        f"to a correct kernel, {faster} of {len(refined)} kernels refined to a lower latency, in "
        f"{time.monotonic() - started:.0f} s"
    )
    console.print(
        "Every latency is an estimate from traced full-size launches (models of the H200 and the 910B2); "
        "none is measured.",
        style="dim",
    )
    console.print(Text("demo succeeded", "green") if good else Text("demo failed", "red"))
    return 0 if good else 1


def _progress(console: Console) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True)


async def _all(progress: Progress, what: str, work: "Iterable[asyncio.Future[Row] | object]") -> list[Row]:
    waiting = list(work)
    bar = progress.add_task(what, total=len(waiting))

    async def one(row: object) -> Row:
        done: Row = await row  # type: ignore[misc]
        progress.advance(bar)
        return done

    rows = await asyncio.gather(*(one(row) for row in waiting))
    progress.remove_task(bar)
    return list(rows)


async def _check(verifier: Verifier, folder: Path, expected: Expectation) -> Row:
    candidate = read_candidate(folder / expected.file, expected.file)
    plans = verifier.plan(candidate)
    plan = next((p for p in plans if expected.entry in (None, p.entry_name)), plans[0])
    verdict = await verifier.verdict(plan, VerifyOptions())
    name = expected.file + (f" {expected.entry}" if expected.entry else "")
    if expected.feasible:
        return Row(name, verdict.feasible is True, verdict, "correct" if verdict.feasible else _why(verdict))
    refusing = next((g for g in verdict.gates if g.status == "failed"), None)
    codes = {f.code for f in refusing.findings} if refusing else set()
    ok = refusing is not None and expected.gate in (None, refusing.gate) and bool(codes & set(expected.codes))
    return Row(name, ok, verdict, _why(verdict))


def _why(verdict: Verdict) -> str:
    first = next((f for f in verdict.findings if f.severity == "error"), None)
    if first is None:
        return "correct" if verdict.feasible else "not judged"
    return f"{first.code} at line {first.line}: {first.message}"


async def _draft(verifier: Verifier, memory: Memory, folder: Path, expected: Expectation) -> Row:
    work = await _work(verifier, folder, expected)
    events = draft(
        work.assignment,
        verify=work.verify,
        generator=choose_generator("templates"),
        memory=memory,
        outside_region_changed=work.outside_changed,
    )
    finished = await _finished(events)
    return Row(
        expected.file, finished.outcome == "found", finished.verdict, finished.reason, steps=finished.step
    )


async def _refine(verifier: Verifier, memory: Memory, folder: Path, expected: Expectation) -> Row:
    work = await _work(verifier, folder, expected)
    events = refine(
        work.assignment,
        verify=work.verify,
        generator=choose_generator("templates"),
        memory=memory,
        steps=_REFINE_STEPS,
        outside_region_changed=work.outside_changed,
    )
    finished = await _finished(events)
    ok = finished.outcome == "found"
    return Row(
        expected.file,
        ok,
        finished.verdict,
        finished.reason,
        start_us=finished.start_latency_us,
        steps=finished.step,
    )


async def _work(verifier: Verifier, folder: Path, expected: Expectation) -> Work:
    candidate: Candidate = read_candidate(folder / expected.file, expected.file)
    return await Work.prepare(verifier, choose_plan(verifier.plan(candidate), expected.entry, expected.file))


async def _finished(events: AsyncGenerator[Event, None]) -> Finished:
    async with aclosing(events) as stream:
        async for event in stream:
            if isinstance(event, Finished):
                return event
    raise AssertionError("a run ends with Finished")


def _checked_table(rows: list[Row]) -> Table:
    table = Table(
        "", "kernel", "judged", "gates", "latency", title="Checked", box=box.SIMPLE, title_justify="left"
    )
    for row in rows:
        verdict = row.verdict
        gates = Text(" ").join(_mark(g.status) for g in verdict.gates) if verdict else Text()
        table.add_row(_tick(row.ok), row.name, row.said[:90], gates, _latency(verdict))
    return table


def _drafted_table(rows: list[Row]) -> Table:
    table = Table(
        "",
        "stub",
        "outcome",
        "steps",
        "latency",
        "target",
        title="Drafted by the templates",
        box=box.SIMPLE,
        title_justify="left",
    )
    for row in rows:
        target = row.verdict.target if row.verdict else ""
        table.add_row(_tick(row.ok), row.name, row.said, str(row.steps), _latency(row.verdict), target)
    return table


def _refined_table(rows: list[Row]) -> Table:
    table = Table(
        "",
        "kernel",
        "before",
        "after",
        "ratio (before / after)",
        "target",
        title="Refined",
        box=box.SIMPLE,
        title_justify="left",
    )
    for row in rows:
        after = row.verdict.latency_us if row.verdict and row.ok else None
        ratio = f"{row.start_us / after:.2f}x" if row.start_us and after else row.said
        before = f"~{microseconds(row.start_us)} estimated" if row.start_us else ""
        target = (row.verdict.target or "") if row.verdict else ""
        table.add_row(_tick(row.ok), row.name, before, _latency(row.verdict) if row.ok else "", ratio, target)
    return table


def _latency(verdict: Verdict | None) -> str:
    if verdict is None or verdict.latency_us is None:
        return ""
    return f"~{microseconds(verdict.latency_us)} {verdict.latency_source}"


_MARKS = {"passed": ("✓", "green"), "failed": ("✗", "red"), "skipped": ("-", "dim"), "error": ("!", "yellow")}


def _mark(status: str) -> Text:
    return Text(*_MARKS[status])


def _tick(ok: bool) -> Text:
    return Text("✓", "green") if ok else Text("✗", "red")
