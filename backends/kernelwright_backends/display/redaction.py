"""What must not be shown: keys and passwords. Every log, message and report goes through here.

Keys come from the environment and go nowhere else. An address may carry a name and a password, or a key among its parameters.
"""

import logging
import os
import re

_NAMES = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL", re.IGNORECASE)
_SHORTEST = 8
# The well-known shapes of keys, whatever variable holds them.
_SHAPES = re.compile(
    r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}|\bAIza[A-Za-z0-9_-]{30,}|\bhf_[A-Za-z0-9]{20,}|\bgh[pousr]_[A-Za-z0-9]{20,}"
    r"|\bAKIA[A-Z0-9]{16}\b|(?i:\bbearer\s+)[A-Za-z0-9._~+/-]{12,}=*"
)
# A password may hold what belongs encoded: then all up to the last `@` goes.
_IN_ADDRESS = re.compile(r"(?<=://)(?:[^\s/?#'\"<>]*|[^\s/:'\"<>]*:[^\s'\"<>]*)@")
_PARAMETER = re.compile(
    r"([?&;][\w.-]*(?:key|token|secret|password|passwd|signature|credential|\bsig)[\w.-]*=)[^\s&;#'\"<>]+",
    re.IGNORECASE,
)
MARK = "[removed]"


def redacted(text: str) -> str:
    """`text` without the values of the environment's keys, without anything that has the shape of one, and its addresses without
    names, passwords and keys."""
    values = {v for name, v in os.environ.items() if _NAMES.search(name) and len(v) >= _SHORTEST}
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, MARK)
    text = _SHAPES.sub(MARK, text)
    if "://" in text:
        text = _PARAMETER.sub(rf"\1{MARK}", _IN_ADDRESS.sub(f"{MARK}@", text))
    return text


class RedactingFormatter(logging.Formatter):
    """A line of a log, and the traceback below it, redacted."""

    def format(self, record: logging.LogRecord) -> str:
        return redacted(super().format(record))
