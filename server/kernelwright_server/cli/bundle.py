"""`kernelwright bundle import|check|export`: Ascend C operators written as one text of six sections."""

import argparse
import asyncio
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from kernelwright_backends.core.finding import Finding, finding
from kernelwright_backends.core.registry import support_of, supports
from kernelwright_backends.core.target import Target, TargetError
from kernelwright_backends.display.visible import visible_line
from kernelwright_backends.interfaces.operator_bundle import (
    SECTIONS,
    BundleError,
    ImportedBundle,
    OperatorBundle,
    OperatorBundles,
    Problem,
    Route,
)
from kernelwright_backends.storage.folders import working_folder
from kernelwright_backends.untrusted.placing import write_new
from kernelwright_backends.untrusted.reach import named_file
from kernelwright_backends.untrusted.reading import read_bounded, read_text_bounded
from kernelwright_server.cli.check import exit_status
from kernelwright_server.cli.errors import UsageError
from kernelwright_server.cli.settings import add_trust, configuration_for
from kernelwright_server.cli.terminal import Terminal, print_exactly, print_json
from kernelwright_server.reports.text import print_verdict
from kernelwright_verifier.pipeline.options import VerifyOptions
from kernelwright_verifier.project.config import load_configuration
from kernelwright_verifier.results.cache import VerdictCache
from kernelwright_verifier.results.verdict import GateResult, Verdict
from kernelwright_verifier.verifier import Verifier, read_candidate


