"""Says whether torch is here, and serves if so. The package is imported under its own name: a task never sees ours."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

REPLY_DESCRIPTOR = 3
# On a busy machine, or from a slow disk, torch takes minutes: so often whoever waits is told that it goes on.
LOADING_EVERY_S = 2.0


def say(message: dict[str, Any]) -> None:
    os.write(REPLY_DESCRIPTOR, json.dumps(message).encode() + b"\n")


def say_that_it_loads(loaded: threading.Event) -> None:
    while not loaded.wait(LOADING_EVERY_S):
        say({"loading_cpu_s": time.process_time()})


def main() -> int:
    greeting: dict[str, Any] = {"python": sys.version.split()[0], "executable": sys.executable}
    timing = sys.argv[1:] == ["timing"]
    loaded = threading.Event()
    saying = threading.Thread(target=say_that_it_loads, args=(loaded,))
    if not timing:
        saying.start()
    try:
        import torch  # noqa: F401
    except Exception as error:
        problem: str | None = str(error)
    else:
        problem = None
    finally:
        loaded.set()
        if not timing:
            saying.join()  # what is forked below has one thread
    if problem is not None:
        say({**greeting, "torch": None, "error": problem})
        return 1
    # By its file: what lies beside this package is no task's to import, and a sandbox may not let it be listed.
    here = Path(__file__).parent
    spec = importlib.util.spec_from_file_location(here.name, here / "__init__.py")
    assert spec is not None and spec.loader is not None
    package = sys.modules[here.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)
    if timing:
        importlib.import_module(f"{here.name}.timing").serve()
    else:
        importlib.import_module(f"{here.name}.parent").serve(greeting)
    return 0


if __name__ == "__main__":
    sys.exit(main())
