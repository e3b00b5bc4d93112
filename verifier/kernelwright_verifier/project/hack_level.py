"""How strictly the hack gate judges: a person's own file is not a candidate that somebody else wrote."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator


def _one_name(level: Any) -> Any:
    return "strict" if level == "standard" else level


HackLevel = Annotated[Literal["own", "strict", "off"], BeforeValidator(_one_name)]
"""`own`: what the entry reaches is warned of and the verdict stays; `strict` (also called `standard`): it is refused; `off`."""
