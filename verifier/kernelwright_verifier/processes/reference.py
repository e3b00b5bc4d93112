"""The client of the reference process: starts it in the sandbox, keeps it warm, remembers what it said."""

import asyncio
import contextlib
import hashlib
import itertools
import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, Protocol

from kernelwright_backends.finding import Finding, Range, finding
from kernelwright_backends.folders import cache_folder
from kernelwright_backends.toolchain import Confinement, DeviceAccess, Limits, TensorData
from kernelwright_verifier.processes.interpreter import (
    Interpreter,
    InterpreterError,
    chosen_interpreter,
    inspect_interpreter,
)
from kernelwright_verifier.processes.reference_cache import ReferenceCache
from kernelwright_verifier.processes.reference_latency import EagerLatency, NotTimed, time_eagerly
from kernelwright_verifier.processes.trial import DrawnInputs, Expected, Screen, Trial
from kernelwright_verifier.task import Task, TaskDescription

__all__ = ["EagerLatency", "Expected", "NotTimed", "Reference", "Screen", "TaskError", "Trial"]

WORKER = Path(__file__).with_name("reference_worker")
REQUEST_LIMITS = Limits(time_s=60.0, memory_mb=4096)
# Beyond a request's own limit: by then the worker itself, not the task, must be stuck.
_GRACE_S = 30.0
# While torch is loaded the worker says so every other second. One that says nothing hangs; one that has had so much of the
# processor will not come to its end; and whatever the machine is busy with, at some time nobody waits any more.
_SILENT_S = 120.0
_LOADING_CPU_S = 120.0
_LOADING_S = 900.0
_MOST_BIASED = 10**8
_ENVIRONMENT = {
    "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",
    "CUDA_VISIBLE_DEVICES": "",
    # A torch with CUDA asks for the user's name when it is imported, and there is no /etc/passwd to tell it.
    "USER": "nobody",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}

Size = Literal["auto", "full"] | Mapping[str, Any]