def add_arguments(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(dest="action", metavar="import|check|export", required=True)
    imported = commands.add_parser(
        "import",
        help="write a bundle as an operator project for check, refine and editors",
    )
    imported.add_argument(
        "artefact", type=Path, metavar="FILE", help="a Python or Markdown file with the six sections"
    )
    imported.add_argument(
        "--task", type=Path, metavar="TASK.py", help="default: the task beside it, FILE_ref.py or task.py"
    )
    imported.add_argument(
        "-o", "--output", type=Path, metavar="FOLDER", help="default: the operator's name, beside FILE"
    )
    check = commands.add_parser("check", help="verify a bundle, or a folder that one was imported to")
    check.add_argument("artefact", type=Path, metavar="FILE|FOLDER")
    check.add_argument("--task", type=Path, metavar="TASK.py", help="default: as for import")
    check.add_argument("--target", help="default: ascendc:910b@cpu")
    check.add_argument("--seed", type=int, help="seed of the verification, to reproduce a verdict")
    check.add_argument("--format", choices=("text", "json"), default="text")
    check.add_argument("--no-latency", action="store_true", help="skip the latency gate")
    check.add_argument(
        "--no-sandbox", action="store_true", help="run without a sandbox: only for code you trust"
    )
    add_trust(check)
    export = commands.add_parser(
        "export", help="write the bundle with the current contents of its folder's files"
    )
    export.add_argument("folder", type=Path, metavar="FOLDER")
    export.add_argument("-o", "--output", type=Path, metavar="FILE", help="default: standard output")


def _bundles() -> OperatorBundles:
    """Of the one dialect whose operators are written so."""
    return next(bundles for support in supports() if (bundles := support.operator_bundles) is not None)


def run(arguments: argparse.Namespace) -> int:
    try:
        match arguments.action:
            case "import":
                return _import(arguments)
            case "check":
                return _check(arguments)
        return _export(arguments)
    except OSError as error:
        raise UsageError(f"{error.filename or 'a file'}: {error.strerror or error}") from None


def _import(arguments: argparse.Namespace) -> int:
    artefact, task = _read(arguments.artefact), _task(arguments.artefact, arguments.task)
    route = _route(arguments.artefact, artefact, task)
    folder = arguments.output or arguments.artefact.parent / route.prototype.file_name
    try:
        made = _bundles().write_folder(folder, artefact, route, task)
    except BundleError as error:
        raise UsageError(str(error)) from None
    print(f"{folder}: {route.prototype.name}, kernel in {made.files['kernel_src'].relative_to(folder)}")
    if task is None:
        print(
            "the bundle has no task, so the kernel is only compiled; name a task with --task, or put one beside "
            "the bundle"
        )
    places = _places(arguments.artefact, artefact)
    for problem in (*route.hacks, *route.mistakes, *(route.unclear if task is not None else ())):
        said = f"{places(problem)}: {problem.code or 'not followed'}: {problem.message}"
        print(visible_line(said), file=sys.stderr)
    return 0


def _export(arguments: argparse.Namespace) -> int:
    try:
        text = _bundles().read_folder(arguments.folder).exported()
    except BundleError as error:
        raise UsageError(str(error)) from None
    if arguments.output is None:
        print_exactly(text)
        return 0
    try:
        write_new(arguments.output, text.encode())
    except FileExistsError:
        raise UsageError(f"{arguments.output} exists already; name a new file with -o") from None
    return 0


def _check(arguments: argparse.Namespace) -> int:
    try:
        target = Target.parse(arguments.target) if arguments.target is not None else None
    except TargetError as error:
        raise UsageError(f"--target: {error}") from None
    if target is not None and support_of(target.dialect).operator_bundles is None:
        raise UsageError(f"--target: {target} is not an Ascend C target, such as ascendc:910b@cpu")
    if arguments.seed is not None and not 0 <= arguments.seed < 1 << 31:
        raise UsageError(f"--seed: {arguments.seed} is not between 0 and {(1 << 31) - 1}")
    options = VerifyOptions(seed=arguments.seed, latency=not arguments.no_latency)
    verdict = asyncio.run(_judged(arguments, target, options))
    if arguments.format == "json":
        print_json(verdict.model_dump_json(by_alias=True))
    else:
        print_verdict(Terminal(), verdict)
    return exit_status([verdict])


async def _judged(arguments: argparse.Namespace, target: Target | None, options: VerifyOptions) -> Verdict:
    if arguments.artefact.is_dir():
        try:
            imported = _bundles().read_folder(arguments.artefact)
            sections = imported.sections()
            route = _bundles().route_of(sections, read_text_bounded(imported.task) if imported.task else None)
        except (BundleError, UnicodeDecodeError) as error:
            raise UsageError(str(error)) from None
        return await _verdict(imported, route, arguments, target, options)
    artefact, task = _read(arguments.artefact), _task(arguments.artefact, arguments.task)
    route = _route(arguments.artefact, artefact, task)
    with working_folder("artefact") as folder:
        imported = _bundles().write_folder(folder / route.prototype.file_name, artefact, route, task)
        verdict = await _verdict(imported, route, arguments, target, options)
        return _at_sections(verdict, imported, arguments.artefact, task)


async def _verdict(
    imported: ImportedBundle, route: Route, arguments: argparse.Namespace, target: Target | None, options: VerifyOptions
) -> Verdict:  # fmt: skip
    kernel = imported.files["kernel_src"]
    if arguments.artefact.is_dir():
        configuration = configuration_for(kernel, arguments, named=arguments.artefact)
    else:
        # What the kernel is given stands in the file that was made just now; all else is that of the place where the bundle lies.
        made, _ = load_configuration(kernel, trusted=True, named=imported.folder)
        configuration = configuration_for(arguments.artefact, arguments).model_copy(
            update={"task": made.task, "folder": made.folder, "top": made.top}
        )
    sandbox = "none" if arguments.no_sandbox else "auto"
    cache = VerdictCache(limit_mb=configuration.cache.verdicts_mb) if arguments.artefact.is_dir() else None
    async with Verifier(configuration, sandbox, cache=cache) as verifier:  # type: ignore[arg-type]
        plan = verifier.plan(read_candidate(kernel), target=target)[0].strictly()
        # What cannot work on a device, and what cannot be followed, decides before anything is run.
        problems = [*_findings(imported, route.mistakes, "BIND_ENTRY")]
        unclear = (
            []
            if imported.task is None or route.hacks
            else [*_findings(imported, route.unclear, "BIND_PARAMETER")]
        )
        verdict = await verifier.verdict(
            plan.model_copy(update={"findings": (*plan.findings, *problems)}), options
        )
    return _not_followed(verdict, unclear) if unclear and not problems else verdict


def _not_followed(verdict: Verdict, unclear: list[Finding]) -> Verdict:
    """The kernel's arguments are unknown, so it is not judged."""
    if verdict.gate("hack").status == "failed":
        return verdict
    gates: list[GateResult] = []
    for gate in verdict.gates:
        if gate.gate == "compile":
            gates.append(GateResult(gate="compile", status="error", findings=tuple(unclear)))
        elif gate.gate == "hack":
            gates.append(gate)
        else:
            gates.append(GateResult(gate=gate.gate, status="skipped"))
    return verdict.model_copy(update={"gates": tuple(gates), "feasible": None})


def _findings(imported: ImportedBundle, problems: tuple[Problem, ...], code: str) -> list[Finding]:
    from kernelwright_backends.core.finding import Range

    return [
        finding(
            problem.code or code,
            problem.message,
            str(imported.files[problem.section]),
            Range(
                line=problem.line,
                column=problem.column,
                end_line=problem.end_line,
                end_column=problem.end_column,
            ),
            data={"section": problem.section},
        )
        for problem in problems
    ]


def _at_sections(verdict: Verdict, imported: ImportedBundle, file: Path, task: Path | None) -> Verdict:
    """The verdict on the bundle's own text: every place in a section is one in the file."""
    sections = {str(path.resolve()): name for name, path in imported.files.items()}
    absolute = str(file.resolve())

    def moved(found: Finding) -> Finding:
        related = tuple(
            one.model_copy(update={"path": absolute, **_line(one.path, one.line, one.column)})
            if str(Path(one.path).resolve()) in sections
            else one
            for one in found.related
        )
        name = sections.get(str(Path(found.path).resolve()))
        if name is None:
            inside = Path(found.path).is_relative_to(imported.folder)
            return found.model_copy(update={"related": related, **({"path": absolute} if inside else {})})
        begin = imported.artefact.place(name, found.line, found.column)
        end = imported.artefact.place(name, found.end_line, found.end_column)
        return found.model_copy(
            update={
                "path": absolute,
                "line": begin[0],
                "column": begin[1],
                "end_line": max(begin, end)[0],
                "end_column": max(begin, end)[1],
                "related": related,
                "data": {**found.data, "section": name},
            }
        )

    def _line(path: str, line: int, column: int) -> Mapping[str, int]:
        placed = imported.artefact.place(sections[str(Path(path).resolve())], line, column)
        return {"line": placed[0], "column": placed[1]}

    gates = tuple(
        gate.model_copy(update={"findings": tuple(moved(f) for f in gate.findings)}) for gate in verdict.gates
    )
    kernels = tuple(
        kernel.model_copy(update={"line": imported.artefact.place("kernel_src", kernel.line, 1)[0]})
        for kernel in verdict.kernels
    )
    words = f"kernelwright bundle check {file}" + (f" --task {task}" if task is not None else "")
    seed = f" --seed {verdict.seed}" if verdict.seed is not None else ""
    return verdict.model_copy(
        update={
            "file": str(file),
            "task": str(task) if task is not None else None,
            "gates": gates,
            "kernels": kernels,
            "reproduce": words + seed,
        }
    )


def _read(file: Path) -> OperatorBundle:
    try:
        return _bundles().read_bundle(read_bounded(named_file(file)).decode())
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror or 'cannot be read'}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{file} is not UTF-8 text") from None
    except BundleError as error:
        raise UsageError(f"{file}{f':{error.line}' if error.line else ''}: {error}") from None


