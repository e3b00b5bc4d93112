"""Says whether torch is here, and serves if so. The package is imported under its own name: a task never sees ours."""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any

REPLY_DESCRIPTOR = 3


def main() -> int:
    greeting: dict[str, Any] = {"python": sys.version.split()[0], "executable": sys.executable}
    try:
        import torch  # noqa: F401
    except Exception as error:
        said = {**greeting, "torch": None, "error": str(error)}
        os.write(REPLY_DESCRIPTOR, json.dumps(said).encode() + b"\n")
        return 1
    here = Path(__file__).parent
    sys.path.insert(0, str(here.parent))
    timing = sys.argv[1:] == ["timing"]
    serving = importlib.import_module(f"{here.name}.{'timing' if timing else 'parent'}")
    # What lies beside this package is no task's to import.
    del sys.path[0]
    if timing:
        serving.serve()
    else:
        serving.serve(int(sys.argv[1]) if len(sys.argv) > 1 else 1, greeting)
    return 0


if __name__ == "__main__":
    sys.exit(main())
