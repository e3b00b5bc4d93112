"""window/workDoneProgress/cancel: the user cancelled a job."""

from lsprotocol import types

from kernelwright_server.session.state import Session


async def handle(session: Session, params: types.WorkDoneProgressCancelParams) -> None:
    session.progress.cancel(params.token)
