"""A hook of mkdocs: writes the index of the findings from the catalogue, so that no page is forgotten."""

from typing import Any

from mkdocs.structure.files import File, Files

from kernelwright_backends.core.catalogue import CATALOGUE

_AREAS = {
    "BIND": "Binding a kernel to its task",
    "TASK": "The task",
    "HACK": "Cheating",
    "COMPILE": "Compiling",
    "MISMATCH": "Results",
    "MEM": "Memory accesses",
    "INIT": "Uninitialised memory",
    "RACE": "Races",
    "SYNC": "Barriers and synchronisation",
    "LAUNCH": "Launching and running",
    "LEAK": "Leaks",
    "COST": "Latency",
    "PERF": "Performance",
    "ENV": "This machine and its settings",
    "UNSUPPORTED": "What the CPU target does not execute",
}
_OTHERS = "Ascend C alone"


def on_files(files: Files, config: Any) -> Files:
    """Add `findings/index.md`."""
    files.append(File.generated(config, "findings/index.md", content=index()))
    return files


def index() -> str:
    """The page: a table for each area, a row for each code."""
    areas: dict[str, list[str]] = {title: [] for title in (*_AREAS.values(), _OTHERS)}
    for code, said in sorted(CATALOGUE.items()):
        prefix = "TASK" if code.startswith(("SIZE_", "SHAPE_")) else code.split("_")[0]
        areas[_AREAS.get(prefix, _OTHERS)].append(
            f"| [{code}]({code}.md) | {said.severity.value} | {said.gate} | {said.summary} |"
        )
    parts = ["# Findings\n\n`kernelwright explain CODE` prints the same pages in a terminal.\n"]
    for title, rows in areas.items():
        if rows:
            head = "| code | severity | gate | what it reports |\n|---|---|---|---|"
            parts.append("\n".join((f"## {title}\n", head, *rows, "")))
    return "\n".join(parts)
