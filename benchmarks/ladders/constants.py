#!/usr/bin/env python3
"""What loads of constant memory cost on the GPU of this machine.

    python constants.py OUT.json        needs a GPU and nvcc; a minute

Writes the rows that constants.cu prints.
"""

import json
from pathlib import Path

import on_device


def main() -> None:
    options = on_device.arguments(__doc__)
    source = Path(__file__).with_suffix(".cu").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in on_device.output_of(source, options.arch)]
    on_device.write(options.out, options.arch, counted=rows)


if __name__ == "__main__":
    main()
