"""A server that is saved at for a long time: does anything grow?

    python benchmarks/robustness/soak.py [--minutes 30] [--every-ms 200] [--variants 12]

One document goes round through right and wrong variants, saved every 200 ms. Most stand for a second, so that their
verification is superseded; every fourth stands for six, saved all the while, and comes to its verdict where the machine is quick
enough. With each the task changes, so that hardly a verdict is known; the cache of verdicts is full from the start, and some
variants have come to their verdict before the time begins. Every two seconds: the server's resident memory, descriptors and
descendants, zombies, the size of all caches, the machine's load, and a hover; `soak_curves.py` draws them. After a warm-up of a tenth
of the time, five minutes at least, a line is fitted to each; its 95 % interval comes from a bootstrap over blocks of a minute's
samples, since samples that follow each other are alike. Nothing grows where the interval contains 0.
"""

import argparse
import itertools
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib import record
from lib.client import Client
from lib.warm_cache import prepare

from kernelwright_verifier.results.cache import VerdictCache

_EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "relu"
_SAMPLE_S = 2.0
_PATIENCE_S = 300.0
_BLOCK = 30
_WARM_UP_MINUTES = 5.0
_VERDICTS_MB, _VERDICTS = 1, 200  # the bound of the verdict cache, and more verdicts than lie below it
_VERIFIED_FIRST = 4  # variants that come to their verdict before the time begins: what is imported then stays
_TASKS = 25  # texts of the task; with the variants more pairs than the cache of verdicts holds
_SHORT, _LONG = 5, 30  # saves that a variant stands for
_RESAMPLES = 2000
_MEASURED = {
    "resident_mib": "resident memory of the server",
    "descriptors": "open descriptors of the server",
    "processes": "descendants of the server",
    "cache_mib": "all caches",
    "verdicts": "entries of the verdict cache",
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--every-ms", type=float, default=200)
    parser.add_argument("--variants", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kernelwright-soak-") as place:
        rows, saves, hovers = soak(Path(place), arguments)
    figures: dict[str, Any] = {
        "minutes": arguments.minutes,
        "every_ms": arguments.every_ms,
        "saves": saves,
        "hover_median_ms": round(statistics.median(hovers), 2),
        "hover_p99_ms": round(record.percentile(hovers, 0.99), 2),
        "load_1min_median": statistics.median(row["load_1min"] for row in rows),
        "zombies_most": max(row["zombies"] for row in rows),
    }
    settled = [row for row in rows if row["minute"] >= max(arguments.minutes / 10, _WARM_UP_MINUTES)]
    random = np.random.default_rng(arguments.seed)
    grows = []
    for name in _MEASURED:
        slope, low, high = slope_of(settled, name, random)
        figures |= {
            f"{name}_median": statistics.median(row[name] for row in settled),
            f"{name}_per_hour": round(slope, 4),
            f"{name}_per_hour_low": round(low, 4),
            f"{name}_per_hour_high": round(high, 4),
        }
        if not low <= 0 <= high:
            grows.append(name)
        print(f"{_MEASURED[name]:30} {slope:+10.3f} an hour, between {low:+.3f} and {high:+.3f}")
    figures["growing_count"] = len(grows)
    figures["slopes_without_zero"] = grows
    print(record.write("soak", seed=arguments.seed, figures=figures, rows=rows, compressed=True))


def soak(place: Path, arguments: argparse.Namespace) -> tuple[list[dict[str, Any]], int, list[float]]:
    """Samples, how many saves there were, and the hovers' times in milliseconds."""
    folder = place / "relu"
    shutil.copytree(_EXAMPLE, folder)
    path = folder / "relu_naive.cu"
    task = folder / "relu.py"
    statement = task.read_text()
    right, wrong = path.read_text(), (folder / "relu_wrong_tail.cu").read_text()
    texts = [f"{right if n % 3 else wrong}// variant {n}\n" for n in range(arguments.variants)]
    environment = {
        **os.environ,
        "XDG_CACHE_HOME": str(place / "cache"),
        "XDG_DATA_HOME": str(place / "data"),
        "XDG_CONFIG_HOME": str(place / "configuration"),
    }
    # What is built once would otherwise be built under the saves.
    prepare(place / "cache", path)
    (folder / "kernelwright.toml").write_text(f"[cache]\nverdicts_mb = {_VERDICTS_MB}\n")
    fill_verdicts(place / "cache", path, environment)
    client = Client([sys.executable, "-m", "kernelwright_server", "serve"], environment)
    uri = path.as_uri()
    rows: list[dict[str, Any]] = []
    hovers: list[float] = []
    try:
        client.request(
            "initialize",
            {
                "processId": None,
                "rootUri": folder.as_uri(),
                "capabilities": {},
                "initializationOptions": {"trusted": True},
            },
        )
        client.notify("initialized", {})
        item = {"uri": uri, "languageId": "cuda-cpp", "version": 1, "text": texts[0]}
        client.notify("textDocument/didOpen", {"textDocument": item})
        line = next(n for n, text in enumerate(texts[0].splitlines()) if "void relu(" in text)
        for text in texts[:_VERIFIED_FIRST]:
            verified(client, uri, text)
        started = time.monotonic()
        next_sample, saves = started, 0
        standing = -1
        statements = itertools.cycle(range(_TASKS))
        variants = itertools.chain.from_iterable(
            itertools.repeat(n % len(texts), _LONG if n % 4 == 3 else _SHORT) for n in itertools.count()
        )
        while (now := time.monotonic()) - started < 60 * arguments.minutes:
            saves += 1
            variant = next(variants)
            if variant != standing:
                standing = variant
                task.write_text(f"{statement}# {next(statements)}\n")
                changed = [{"uri": task.as_uri(), "type": 2}]
                client.notify("workspace/didChangeWatchedFiles", {"changes": changed})
            text = texts[variant]
            identifier = {"uri": uri, "version": saves + 1}
            client.notify(
                "textDocument/didChange", {"textDocument": identifier, "contentChanges": [{"text": text}]}
            )
            client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
            if now >= next_sample:
                asked = time.perf_counter()
                client.request(
                    "textDocument/hover",
                    {"textDocument": {"uri": uri}, "position": {"line": line, "character": 6}},
                )
                hovers.append(1000 * (time.perf_counter() - asked))
                rows.append(
                    {
                        "minute": round((now - started) / 60, 4),
                        **sample(client.process.pid, place / "cache"),
                        "hover_ms": round(hovers[-1], 2),
                        "load_1min": round(os.getloadavg()[0], 2),
                    }
                )
                next_sample = now + _SAMPLE_S
            time.sleep(max(0.0, started + saves * arguments.every_ms / 1000 - time.monotonic()))
    finally:
        client.stop()
    return rows, saves, hovers


def verified(client: Client, uri: str, text: str) -> None:
    """Save a text and wait until the server has nothing more to do."""
    seen = len(client.notifications)
    identifier = {"uri": uri, "version": 1}
    client.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": [{"text": text}]})
    client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        states = [
            message["params"]["state"]
            for message in client.notifications[seen:]
            if message["method"] == "kernelwright/status"
        ]
        if "busy" in states and states[-1] == "idle":
            return
        time.sleep(0.1)
    raise SystemExit(f"no verdict within {_PATIENCE_S:.0f} s")


def fill_verdicts(cache: Path, path: Path, environment: dict[str, str]) -> None:
    """Fill the cache of verdicts to its bound, with copies of one under other names."""
    command = [sys.executable, "-m", "kernelwright_server", "check", str(path)]
    verdicts = VerdictCache(cache / "kernelwright" / "verdicts", _VERDICTS_MB)
    record = None
    while record is None:  # what a busy machine left no time for is not kept
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False)
        record = next((record for _, record in verdicts.records() if record is not None), None)
    for number in range(_VERDICTS):
        verdicts.store(record.subject.model_copy(update={"candidate": f"{number:064x}"}), record.verdict)


def sample(pid: int, cache: Path) -> dict[str, Any]:
    """What a process and its descendants hold at this moment."""
    status = Path(f"/proc/{pid}/status").read_text()
    resident = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:"))
    found = descendants(pid)
    size = 0
    for folder, _, names in os.walk(cache):
        for name in names:
            with suppress(OSError):
                size += (Path(folder) / name).lstat().st_size
    verdicts = cache / "kernelwright" / "verdicts"
    return {
        "resident_mib": round(resident / 1024, 2),
        "descriptors": len(list(Path(f"/proc/{pid}/fd").iterdir())),
        "processes": len(found),
        "zombies": sum(state == "Z" for state in found.values()),
        "cache_mib": round(size / 2**20, 3),
        "verdicts": len(list(verdicts.glob("*.json"))) if verdicts.is_dir() else 0,
    }


def descendants(pid: int) -> dict[int, str]:
    """The processes below one, with their states."""
    parents: dict[int, tuple[int, str]] = {}
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            with suppress(OSError, IndexError, ValueError):
                state, parent = (place / "stat").read_text().rpartition(")")[2].split()[:2]
                parents[int(place.name)] = int(parent), state
    found: dict[int, str] = {}
    waiting = [pid]
    while waiting:
        here = waiting.pop()
        for child, (parent, state) in parents.items():
            if parent == here and child not in found:
                found[child] = state
                waiting.append(child)
    return found


def slope_of(
    rows: list[dict[str, Any]], name: str, random: np.random.Generator
) -> tuple[float, float, float]:
    """Least squares per hour, and its 95 % interval by a bootstrap over blocks of the residuals."""
    hours = np.array([row["minute"] for row in rows]) / 60
    values = np.array([row[name] for row in rows], float)
    if len(values) < 3 or np.ptp(values) == 0:
        return 0.0, 0.0, 0.0
    centred = hours - hours.mean()
    weight = float(centred @ centred)
    slope = float(centred @ values) / weight
    residuals = values - values.mean() - slope * centred
    block = min(_BLOCK, max(1, len(values) // 4))
    starts = random.integers(0, len(values) - block + 1, (_RESAMPLES, -(-len(values) // block)))
    slopes = []
    for chosen in starts:
        drawn = np.concatenate([residuals[s : s + block] for s in chosen])[: len(values)]
        slopes.append(slope + float(centred @ drawn) / weight)
    low, high = np.percentile(slopes, [2.5, 97.5])
    return slope, float(low), float(high)


if __name__ == "__main__":
    main()
