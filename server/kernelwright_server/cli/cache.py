"""`kernelwright cache list|show|clear|size`: cached verdicts, and the disk space of all caches."""

import argparse
import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from kernelwright_backends.storage.eviction import LIMITS_BYTES
from kernelwright_backends.storage.folders import cache_folder
from kernelwright_server.cli.errors import UsageError
from kernelwright_server.cli.settings import configuration_for
from kernelwright_server.cli.tables import console, print_table
from kernelwright_server.cli.terminal import print_json
from kernelwright_verifier.reference.answer_cache import LIMIT_BYTES as REFERENCE_BYTES
from kernelwright_verifier.results.cache import VerdictCache
from kernelwright_verifier.results.record import Record

# Folders of the cache and what lies there.
_KINDS = {
    "accepted": "latencies of accepted versions",
    "ascendc-cpu": "Ascend C: built kernels, precompiled headers, the CPU's driver",
    "ascendc-npu": "kernels built for an NPU",
    "cuda-cpu": "CUDA: built kernels, precompiled headers, the CPU's driver",
    "cuda-gpu": "kernels built for a GPU",
    "cuda-nvcc": "replies of nvcc",
    "memory": "the memory's locks",
    "reference": "inputs and expected outputs of tasks",
    "responses": "replies of models",
    "verdicts": "verdicts",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(dest="what", required=True, metavar="list|show|clear|size")
    commands.add_parser("list", help="list all verdicts, the last used first")
    showing = commands.add_parser("show", help="print one record as JSON")
    showing.add_argument("key", help="key of the verdict, or its first characters")
    clearing = commands.add_parser("clear", help="remove verdicts; the next check verifies again")
    clearing.add_argument("key", nargs="?", default="", help="only verdicts whose keys start with this")
    commands.add_parser("size", help="show how much disk space the cache uses")


def run(arguments: argparse.Namespace) -> int:
    configuration = configuration_for(Path.cwd(), arguments)
    cache = VerdictCache(limit_mb=configuration.cache.verdicts_mb)
    try:
        match arguments.what:
            case "list":
                _list(cache)
            case "show":
                print_json(_one(cache, arguments.key).written().decode().rstrip())
            case "clear":
                count = cache.clear(arguments.key)
                if arguments.key and not count:
                    raise UsageError(f"no verdict has a key that starts with '{arguments.key}'")
                print(f"{count} verdict{'s' * (count != 1)} removed")
            case "size":
                _size(cache, configuration.cache.verdicts_mb)
    except OSError as error:
        raise UsageError(f"the cache cannot be read or written: {error}") from None
    return 0


def _list(cache: VerdictCache) -> None:
    columns = ("key", "file", "entry", "target", "outcome", "seed", "verified", "KiB")
    rows: list[tuple[str, ...]] = []
    for entry, record in cache.records():
        size = f"{entry.size_bytes / 1024:.1f}"
        if record is None:
            used = datetime.fromtimestamp(entry.used, UTC).isoformat(timespec="seconds")
            damaged = "(damaged, or of another version)"
            rows.append((entry.key[:12], damaged, "", "", "", "", used, size))
            continue
        verdict = record.verdict
        rows.append(
            (
                entry.key[:12],
                record.subject.file,
                verdict.entry or "",
                verdict.target or "",
                verdict.outcome,
                f"{verdict.seed if verdict.seed is not None else ''}"
                + ("" if record.subject.seed == "fresh" else " (asked)"),
                record.verified,
                size,
            )
        )
    out = console()
    if rows:
        print_table(out, columns, rows)
    else:
        out.print("no verdicts")


def _one(cache: VerdictCache, key: str) -> Record:
    found = [entry for entry in cache.entries() if entry.key.startswith(key)]
    if len(found) != 1:
        some = ", ".join(entry.key[:12] for entry in found[:4])
        raise UsageError(
            f"several verdicts have a key that starts with '{key}': {some}"
            if found
            else f"no verdict '{key}'"
        )
    record = cache.read(found[0].path, discard=False)
    if record is None:
        raise UsageError(f"the verdict {found[0].key[:12]} is damaged or of another version")
    return record


def _size(cache: VerdictCache, limit_mb: int) -> None:
    rows: list[tuple[str, ...]] = []
    root = cache_folder()
    folders = {child.name for child in root.iterdir() if child.is_dir()} | {"verdicts"}
    for name in sorted(folders):
        folder = cache.folder if name == "verdicts" else root / name
        files, size = _measure(folder)
        bounds = {"verdicts": limit_mb << 20, "reference": REFERENCE_BYTES}
        bound = bounds.get(name) or sum(
            limit for place, limit in LIMITS_BYTES.items() if place.split("/")[0] == name
        )
        shown = f"{bound >> 20} MiB" if bound else ""
        rows.append((f"{size / 2**20:.1f}", shown, str(files), _KINDS.get(name, name), str(folder)))
    print_table(console(), ("MiB", "bound", "files", "what", "where"), rows)


def _measure(folder: Path) -> tuple[int, int]:
    """Number and bytes of the files below a folder; others may be removing some of them."""
    files = size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                size += (Path(place) / name).lstat().st_size
                files += 1
    return files, size
