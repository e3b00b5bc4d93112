"""`kernelwright memory list|show|export|import`: what the agent learned."""

import argparse
from pathlib import Path

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from kernelwright_memory import Memory, Shown, StoreError, Value
from kernelwright_server.cli.errors import UsageError
from kernelwright_verifier.config import load_configuration


def add_arguments(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(dest="what", required=True, metavar="list|show|export|import")
    listing = commands.add_parser("list", help="all experiences with their values")
    listing.add_argument("--kind", choices=("api", "summary", "trace", "practice"))
    listing.add_argument("--dialect", choices=("cuda", "ascendc"))
    listing.add_argument("--family", help="operator family: elementwise, reduction, softmax, ...")
    showing = commands.add_parser("show", help="one experience, whole")
    showing.add_argument("id", help="the beginning of its id is enough")
    for name, text in (("export", "write everything as JSON lines"), ("import", "add what a file holds")):
        command = commands.add_parser(name, help=text)
        command.add_argument("file", type=Path)
    for command in commands.choices.values():
        command.add_argument(
            "--uri", help="where the memory lies; default: kernelwright.toml, else the user's own"
        )


def run(arguments: argparse.Namespace) -> int:
    configuration, _ = load_configuration(Path.cwd())
    memory = Memory(arguments.uri or configuration.memory.uri)
    try:
        match arguments.what:
            case "list":
                _list(memory, arguments)
            case "show":
                _show(memory.show(arguments.id))
            case "export":
                counts = memory.export(arguments.file)
                print(f"{arguments.file}: {counts.experiences} experiences, {counts.rewards} rewards")
            case "import":
                counts = memory.import_(arguments.file)
                print(
                    f"{counts.experiences} experiences ({counts.new} of them new), {counts.rewards} rewards"
                )
    except (StoreError, ValueError, KeyError, OSError) as error:
        raise UsageError(str(error.args[0] if isinstance(error, KeyError) else error)) from None
    return 0


def _list(memory: Memory, arguments: argparse.Namespace) -> None:
    table = Table("id", "kind", "title", "family", "origin", "draft", "refine", "uses", box=box.SIMPLE)
    shown = memory.experiences(kind=arguments.kind, dialect=arguments.dialect, family=arguments.family)
    for item in shown:
        values = {value.stage: value for value in item.values}
        draft, refine = values.get("draft"), values.get("refine")
        uses = sum(value.count for value in values.values())
        experience = item.experience
        table.add_row(
            experience.id[:10],
            experience.kind,
            escape(experience.title),
            experience.family or "",
            experience.origin.source,
            _value(draft),
            _value(refine),
            str(uses),
        )
    Console(highlight=False).print(table if shown else "no experiences")


def _value(value: Value | None) -> str:
    return f"{value.q:+.2f}" if value is not None and value.count else ""


def _show(shown: Shown) -> None:
    console = Console(highlight=False)
    experience = shown.experience
    for name, value in experience.model_dump(exclude={"text", "origin"}).items():
        if value not in (None, "", {}):
            console.print(f"[bold]{name}[/bold] {escape(str(value))}", soft_wrap=True)
    origin = ", ".join(f"{name} {value}" for name, value in experience.origin.model_dump().items() if value)
    console.print(f"[bold]origin[/bold] {escape(origin)}", soft_wrap=True)
    for value in shown.values:
        console.print(
            f"[bold]value[/bold] at {value.stage}: Q {value.q:+.3f}, mean {value.mean:+.3f} +- {value.deviation:.3f}, "
            f"{value.count} uses"
        )
    console.print()
    console.print(experience.text, markup=False, soft_wrap=True)
