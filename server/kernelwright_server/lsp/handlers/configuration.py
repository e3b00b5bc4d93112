"""workspace/didChangeConfiguration: the settings are asked for again."""

from lsprotocol import types

from kernelwright_server.session.state import Session


async def handle(session: Session, params: types.DidChangeConfigurationParams) -> None:
    del params  # what clients send along differs; the answer to workspace/configuration does not
    await session.configuration_changed()