def _task(artefact: Path, named: Path | None) -> Path | None:
    if named is not None:
        try:
            named = named_file(named)
            text = read_text_bounded(named)
        except OSError as error:
            raise UsageError(f"--task: {named}: {error.strerror or 'cannot be read'}") from None
        except UnicodeDecodeError:
            raise UsageError(f"--task: {named} is not UTF-8 text") from None
        if _bundles().signature_of(text) is None:
            raise UsageError(f"--task: {named} is not a task; it must define class Model with forward")
        return named
    for beside in (artefact.with_name(f"{artefact.stem}_ref.py"), artefact.with_name("task.py")):
        if beside.is_file():
            return _task(artefact, beside)
    return None


def _route(file: Path, artefact: OperatorBundle, task: Path | None) -> Route:
    sections = {name: artefact[name] for name in SECTIONS}
    try:
        _bundles().layout(sections)
        return _bundles().route_of(sections, read_text_bounded(task) if task is not None else None)
    except BundleError as error:
        line = artefact.place("project_json_src", error.line, 1)[0] if error.line else None
        raise UsageError(f"{file}{f':{line}' if line else ''}: {error}") from None


def _places(file: Path, artefact: OperatorBundle) -> Callable[[Problem], str]:
    def place(problem: Problem) -> str:
        line, column = artefact.place(problem.section, problem.line, problem.column)
        return f"{file}:{line}:{column}"

    return place
