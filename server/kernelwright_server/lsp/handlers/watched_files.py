"""workspace/didChangeWatchedFiles: tasks, headers or configurations changed on disk."""

from lsprotocol import types

from kernelwright_server.session.state import Session


async def handle(session: Session, params: types.DidChangeWatchedFilesParams) -> None:
    await session.files_changed([change.uri for change in params.changes])