class TaskError(Exception):
    """A task cannot be used. The findings say why, located in the task file."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        super().__init__("; ".join(f.message for f in findings))
        self.findings = findings


class _WorkerEnded(Exception):
    """The worker is gone, or answered nothing in time."""


class _Slow(_WorkerEnded):
    """It is well, and would have answered in time where less else goes on."""


class ConfinedConversation(Protocol):
    """A confined program that stays: lines in, lines out (`sandbox.confinement.ConfinedProcess`)."""

    async def send(self, line: bytes) -> None: ...
    async def receive(self) -> bytes | None: ...
    def close_stdin(self) -> None: ...
    def kill(self) -> None: ...
    async def wait(self) -> int: ...
    @property
    def log(self) -> bytes: ...


class Starter(Confinement, Protocol):
    """What the reference needs of a sandbox."""

    async def start(
        self,
        argv: Sequence[str],
        *,
        readable: Sequence[Path] = (),
        writable: Sequence[Path] = (),
        environment: Mapping[str, str] | None = None,
        limits: Limits = ...,
    ) -> ConfinedConversation: ...


class Reference:
    """Tasks as the user's own torch sees them. One warm worker, started when no cache knows the answer.

    Any number of questions may be asked at once: `jobs` are worked on, the others wait in the order in which
    they came, and equal ones are asked once. Belongs to one event loop. Close it when done.
    """

    def __init__(
        self,
        interpreter: Path | None,
        confinement: Starter,
        *,
        cache: Path | None = None,
        limits: Limits = REQUEST_LIMITS,
        jobs: int | None = None,
    ) -> None:
        """
        Args:
            interpreter: one that has torch; None: as `chosen_interpreter` finds it.
            cache: folder for answers; None: the user's cache folder.
            limits: of one request.
            jobs: requests worked on at once; None: as many as cores.
        """
        self._path = chosen_interpreter(interpreter)
        self._confinement = confinement
        self._folder = cache
        self._limits = limits
        self._jobs = jobs or os.cpu_count() or 1
        self._turns = asyncio.Semaphore(self._jobs)
        self._starting = asyncio.Lock()
        self._interpreter: Interpreter | None = None
        self._cache: ReferenceCache | None = None
        self._worker: _Worker | None = None
        self._asked: dict[str, asyncio.Task[dict[str, Any]]] = {}
        self._numbers = itertools.count()
        self._closed = False

    async def __aenter__(self) -> "Reference":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def start(self) -> None:
        """Start the worker now, so that the first question need not wait for torch.

        Raises:
            TaskError: ENV_REFERENCE, the interpreter has no torch or does not start.
            ConfinementError: nothing here can confine it.
        """
        await self._open()
        await self._running()

    async def describe(self, task: Task, size: Size = "auto") -> TaskDescription:
        """What the task is at `size`: "auto" by the rules of contracts.md section 2, "full" (nothing is
        allocated where the meta device does), or constants by name, the others in full.

        Raises:
            TaskError: the task, or a size, cannot be used.
            ConfinementError: nothing here can confine the reference.
        """
        request = {"request": "describe", "size": size if isinstance(size, str) else dict(size)}
        return TaskDescription.model_validate(await self._ask(task, request))

    async def trial(
        self, task: Task, description: TaskDescription, *, seed: int, family: str, keep: bool = True
    ) -> Trial:
        """Inputs and expected outputs at the sizes of `description`, under one seed and one family of inputs.

        Args:
            keep: for the next who asks. A seed that was just drawn nobody asks for again: `forget` what it gave.

        Raises:
            TaskError: the task cannot be evaluated at these sizes, or not within the limits.
            ConfinementError: nothing here can confine the reference.
        """
        request = {"request": "trial", "size": _size_of(description), "seed": seed, "family": family}
        answer = await self._ask(task, request, keep=keep)
        return _trial(answer, seed, family)

    async def inputs(self, task: Task, description: TaskDescription) -> DrawnInputs:
        """Inputs, parameters and buffers at the sizes of `description` as the task makes them, nothing computed from them;
        said once and kept.

        Raises:
            TaskError: the task cannot make them at these sizes, or not within the limits.
            ConfinementError: nothing here can confine the reference.
        """
        answer = await self._ask(task, {"request": "inputs", "size": _size_of(description), "seed": 0})
        return DrawnInputs(
            mapping=Path(answer["mapping"]),
            tensors={name: TensorData.model_validate(data) for name, data in answer["tensors"].items()},
        )

    async def screen(self, task: Task, description: TaskDescription) -> Screen:
        """What is weak about the task at the sizes of `description`, and what of its inputs must be read. Said once and kept.

        Raises:
            TaskError: the task cannot be evaluated at these sizes, or not within the limits.
            ConfinementError: nothing here can confine the reference.
        """
        seed = int(hashlib.sha256(task.text.encode()).hexdigest()[:7], 16)
        answer = await self._ask(
            task, {"request": "screen", "size": _size_of(description), "seed": seed, "family": "shifted"}
        )
        return Screen(
            trial=_trial(answer, seed, "shifted"),
            needed={name: TensorData.model_validate(data) for name, data in answer["needed"].items()},
            forward=frozenset(answer["forward"]),
            depends=answer["depends"],
            impulses=answer["impulses"],
            families=tuple(answer["families"]),
            fixed=tuple(answer["fixed"]),
            used=answer["used"],
            weak=tuple(answer["weak"]),
        )

    async def eager_latency(self, task: Task, device: DeviceAccess) -> EagerLatency:
        """Of the task at its full size, on a device that the caller holds; measured once for each task, torch and device.

        Raises:
            NotTimed: torch reaches no GPU, or the task does not run there.
            TaskError: ENV_REFERENCE, the interpreter has no torch or does not start.
            ConfinementError: nothing here can confine the reference.
        """
        interpreter, cache = await self._open()
        if interpreter.cuda is None:
            raise NotTimed(
                f"torch {interpreter.torch} of {interpreter.path} was built without CUDA: install one that has it, or name "
                "another interpreter ([reference] interpreter)"
            )
        on = {"request": "latency", "device": device.name, "driver": device.driver}
        key = cache.key(task.text, task.small, on, interpreter.torch, interpreter.python, _worker_hash())
        stored = await asyncio.to_thread(cache.load, key)
        if stored is not None:
            with contextlib.suppress(ValueError):
                return EagerLatency.model_validate(stored)
        measured = await time_eagerly(
            task, interpreter, WORKER, _ENVIRONMENT, self._confinement, device, int(key[:7], 16)
        )
        await asyncio.to_thread(cache.store, key, measured.model_dump(mode="json"))
        return measured

    def forget(self, trial: Trial) -> None:
        """Remove the tensors of a trial that is not kept; one that is stays."""
        if self._cache is not None and trial.mapping.parent == self._cache.scratch:
            trial.mapping.unlink(missing_ok=True)

    async def close(self) -> None:
        """End the worker and everything it started. The cache stays."""
        self._closed = True
        asked = list(self._asked.values())
        for question in asked:
            question.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
        if self._worker is not None:
            await self._worker.close()
            self._worker = None
        if self._cache is not None:
            await asyncio.to_thread(self._cache.close)
            self._cache = None

    # -- asking

    async def _ask(self, task: Task, request: dict[str, Any], *, keep: bool = True) -> dict[str, Any]:
        if self._closed:
            raise RuntimeError("the reference was closed")
        interpreter, cache = await self._open()
        subject = {"path": str(task.path), "text": task.text, "small": task.small, "requires": task.requires}
        key = cache.key(
            subject["text"],
            task.small,
            task.requires,
            request,
            interpreter.torch,
            interpreter.python,
            _worker_hash(),
        )
        if not keep:
            drawn = asyncio.ensure_future(self._answer(cache, key, subject, request, keep=False))
            number = f"{key}-{next(self._numbers)}"
            self._asked[number] = drawn
            drawn.add_done_callback(lambda done: self._forget(number, done))
            try:
                return await asyncio.shield(drawn)
            except asyncio.CancelledError:
                drawn.add_done_callback(_discard_answer)
                raise
        stored = await asyncio.to_thread(cache.load, key)
        if stored is not None:
            return stored
        question = self._asked.get(key)
        if question is None:
            question = asyncio.ensure_future(self._answer(cache, key, subject, request))
            self._asked[key] = question
            question.add_done_callback(lambda done: self._forget(key, done))
        # Others may wait for the same answer, and it is kept: one who goes away does not stop it.
        return await asyncio.shield(question)

    def _forget(self, key: str, done: "asyncio.Task[dict[str, Any]]") -> None:
        self._asked.pop(key, None)
        if not done.cancelled():
            done.exception()  # seen, even where nobody waits any more

    async def _answer(
        self,
        cache: ReferenceCache,
        key: str,
        subject: dict[str, Any],
        request: dict[str, Any],
        *,
        keep: bool = True,
    ) -> dict[str, Any]:
        number = next(self._numbers)
        message = {
            **request,
            "id": number,
            "task": subject,
            "limits": {"time_s": self._limits.time_s, "memory_mb": self._limits.memory_mb},
        }
        if request["request"] in ("trial", "screen", "inputs"):
            message["output"] = str(cache.scratch / f"{key}-{number}.bin")
        async with self._turns:
            for last in (False, True):
                worker = await self._running()
                try:
                    reply = await worker.ask(message, self._limits.time_s + _GRACE_S)
                    break
                except _WorkerEnded as error:
                    await self._discard(worker)
                    if last:
                        raise TaskError(
                            (_environment(f"the reference process ended twice: {error}", subject["path"]),)
                        ) from None
        if "error" in reply:
            raise TaskError((_located(reply["error"], subject["path"]),))
        answer: dict[str, Any] = reply["result"]
        if not keep:
            return answer
        return await asyncio.to_thread(cache.store, key, answer)

    # -- the worker

    async def _open(self) -> tuple[Interpreter, ReferenceCache]:
        async with self._starting:
            if self._interpreter is None:
                try:
                    self._interpreter = await inspect_interpreter(self._path)
                except InterpreterError as error:
                    raise TaskError((_environment(str(error), str(self._path)),)) from None
            if self._cache is None:
                self._cache = await asyncio.to_thread(
                    ReferenceCache, self._folder or cache_folder("reference")
                )
            return self._interpreter, self._cache

    async def _running(self) -> "_Worker":
        async with self._starting:
            if self._worker is None:
                assert self._interpreter is not None and self._cache is not None
                limits = self._limits.model_copy(
                    update={
                        # One request in each job, and torch itself.
                        "memory_mb": self._limits.memory_mb * self._jobs + 2048,
                        "output_bytes": 64 << 20,
                        "file_mb": max(self._limits.file_mb, 8192),
                    }
                )
                process = await self._confinement.start(
                    [str(self._interpreter.path), "-I", "-B", str(WORKER / "__main__.py"), str(self._jobs)],
                    readable=[*self._interpreter.folders, WORKER],
                    writable=[self._cache.scratch],
                    environment=_ENVIRONMENT,
                    limits=limits,
                )
                worker = _Worker(process)
                try:
                    await worker.greet()
                except BaseException as error:
                    await worker.close()
                    if isinstance(error, _WorkerEnded):
                        remedy = (
                            "nothing is wrong with it: try again when the machine is less busy, with fewer jobs at once "
                            "([limits] jobs), or put the interpreter on a faster disk"
                            if isinstance(error, _Slow)
                            else "repair it or name another one ([reference] interpreter)"
                        )
                        message = f"{self._path}: {error}; {remedy}"
                        raise TaskError((_environment(message, str(self._path)),)) from None
                    raise
                self._worker = worker
            return self._worker

    async def _discard(self, worker: "_Worker") -> None:
        async with self._starting:
            if self._worker is worker:
                self._worker = None
        await worker.close()


class _Worker:
    """One running worker: sends questions, hands each answer to who asked."""

    def __init__(self, process: ConfinedConversation) -> None:
        self._process = process
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._reader: asyncio.Task[None] | None = None

    async def greet(self) -> None:
        """Wait until torch is loaded.

        Raises:
            _WorkerEnded: it has no torch, or ended, or says nothing; _Slow if it is still loading.
        """
        began, cpu_s = time.monotonic(), 0.0
        hello: dict[str, Any] | None = {"loading_cpu_s": 0.0}
        while hello is not None and "loading_cpu_s" in hello:
            cpu_s = hello["loading_cpu_s"]
            waited_s = time.monotonic() - began
            if cpu_s > _LOADING_CPU_S:
                raise _WorkerEnded(f"import torch has taken {cpu_s:.0f} s of the processor and goes on")
            if waited_s > _LOADING_S:
                raise _Slow(
                    f"torch is slow to start: it is not loaded after {waited_s:.0f} s, of which the processor gave it {cpu_s:.1f} s"
                )
            try:
                line = await asyncio.wait_for(self._process.receive(), _SILENT_S)
            except TimeoutError:
                raise _WorkerEnded(f"it has said nothing for {_SILENT_S:g} s while importing torch") from None
            hello = json.loads(line) if line else None
        if hello is None:
            raise _WorkerEnded(self._last_words())
        if hello["torch"] is None:
            raise _WorkerEnded(f"import torch failed: {hello['error']}")
        self._reader = asyncio.ensure_future(self._read())

    async def ask(self, message: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        """Raises _WorkerEnded where no answer comes."""
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        if self._reader is None or self._reader.done():
            raise _WorkerEnded(self._last_words())
        self._waiting[message["id"]] = answer
        try:
            await self._process.send(json.dumps(message).encode())
            return await asyncio.wait_for(answer, timeout_s)
        except (TimeoutError, OSError) as error:
            raise _WorkerEnded(
                f"no answer within {timeout_s:g} s" if isinstance(error, TimeoutError) else str(error)
            ) from None
        finally:
            self._waiting.pop(message["id"], None)

    async def close(self) -> None:
        self._process.kill()
        await self._process.wait()
        if self._reader is not None:
            self._reader.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._reader

    async def _read(self) -> None:
        while (line := await self._process.receive()) is not None:
            reply = json.loads(line)
            answer = self._waiting.get(reply["id"])
            if answer is not None and not answer.done():
                answer.set_result(reply)
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(_WorkerEnded(self._last_words()))

    def _last_words(self) -> str:
        said = self._process.log.decode(errors="replace").strip().rpartition("\n")[2]
        return f"it ended{f': {said}' if said else ''}"


def _size_of(description: TaskDescription) -> Size:
    return "full" if description.size == "full" else dict(description.sizes)


def _trial(answer: Mapping[str, Any], seed: int, family: str) -> Trial:
    expected = tuple(
        Expected(
            **{
                **facts,
                "tensor": TensorData.model_validate(facts["tensor"]),
                **{
                    name: None if facts[name] is None else TensorData.model_validate(facts[name])
                    for name in ("tied", "ranks")
                },
            }
        )
        for facts in answer["expected"]
    )
    if family == "onehot":
        # Equal numbers are rounded to the same side again and again: errors of a sum add up instead of cancelling.
        expected = tuple(
            replace(e, reduction=max(e.reduction, min(e.reduction**2, _MOST_BIASED))) for e in expected
        )
    return Trial(
        mapping=Path(answer["mapping"]),
        tensors={name: TensorData.model_validate(data) for name, data in answer["tensors"].items()},
        scalars={n: tuple(v) if isinstance(v, list) else v for n, v in answer["scalars"].items()},
        expected=expected,
        seed=seed,
        family=family,
        attempt=answer["attempt"],
        precision=answer["precision"],
        input_rms=answer["input_rms"],
    )


def _discard_answer(question: "asyncio.Task[dict[str, Any]]") -> None:
    """Of a trial that nobody waits for any more."""
    if not question.cancelled() and question.exception() is None:
        Path(question.result()["mapping"]).unlink(missing_ok=True)


@cache
def _worker_hash() -> str:
    return ReferenceCache.key("".join(p.read_text(encoding="utf-8") for p in sorted(WORKER.glob("*.py"))))


def _environment(message: str, path: str) -> Finding:
    return finding("ENV_REFERENCE", message, path)


def _located(error: Mapping[str, Any], path: str) -> Finding:
    at = Range(
        line=error["line"], column=error["column"], end_line=error["end_line"], end_column=error["end_column"]
    )
    return finding(error["code"], error["message"], path, at)
