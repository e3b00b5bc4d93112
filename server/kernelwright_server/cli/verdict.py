"""`kernelwright verdict show FILE`: the whole record of a cached verdict. Nothing is run."""

import argparse
import asyncio
import json
from pathlib import Path

from rich.table import Table
from rich.text import Text

from kernelwright_backends.core.available_devices import look
from kernelwright_backends.core.registry import dialect_of
from kernelwright_backends.core.target import Target, TargetError
from kernelwright_backends.display.visible import visible_line
from kernelwright_backends.untrusted.reading import read_bounded
from kernelwright_server.cli.errors import UsageError
from kernelwright_server.cli.files import candidate_at
from kernelwright_server.cli.settings import add_trust, configuration_for
from kernelwright_server.cli.tables import console, print_table
from kernelwright_server.cli.terminal import print_json
from kernelwright_server.reports.html import html_page
from kernelwright_server.reports.mismatch import mismatch_text, mismatches
from kernelwright_server.reports.record import sections
from kernelwright_server.reports.sarif import sarif_log
from kernelwright_server.reports.text import print_log
from kernelwright_verifier.pipeline.options import VerifyOptions
from kernelwright_verifier.results.cache import VerdictCache
from kernelwright_verifier.results.cross_target import compared
from kernelwright_verifier.results.record import Record, RecordError
from kernelwright_verifier.task.plan import Plan
from kernelwright_verifier.verifier import Verifier


def add_arguments(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(dest="what", required=True, metavar="show")
    showing = commands.add_parser(
        "show", help="print the whole record: gates, checks, seeds, sizes, times, versions"
    )
    showing.add_argument(
        "file",
        type=Path,
        metavar="FILE|RECORD.json",
        help="a kernel's file, or a record written with --format json",
    )
    showing.add_argument("--entry", help="show only this entry")
    showing.add_argument("--target", help="the verdict's target, dialect:chip@where")
    showing.add_argument(
        "--seed", type=int, help="the verdict with this seed (default: the newest with a random seed)"
    )
    showing.add_argument("--format", choices=("text", "json", "sarif", "html"), default="text")
    add_trust(showing)


def run(arguments: argparse.Namespace) -> int:
    """0 where every entry has a record, else 2."""
    path: Path = arguments.file
    source = str(path) if path.suffix == ".json" else None
    records = [_read(path)] if source is not None else asyncio.run(_known(arguments))
    if arguments.format == "html":
        print(html_page(records, source), end="")
    elif arguments.format == "json":
        for record in records:
            print_json(record.written().decode().rstrip())
    elif arguments.format == "sarif":
        from importlib.metadata import version

        log = sarif_log([record.verdict for record in records], version("kernelwright"))
        log["runs"][0]["properties"] = {
            "records": [
                {
                    "key": r.key,
                    "digest": r.digest,
                    "unsignedClaim": source is not None,
                    "verified": r.verified,
                    "seed": r.verdict.seed,
                    "sizes": r.verdict.sizes,
                }
                for r in records
            ]
        }
        print_json(json.dumps(log, indent=2))
    else:
        for record in records:
            _print(record, source)
    return 0


def _read(path: Path) -> Record:
    """A record from a file, held to its digest."""
    try:
        return Record.read(read_bounded(path))
    except OSError as error:
        said = f"{path} cannot be read: {error.strerror}" if error.strerror else str(error)
        raise UsageError(said) from None
    except RecordError as error:
        raise UsageError(f"{path} is not a valid record: {error}") from None


async def _known(arguments: argparse.Namespace) -> list[Record]:
    path: Path = arguments.file
    candidate = candidate_at(path)
    try:
        target = Target.parse(arguments.target) if arguments.target not in (None, "auto") else None
    except TargetError as error:
        raise UsageError(f"--target: {error}") from None
    configuration = configuration_for(path, arguments)
    cache = VerdictCache(limit_mb=configuration.cache.verdicts_mb)
    async with Verifier(configuration, cache=cache) as verifier:
        dialect = dialect_of(candidate.path, candidate.text)
        if target is None and dialect is not None:
            look(dialect)
        try:
            plans = verifier.plan(candidate, target=target)
        except ValueError as error:
            raise UsageError(str(error)) from None
        chosen = [plan for plan in plans if arguments.entry is None or plan.entry_name == arguments.entry]
        if not chosen:
            names = ", ".join(plan.entry_name or "none" for plan in plans)
            raise UsageError(f"{path}: no entry '{arguments.entry}'; the entries are {names}")
        records = []
        for plan in chosen:
            record = await _latest(verifier, plan, arguments.seed)
            if record is None:
                entry = f" of '{plan.entry_name}'" if plan.entry_name else ""
                raise UsageError(
                    f"{path}: no cached verdict{entry} for this text, task and toolchain; run 'kernelwright check {path}'"
                )
            records.append(record)
            for other in plan.on_further_targets():
                further = await _latest(verifier, other, arguments.seed)
                if further is not None:
                    records.append(_compared(record, further, other, arguments.format))
    return records


def _compared(first: Record, further: Record, plan: Plan, form: str) -> Record:
    """For reading: with what it says against the first. A record that can be kept stays as it was signed."""
    if form == "json":
        return further
    return further.model_copy(update={"verdict": compared(first.verdict, further.verdict, plan)})


async def _latest(verifier: Verifier, plan: Plan, seed: int | None) -> Record | None:
    """The whole verdict, else one without a latency: where correctness failed, that is all there is to know."""
    for latency in (True, False):
        record = await verifier.known(plan, VerifyOptions(seed=seed, latency=latency))
        if record is not None:
            return record
    return None


def _print(record: Record, source: str | None) -> None:
    out = console()
    for section in sections(record, source):
        if not section.rows:
            continue
        out.print(Text(section.title, style="bold"))
        if section.columns:
            print_table(out, section.columns, section.rows)
            continue
        if not out.is_terminal:  # nobody sees an edge to fill the lines up to
            longest = max(len(row[0]) for row in section.rows)
            for name, value in section.rows:
                out.print(visible_line(f"{name:{longest}}  {value}".rstrip()), soft_wrap=True)
            continue
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for row in section.rows:
            table.add_row(*(Text(visible_line(cell)) for cell in row))
        out.print(table)
    for finding in mismatches(record.verdict):
        out.print(mismatch_text(finding, record.verdict), soft_wrap=True)
    if record.verdict.log.strip():
        out.print(Text("What the candidate printed", style="bold"))
        print_log(out, record.verdict.log, limit=None)
