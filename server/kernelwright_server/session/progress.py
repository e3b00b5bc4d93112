"""The progress that the client shows of jobs, and cancels them by."""

from lsprotocol import types

from kernelwright_server.lsp.client import Client
from kernelwright_server.session.jobs import Job, Jobs


class Progress:
    """Which of the client's tokens shows which job."""

    def __init__(self, client: Client, jobs: Jobs) -> None:
        self._client = client
        self._jobs = jobs
        self._tokens: dict[types.ProgressToken, Job] = {}

    async def begin(self, job: Job, token: types.ProgressToken | None) -> types.ProgressToken | None:
        """Show a job's progress, under the client's own token where it gave one; None where the client shows none."""
        begun = await self._client.begin_progress(token, job.title)
        self.assign(begun, job)
        return begun

    def assign(self, begun: types.ProgressToken | None, job: Job) -> None:
        """Let progress that the client shows already be that of `job`."""
        if begun is not None:
            self._tokens[begun] = job

    def report(self, job: Job, message: str) -> None:
        self._jobs.say(job, message)
        for token, owner in self._tokens.items():
            if owner is job:
                self._client.report_progress(token, message)

    def end(self, token: types.ProgressToken | None) -> None:
        if token is not None and self._tokens.pop(token, None) is not None:
            self._client.end_progress(token)

    def end_of(self, job: Job) -> None:
        for token in [t for t, owner in self._tokens.items() if owner is job]:
            self.end(token)

    def cancel(self, token: types.ProgressToken) -> None:
        """The user pressed cancel on a job's progress."""
        job = self._tokens.get(token)
        if job is not None:
            job.cancel()
