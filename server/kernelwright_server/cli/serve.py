"""`kernelwright serve`: the language server over standard input and output."""

import argparse
import gc
import logging
import sys

from kernelwright_backends.display.redaction import RedactingFormatter

_SWITCH_S = 0.0005


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--stdio",
        action="store_true",
        help="accepted for compatibility; the server always uses standard input and output",
    )
    parser.add_argument("--log-level", choices=("debug", "info", "warning", "error"), default="info")


def run(arguments: argparse.Namespace) -> int:
    # What is imported stays: until all of it is there, the collector would go through it again and again.
    gc.disable()
    from kernelwright_server.lsp.server import make_server

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(RedactingFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=arguments.log_level.upper(), handlers=[handler])
    # At INFO pygls logs initializationOptions and everything that is sent, keys and all.
    logging.getLogger("pygls").setLevel(logging.WARNING)
    # A thread that computes or imports would keep the loop waiting for 5 ms each time that it needs the interpreter.
    sys.setswitchinterval(_SWITCH_S)
    make_server().start_io()
    return 0
