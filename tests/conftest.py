"""What several folders of tests share: a confinement that confines nothing, and verdicts that are made ahead."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from pathlib import Path

import pytest
import pytest_asyncio

from kernelwright_backends.cuda.cpu.toolchain.cuda_cpu_toolchain import CudaCpuToolchain
from kernelwright_backends.interfaces.confinement import Completed, Limits
from kernelwright_backends.storage.folders import data_folder
from kernelwright_backends.storage.sealing import sealed
from kernelwright_verifier.pipeline.options import VerifyOptions
from kernelwright_verifier.results.verdict import Verdict
from kernelwright_verifier.verifier import Verifier, read_candidate


@pytest.fixture(autouse=True)
def no_device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Elsewhere than in `tests/gpu`, `auto` is the CPU alone, whatever machine the tests run on."""
    if request.path.parent.name != "gpu":
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")


@pytest.fixture
def own_data(tmp_path: Path) -> Path:
    """A data folder of the test's own, with the user's key in it: what lies in the cache was sealed with that."""
    kept = data_folder() / "seal.key"
    sealed("test", b'{"made": "at the first use"}')
    folder = tmp_path / "data" / "kernelwright"
    folder.mkdir(parents=True)
    shutil.copy(kept, folder)
    return folder.parent


class Unconfined:
    """For programs that are ours."""

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
        devices: Sequence[Path] = (),
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
def examples() -> Path:
    return Path(__file__).resolve().parents[1] / "examples"


@pytest.fixture(scope="session")
def toolchain() -> CudaCpuToolchain:
    return CudaCpuToolchain()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def judged(
    request: pytest.FixtureRequest, verifier: Verifier
) -> AsyncIterator[Callable[[Path], Awaitable[Verdict]]]:
    """The verdict of a case; those of the selected tests of the same module are under way already."""

    async def judge(path: Path) -> Verdict:
        (plan,) = verifier.plan(read_candidate(path))
        return await verifier.verdict(plan, VerifyOptions(latency=False))

    here = (item for item in request.session.items if item.path == request.path)
    selected = [item for item in here if "judged" in getattr(item, "fixturenames", ())]
    paths = [item.callspec.params["path"] for item in selected]  # type: ignore[attr-defined]
    tasks = {path: asyncio.create_task(judge(path)) for path in paths}
    yield tasks.__getitem__
    for task in tasks.values():
        task.cancel()
    await asyncio.gather(*tasks.values(), return_exceptions=True)
