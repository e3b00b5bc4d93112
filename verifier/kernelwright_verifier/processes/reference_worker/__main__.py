"""Says whether torch is here, and serves if so. The package is imported under its own name: a task never sees ours."""

from __future__ import annotations

import importlib
import importlib.util
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
    # By its file: what lies beside this package is no task's to import, and a sandbox may not let it be listed.
    here = Path(__file__).parent
    spec = importlib.util.spec_from_file_location(here.name, here / "__init__.py")
    assert spec is not None and spec.loader is not None
    package = sys.modules[here.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)
    if sys.argv[1:] == ["timing"]:
        importlib.import_module(f"{here.name}.timing").serve()
    else:
        parent = importlib.import_module(f"{here.name}.parent")
        parent.serve(int(sys.argv[1]) if len(sys.argv) > 1 else 1, greeting)
    return 0


if __name__ == "__main__":
    sys.exit(main())
