"""Everything that the server knows while a client is connected: documents with kernels, jobs, settings, trust.

The handlers translate messages into calls of this; what it has to say goes out through `Client`.
"""

import asyncio
import logging
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from kernelwright_backends.core.available_devices import known, look
from kernelwright_backends.core.finding import Finding
from kernelwright_backends.core.registry import support_of
from kernelwright_backends.core.target import DEFAULT_TARGETS, Dialect, Target
from kernelwright_backends.interfaces.toolchain import ConfinementError
from kernelwright_memory.agent import Improved, Previews
from kernelwright_memory.bank.bank import Memory
from kernelwright_memory.generators.base import Stage
from kernelwright_server.features.assembly import AssemblyDocuments
from kernelwright_server.features.auditing import auditor_of
from kernelwright_server.features.candidates import Candidates
from kernelwright_server.features.draft_refine import look_up, offer, rewrite
from kernelwright_server.features.evidence import EvidenceDocuments
from kernelwright_server.features.fixes import verify_fixes
from kernelwright_server.features.verify import recall, verify_document
from kernelwright_server.lsp.allocation import Collector
from kernelwright_server.lsp.client import Client
from kernelwright_server.lsp.documents import Document
from kernelwright_server.session.jobs import Job, Jobs
from kernelwright_server.session.kernel_document import KernelDocument, includes
from kernelwright_server.session.settings import Settings, settings_for
from kernelwright_server.views.diagnostics import document_findings
from kernelwright_verifier.pipeline.options import VerifyOptions
from kernelwright_verifier.project.config import Configuration
from kernelwright_verifier.project.trust import is_trusted
from kernelwright_verifier.results.cache import VerdictCache
from kernelwright_verifier.results.verdict import Verdict
from kernelwright_verifier.task.plan import Plan
from kernelwright_verifier.verifier import Verifier

if TYPE_CHECKING:
    from kernelwright_server.lsp.server import KernelwrightServer

logger = logging.getLogger(__name__)

# A driver that is stuck holds up no verification: what it has then is said when it answers.
_DEVICE_PATIENCE_S = 3.0
# After an edit, findings that need no run (a directive that cannot be read) are shown when typing pauses.
_PAUSE_S = 0.3


