"""Keys come from the environment and go nowhere else: not into logs, prompts or messages."""

import os
import re

_NAMES = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL", re.IGNORECASE)
_SHORTEST = 8
# The well-known shapes of keys, whatever variable holds them.
_SHAPES = re.compile(
    r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}|\bAIza[A-Za-z0-9_-]{30,}|\bhf_[A-Za-z0-9]{20,}|\bgh[pousr]_[A-Za-z0-9]{20,}"
    r"|\bAKIA[A-Z0-9]{16}\b|(?i:\bbearer\s+)[A-Za-z0-9._~+/-]{12,}=*"
)
MARK = "[removed]"


def scrubbed(text: str) -> str:
    """`text` without the values of the environment's keys, and without anything that has the shape of one."""
    values = {v for name, v in os.environ.items() if _NAMES.search(name) and len(v) >= _SHORTEST}
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, MARK)
    return _SHAPES.sub(MARK, text)
