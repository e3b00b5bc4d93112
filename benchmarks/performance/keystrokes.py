"""What each key costs in a large file: CPU time of the server, which other programs on the machine do not change.

    python benchmarks/performance/keystrokes.py [--keys 40]

A CUDA file of 3,000 lines and an Ascend C file of 1,500, made of the examples; into the middle of each a statement is typed, and
after every key an editor's requests are sent, while the file beside is verified.
"""

import argparse
import json
import re
import shutil
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib import record
from lib.client import Client, initialize

_EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
_TYPED = "pipe.InitBuffer(queue, 2, bytes);"
_GOAL_MS = 50


def repeated(example: Path, lines: int, directive: str = "") -> str:
    """The example's text again and again, with functions and classes of other names each time."""
    body = "\n".join(line for line in example.read_text().splitlines() if "kernelwright:" not in line)
    names = set(re.findall(r"\b(?:void|class|struct)\s+(?:__launch_bounds__\(\w+\)\s+)?(\w+)", body))
    text = directive
    copy = 0
    while text.count("\n") < lines:
        own = body
        for name in names:
            own = re.sub(rf"\b{name}\b", f"{name}_{copy}", own)
        text += own + "\n"
        copy += 1
    return text


def cpu_ms(pid: int) -> float:
    """What all threads of a process have computed so far."""
    spent_ns = 0
    for file in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        spent_ns += int(file.read_text().split()[0])
    return spent_ns / 1e6


def measure(folder: Path, name: str, text: str, keys: int) -> dict[str, list[float]]:
    """CPU milliseconds of the server by request; `didChange` is part of the first request behind it."""
    client = Client([sys.executable, "-m", "kernelwright_server", "serve", "--stdio"])
    initialize(client, folder, trusted=True)
    beside, path = folder / "beside.cu", folder / name
    path.write_text(text)
    for file in (beside, path):
        item = {"uri": file.as_uri(), "languageId": "cuda-cpp", "version": 1, "text": file.read_text()}
        client.notify("textDocument/didOpen", {"textDocument": item})
    client.notify("textDocument/didSave", {"textDocument": {"uri": beside.as_uri()}})
    document = {"textDocument": {"uri": path.as_uri()}}
    client.request("textDocument/codeLens", document)
    lines = text.split("\n")
    row = next(n for n in range(len(lines) // 2, len(lines)) if re.match(r"    \w.*;$", lines[n]))
    spent: dict[str, list[float]] = defaultdict(list)
    for number in range(keys):
        at, after = ({"line": row, "character": 4 + number + step} for step in (0, 1))
        key = _TYPED[number % len(_TYPED)]
        client.notify(
            "textDocument/didChange",
            {
                "textDocument": {**document["textDocument"], "version": number + 2},
                "contentChanges": [{"range": {"start": at, "end": at}, "text": key}],
            },
        )
        place = {**document, "position": after}
        actions = {**document, "range": {"start": after, "end": after}, "context": {"diagnostics": []}}
        for method, params in (
            ("completion", place),
            ("signatureHelp", place),
            ("documentSymbol", document),
            ("codeLens", document),
            ("codeAction", actions),
            ("hover", place),
        ):
            before = cpu_ms(client.process.pid)
            client.request(f"textDocument/{method}", params)
            time.sleep(0.003)  # the writer's thread
            spent[method].append(cpu_ms(client.process.pid) - before)
    client.stop()
    return dict(spent)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--keys", type=int, default=40)
    arguments = parser.parse_args()
    figures: dict[str, Any] = {"goal_p50_ms": _GOAL_MS}
    rows = []
    with tempfile.TemporaryDirectory(prefix="kernelwright-keystrokes-") as scratch:
        folder = Path(scratch)
        shutil.copy(_EXAMPLES / "relu" / "relu.py", folder)
        shutil.copy(_EXAMPLES / "relu" / "relu_naive.cu", folder / "beside.cu")
        directive = "// kernelwright: task=relu.py entry=matmul_0\n"
        for name, text in (
            ("large.cu", repeated(_EXAMPLES / "matmul" / "matmul_tiled.cu", 3000, directive)),
            ("large.asc", repeated(_EXAMPLES / "ascendc" / "softmax.asc", 1500)),
        ):
            for method, values in measure(folder, name, text, arguments.keys).items():
                figures[f"{name}_{method}_p50_ms"] = round(statistics.median(values), 2)
                figures[f"{name}_{method}_worst_ms"] = round(max(values), 2)
                rows.append({"file": name, "what": method, "cpu_ms": [round(v, 2) for v in values]})
    print(json.dumps(figures, indent=1))
    print("written:", record.write("keystrokes", seed=None, figures=figures, rows=rows))


if __name__ == "__main__":
    main()
