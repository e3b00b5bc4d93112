"""kernelwright/trust: the user begins, or ceases, to trust the workspace."""

from typing import Any

from kernelwright_server.session.state import Session


async def handle(session: Session, params: Any) -> None:
    trusted = params.get("trusted") if isinstance(params, dict) else getattr(params, "trusted", None)
    await session.set_trusted(trusted is True)
