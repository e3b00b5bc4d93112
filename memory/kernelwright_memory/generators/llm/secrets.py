"""Keys come from the environment and go nowhere else: not into logs, prompts or messages."""

from kernelwright_backends.display.redaction import MARK
from kernelwright_backends.display.redaction import redacted as scrubbed

__all__ = ["MARK", "scrubbed"]
