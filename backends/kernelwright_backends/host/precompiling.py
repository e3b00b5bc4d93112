"""Making a precompiled header: by a confined compiler, for what macros of a workspace make of our headers is the workspace's."""

from collections.abc import Sequence
from pathlib import Path

from kernelwright_backends.host.compiling import run_compiler
from kernelwright_backends.interfaces.confinement import Confinement
from kernelwright_backends.storage.build_once import BuildError
from kernelwright_backends.storage.folders import write_private
from kernelwright_backends.untrusted.handover import NOT_TAKEN, fresh_output

_HEADER, _MADE = "prelude.h", "prelude.h.gch"
_LIMIT_BYTES = 512 << 20  # ten times what the largest takes


async def precompile(
    argv: Sequence[str], text: str, folder: Path, readable: Sequence[Path], confinement: Confinement
) -> None:
    """Make `folder` with `prelude.h`, which holds `text`, and its precompiled form.

    Args:
        argv: g++ with its flags.
        readable: folders of the headers that `text` includes.

    Raises:
        BuildError: g++ does not take it, with its words.
        ConfinementError: nothing here can confine it.
    """
    folder.mkdir(mode=0o700)
    header = folder / _HEADER
    write_private(header, f"#pragma once\n{text}".encode())
    with fresh_output() as made:
        command = [*argv, "-x", "c++-header", str(header), "-o", str(made.inside(_MADE))]
        done = await run_compiler(confinement, command, [folder, *readable], made)
        try:
            made.copy_out(_MADE, folder / _MADE, limit_bytes=_LIMIT_BYTES)
            failed = done.status != 0
        except NOT_TAKEN:
            failed = True
    if failed:
        words = done.stderr.decode(errors="replace").strip()[-2000:]
        raise BuildError(f"{argv[0]} made no precompiled header: {words or done.ended_by}")
