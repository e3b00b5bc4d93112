"""What the layers log, shown on standard error where the user asks for it (`-v`)."""

import logging
import sys

from kernelwright_backends.display.redaction import RedactingFormatter

# One logger for each layer; its modules log below it, by their own names.
LAYERS = ("kernelwright_backends", "kernelwright_verifier", "kernelwright_memory", "kernelwright_server")


def show_layers(level: int = logging.INFO) -> None:
    """Print what all layers log from `level` on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(RedactingFormatter("%(message)s"))
    for name in LAYERS:
        logger = logging.getLogger(name)
        logger.setLevel(level)
        logger.addHandler(handler)
        # With KERNELWRIGHT_DEBUG the root logger prints too.
        logger.propagate = False
