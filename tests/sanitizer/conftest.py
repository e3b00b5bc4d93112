"""A confinement that confines nothing: what these tests run is ours."""

import asyncio
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from kernelwright_backends.cuda.cpu.toolchain import CudaCpuToolchain
from kernelwright_backends.toolchain import Completed, Limits


class Unconfined:
    async def run(
        self,
        argv: Sequence[str],
        *,
        readable: Sequence[Path] = (),
        writable: Sequence[Path] = (),
        cwd: Path | None = None,
        stdin: bytes = b"",
        reply: bool = False,
        environment: Mapping[str, str] | None = None,
        limits: Limits = Limits(),
    ) -> Completed:
        with tempfile.TemporaryFile() as answer:
            wrapped = ["bash", "-c", f'exec "$0" "$@" 3>&{answer.fileno()}', *argv] if reply else list(argv)
            process = await asyncio.create_subprocess_exec(
                *wrapped,
                cwd=cwd,
                env=dict(environment or {"PATH": os.environ["PATH"]}),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                pass_fds=(answer.fileno(),) if reply else (),
            )
            try:
                out, err = await asyncio.wait_for(process.communicate(stdin), limits.time_s)
                ended = "exit"
            except TimeoutError:
                process.kill()
                out, err = b"", b""
                await process.wait()
                ended = "time"
            answer.seek(0)
            return Completed(
                status=process.returncode or 0,
                stdout=out,
                stderr=err,
                reply=answer.read(),
                elapsed_s=0.0,
                ended_by=ended,
            )


@pytest.fixture(scope="session")
def confinement() -> Unconfined:
    return Unconfined()


@pytest.fixture(scope="session")
def toolchain() -> CudaCpuToolchain:
    return CudaCpuToolchain()