class Session:
    def __init__(self, server: "KernelwrightServer") -> None:
        self.client = Client(server)
        self.documents = server.documents
        self.jobs = Jobs(self._jobs_changed, self._job_failed)
        self.candidates = Candidates()
        self.evidence = EvidenceDocuments()
        self.assemblies = AssemblyDocuments()
        self.turns = asyncio.Semaphore(os.cpu_count() or 1)
        """Verifications that run at once, over all documents."""
        self.review = server.options.get("review") is True
        self.editor_models = server.options.get("models") is True
        # What the client says of trust wins over the user's list; one that says nothing leaves it to that.
        self._trusted: bool | None = (
            server.options["trusted"] is True if "trusted" in server.options else None
        )
        self._kernels: dict[str, KernelDocument] = {}
        self._editor: dict[str, Mapping[str, Any]] = {}
        self._verifiers: dict[str, Verifier] = {}
        self._memories: dict[str | None, Memory] = {}
        self.previews = Previews()
        self._pauses: dict[str, asyncio.TimerHandle] = {}
        self._said: set[str] = set()
        self._tokens: dict[types.ProgressToken, Job] = {}
        self._background: set[asyncio.Task[None]] = set()
        self._fix_tasks: dict[tuple[str, str | None], asyncio.Task[None]] = {}
        self._asking: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._configuration_files: set[str] = set()
        self._task_files: set[str] = set()
        self._looking: asyncio.Task[None] | None = None
        self._closed = False
        self._collector = Collector()

    # ---- life

    async def start(self) -> None:
        """After `initialized`: say what we want to hear of, and look at what is open already."""
        await self.client.register()
        self._looking = asyncio.create_task(self._look_for_devices())
        self._background.add(self._looking)
        self._looking.add_done_callback(self._background.discard)
        await self.configuration_changed()
        self._jobs_changed()

    async def _look_for_devices(self) -> None:
        """What `auto` stands for on this machine, for all documents."""
        here = [await asyncio.to_thread(look, dialect) for dialect in DEFAULT_TARGETS]
        if any(found.name for found in here):
            for kernel in self._kernels.values():
                kernel.plan_again()
                self.publish(kernel)
                self.recall(kernel)

    async def looked_for_devices(self) -> None:
        """Wait until it is known whether there is a device, but not long."""
        if self._looking is not None:
            await asyncio.wait([self._looking], timeout=_DEVICE_PATIENCE_S)

    async def close(self) -> None:
        """Cancel all jobs and wait until their processes are gone."""
        self._closed = True
        for pause in self._pauses.values():
            pause.cancel()
        await self.jobs.close()
        for task in self._background:
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)
        # A message that came just before this may still ask for one.
        while self._verifiers:
            await self._verifiers.popitem()[1].close()
        await self.previews.close()

    # ---- trust and settings

    def trusted(self, document: Document) -> bool:
        return is_trusted(document.path) if self._trusted is None else self._trusted

    def _believes(self, document: Document) -> bool:
        """Whether what the files around a document name may be run or sent to: a client's trust is of what is open in it as a
        folder, not of the settings beside any file that is looked at."""
        inside = not self.client.has_folders or self.client.workspace_of(document.path) is not None
        return self.trusted(document) and (inside or is_trusted(document.path))

    async def set_trusted(self, trusted: bool) -> None:
        self._trusted = trusted
        if not trusted:
            await self._stop_everything()
        await self.configuration_changed()
        self._jobs_changed()

    async def _stop_everything(self) -> None:
        """End what runs, and what is kept warm of it, down to the processes."""
        for job in self.jobs.running:
            job.cancel()
        stopped = [task for task in self._background if task is not self._looking]
        for task in stopped:
            task.cancel()
        self._fix_tasks.clear()
        self._asking.clear()
        await asyncio.gather(*stopped, return_exceptions=True)
        await self.jobs.ended()
        while self._verifiers:
            await self._verifiers.popitem()[1].close()

    async def configuration_changed(self) -> None:
        """Ask the client for its settings again and look at all documents in their light."""
        self._editor.clear()
        for document in self.documents:
            kernel = await self.open(document)
            if kernel is not None:
                self.publish(kernel)
                self.recall(kernel)
        self.client.refresh_lenses()

    async def _settings(self, document: Document) -> Settings:
        if document.uri not in self._editor:
            self._editor[document.uri] = await self.client.configuration(document.uri)
        settings = settings_for(
            document.path,
            self._editor[document.uri],
            trusted=self._believes(document),
            workspace=self.client.workspace_of(document.path),
        )
        for mistake in settings.mistakes:
            if mistake not in self._said:
                self._said.add(mistake)
                self.client.show_warning(mistake)
        return settings

    # ---- documents

    async def open(self, document: Document) -> KernelDocument | None:
        """The kernels of an open document, with the settings of this moment; None if it holds none."""
        settings = await self._settings(document)
        if self.documents.find(document.uri) is not document:
            return None
        kernel = self._kernels.get(document.uri)
        if kernel is None or kernel.document is not document:
            kernel = KernelDocument.of(document, settings)
            if kernel is None:
                return None
            self._kernels[document.uri] = kernel
        kernel.settings = settings
        return kernel

    def close_document(self, uri: str) -> None:
        self.jobs.cancel(uri)
        self._editor.pop(uri, None)
        if (pause := self._pauses.pop(uri, None)) is not None:
            pause.cancel()
        if self._kernels.pop(uri, None) is not None:
            self.client.publish(uri, [], None)

    def knows(self, document: Document) -> bool:
        """Whether the document was found to hold kernels."""
        return document.uri in self._kernels

    async def find(self, uri: str) -> KernelDocument | None:
        """The kernels of an open document by its address."""
        kernel = self._kernels.get(uri)
        if kernel is not None and kernel.document is self.documents.find(uri):
            return kernel
        document = self.documents.find(uri)
        return await self.open(document) if document is not None else None

    def edited(self, uri: str) -> None:
        """The text changed; what can be said of it without running anything is said when typing pauses."""
        if (pause := self._pauses.pop(uri, None)) is not None:
            pause.cancel()

        def look() -> None:
            self._pauses.pop(uri, None)
            kernel = self._kernels.get(uri)
            if kernel is not None and not self._closed:
                self.publish(kernel)

        if uri in self._kernels:
            self._pauses[uri] = asyncio.get_running_loop().call_later(_PAUSE_S, look)

    async def saved(self, uri: str) -> None:
        """Verify the document, and the open ones that include it."""
        kernel = await self.find(uri)
        if kernel is not None:
            kernel.settings = await self._settings(kernel.document)
            self.publish(kernel)
        saved = self.documents.find(uri)
        path = saved.path if saved is not None else None
        texts = {d.path: d.text for d in self.documents}
        for other in list(self._kernels.values()):
            if other is kernel:
                self._verify_if_wanted(other)
            elif path is not None and includes(other, path, texts):
                other.forget_plans()
                self._verify_if_wanted(other)

    async def files_changed(self, uris: list[str]) -> None:
        """Files changed on disk: tasks, headers, configurations."""
        if any(uri.endswith("kernelwright.toml") for uri in uris):
            await self.configuration_changed()
        for kernel in list(self._kernels.values()):
            kernel.forget_plans()
            self.publish(kernel)
        self.client.refresh_lenses()

    def _verify_if_wanted(self, kernel: KernelDocument) -> None:
        if kernel.settings.verify_on_save and self.trusted(kernel.document):
            self.verify(kernel, None)

    def verify(
        self,
        kernel: KernelDocument,
        entry: str | None,
        target: str | None = None,
        *,
        again: bool = False,
        options: VerifyOptions = VerifyOptions(),
    ) -> None:
        """Start the verification of a document, or of one entry of it, in place of the one that runs.

        Args:
            again: also where the answer is known.
        """
        if not self.trusted(kernel.document):
            return
        about = entry, target, kernel.plans()
        running = self.jobs.find(kernel.uri, "verify")
        if not again and running is not None and running.current and _same(running.about, about):
            return  # saved again, unchanged
        for key in [key for key in self._fix_tasks if key[0] == kernel.uri]:
            self._fix_tasks.pop(key).cancel()
        job = self.jobs.start(
            kernel.uri,
            "verify",
            f"Verifying {kernel.path.name}",
            lambda job: verify_document(self, kernel, job, entry, target, again=again, options=options),
        )
        if job is not None and not again:
            job.about = about

    def verify_when(self, kernel: KernelDocument, text: str) -> None:
        """Verify a document as soon as its buffer holds `text`, which the client was told to make of it."""

        async def wait(job: Job) -> None:
            for _ in range(100):
                if kernel.document.text == text:
                    break
                await asyncio.sleep(0.05)
            await verify_document(self, kernel, job, None, None, again=False)

        if self.trusted(kernel.document):
            self.jobs.start(kernel.uri, "verify", f"Verifying {kernel.path.name}", wait)

    async def rewrite(
        self, kernel: KernelDocument, plan: Plan, stage: Stage, token: types.ProgressToken | None
    ) -> None:
        """Start drafting or refining, under the client's token for progress if it gave one."""
        title = f"{'Drafting' if stage == 'draft' else 'Refining'} {plan.entry_name}"
        # The client learns that work began before it hears that its command was taken.
        begun = await self.client.begin_progress(token, title)

        async def work(job: Job) -> None:
            if begun is not None:
                self._tokens[begun] = job
            await rewrite(self, kernel, job, plan, stage)

        # Trust may have been taken back while the client was asked.
        trusted = self.trusted(kernel.document)
        job = self.jobs.start(kernel.uri, "agent", title, work, plan.entry_name) if trusted else None
        if job is None:
            self.client.end_progress(begun)
        elif begun is not None:
            self._tokens[begun] = job

    def start_offer(self, kernel: KernelDocument, plan: Plan, stage: Stage, best: Improved) -> None:
        """Offer a candidate outside of the job that found it, which may be cancelled at this moment."""
        if not self._closed:
            task = asyncio.create_task(offer(self, kernel, plan, stage, best))
            self._background.add(task)
            task.add_done_callback(self._background.discard)

    def look_up(self, kernel: KernelDocument, plan: Plan) -> None:
        """Ask the memory, in the background, what it holds for an entry: its hover shows it."""
        if not self._closed and plan.task is not None and plan.entry_name is not None:
            task = asyncio.create_task(look_up(self, kernel, plan))
            self._background.add(task)
            task.add_done_callback(self._background.discard)

    def open_and_trusted(self, kernel: KernelDocument) -> bool:
        return self._kernels.get(kernel.uri) is kernel and self.trusted(kernel.document)

    # ---- progress

    async def begin_progress(self, job: Job, token: types.ProgressToken | None) -> types.ProgressToken | None:
        begun = await self.client.begin_progress(token, job.title)
        if begun is not None:
            self._tokens[begun] = job
        return begun

    def report_progress(self, job: Job, message: str) -> None:
        self.jobs.say(job, message)
        for token, owner in self._tokens.items():
            if owner is job:
                self.client.report_progress(token, message)

    def end_progress(self, token: types.ProgressToken | None) -> None:
        if token is not None and self._tokens.pop(token, None) is not None:
            self.client.end_progress(token)

    def end_progress_of(self, job: Job) -> None:
        for token in [t for t, owner in self._tokens.items() if owner is job]:
            self.end_progress(token)

    def cancel_progress(self, token: types.ProgressToken) -> None:
        """The user pressed cancel on a job's progress."""
        job = self._tokens.get(token)
        if job is not None:
            job.cancel()

    # ---- what is kept warm

    def verifier(self, kernel: KernelDocument) -> Verifier:
        """The verifier of a document's configuration; documents under the same one share it."""
        configuration = kernel.settings.configuration
        key = _verifier_key(configuration)
        if key not in self._verifiers:
            self._verifiers[key] = Verifier(
                configuration,
                auditor=auditor_of(configuration),
                cache=VerdictCache(limit_mb=configuration.cache.verdicts_mb),
            )
        return self._verifiers[key]

    def warm(self, kernel: KernelDocument) -> None:
        """Start what the first save would have to wait for: the reference, the compiler's precompiled headers."""
        key = _verifier_key(kernel.settings.configuration)
        if key in self._verifiers or self._closed or not self.trusted(kernel.document):
            return
        task = asyncio.ensure_future(self._prepare(self.verifier(kernel), kernel.dialect))
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _prepare(self, verifier: Verifier, dialect: Dialect) -> None:
        await verifier.prepare()
        await self.looked_for_devices()
        device = known(dialect).target
        if device is not None:
            await verifier.prepare(device)

    def verify_fixes(self, kernel: KernelDocument, plan: Plan, verdict: Verdict) -> None:
        """Try out, in the background, what repairs the verdict's findings have; a newer text stops it."""
        if self._closed or not self.trusted(kernel.document):
            return
        key = kernel.uri, plan.entry_name
        if (older := self._fix_tasks.pop(key, None)) is not None:
            older.cancel()
        task = asyncio.create_task(verify_fixes(self, kernel, plan, verdict))
        self._fix_tasks[key] = task
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    def ask_nvcc(self, kernel: KernelDocument, target: Target) -> None:
        """Ask NVIDIA's compiler, in the background and once for each text, what the kernels take: their hovers show it."""
        candidate, index, architecture = kernel.candidate, kernel.index, target.architecture
        if (
            self._closed
            or support_of(target.dialect).second_opinion is None
            or not self.trusted(kernel.document)
        ):
            return
        if (candidate.text, architecture) in kernel.compiled:
            return
        if (older := self._asking.pop((kernel.uri, architecture), None)) is not None:
            older.cancel()
        kernel.compiled[candidate.text, architecture] = None

        async def ask() -> None:
            try:
                # Who types and points at the same time does not start a compiler for every key.
                await asyncio.sleep(_PAUSE_S)
                told = await self.verifier(kernel).opinion(candidate, index, target)
            except (ConfinementError, asyncio.CancelledError) as error:
                kernel.compiled.pop((candidate.text, architecture), None)
                if isinstance(error, asyncio.CancelledError):
                    raise
                logger.info("nvcc was not run: %s", error)
                return
            kernel.note_compiled(candidate.text, architecture, told.kernels if told is not None else {})

        task = self._asking[kernel.uri, architecture] = asyncio.create_task(ask())
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    def recall(self, kernel: KernelDocument) -> None:
        """Show, in the background, what earlier verifications of the same contents said: by whom ever they were asked for."""
        if not self._closed and self.trusted(kernel.document):
            task = asyncio.create_task(recall(self, kernel))
            self._background.add(task)
            task.add_done_callback(self._background.discard)

    def memory(self, kernel: KernelDocument) -> Memory:
        uri = kernel.settings.configuration.memory.uri
        if uri not in self._memories:
            self._memories[uri] = Memory(uri)
        return self._memories[uri]

    # ---- what the client sees

    def publish(self, kernel: KernelDocument) -> None:
        """Send the findings of a document as they are now."""
        if self._kernels.get(kernel.uri) is not kernel:
            return
        findings = document_findings(kernel, trusted=self.trusted(kernel.document))
        kernel.published = findings
        self.client.publish(kernel.uri, findings, kernel.document)
        self._publish_configuration(kernel.settings.findings)
        self._publish_tasks()

    def _publish_tasks(self) -> None:
        """What is weak about a task stands in the task's own file as well, whichever open kernels name it."""
        from pygls.uris import from_fs_path

        by_file: dict[str, list[Finding]] = {uri: [] for uri in self._task_files}
        for kernel in self._kernels.values():
            for outcome in kernel.outcomes.values():
                for finding in outcome.findings:
                    uri = from_fs_path(finding.path) if finding.code.startswith("TASK_") else None
                    if uri is not None and uri != kernel.uri and finding not in by_file.setdefault(uri, []):
                        by_file[uri].append(finding)
        for uri, found in by_file.items():
            if found or uri in self._task_files:
                self.client.publish(uri, found, self.documents.find(uri))
        self._task_files = {uri for uri, found in by_file.items() if found}

    def _publish_configuration(self, findings: tuple[Finding, ...]) -> None:
        """Mistakes of kernelwright.toml stand in that file, and go when they are repaired."""
        from pygls.uris import from_fs_path

        by_file: dict[str, list[Finding]] = {uri: [] for uri in self._configuration_files}
        for finding in findings:
            uri = from_fs_path(finding.path)
            if uri is not None:
                by_file.setdefault(uri, []).append(finding)
        for uri, found in by_file.items():
            self.client.publish(uri, found, self.documents.find(uri))
        self._configuration_files = {uri for uri, found in by_file.items() if found}

    def _job_failed(self, job: Job, error: Exception) -> None:
        while isinstance(error, ExceptionGroup):
            error = error.exceptions[0]
        first = (str(error).strip() or "no details are available").splitlines()[0]
        self.client.show_warning(
            f"{job.title} failed with an internal error of Kernelwright; see the log ({type(error).__name__}: "
            f"{first})"
        )

    def _jobs_changed(self) -> None:
        self._collector.work_ended()
        running = self.jobs.running
        if self._closed:
            return
        if running:
            newest = running[-1]
            message = f"{newest.title}: {newest.message}" if newest.message else newest.title
            self.client.status("busy", message, len(running))
            return
        documents = [k.document for k in self._kernels.values()]
        untrusted = any(not self.trusted(d) for d in documents) if documents else not self._trusted
        if untrusted:
            self.client.status("untrusted", "nothing runs because the workspace is not trusted", 0)
        else:
            self.client.status("idle", "", 0)


def _same(one: object, other: tuple[object, object, object]) -> bool:
    """Of the same plans: those of the same text whose task and headers nobody has said to have changed."""
    return isinstance(one, tuple) and one[:2] == other[:2] and one[2] is other[2]


def _verifier_key(configuration: Configuration) -> str:
    around = configuration.folder, configuration.top, configuration.trusted
    return f"{around}\n{configuration.model_dump_json()}"
