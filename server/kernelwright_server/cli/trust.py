"""`kernelwright trust FOLDER`: the folders whose kernels editors may run, and whose settings may name programs and addresses."""

import argparse
from pathlib import Path

from kernelwright_server.cli.errors import UsageError
from kernelwright_verifier.project.trust import TrustError, distrust, trust, trusted_folders


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder",
        nargs="?",
        type=Path,
        metavar="FOLDER",
        help="the folder to trust (default: list the trusted folders)",
    )
    parser.add_argument("--remove", action="store_true", help="stop trusting the folder")


def run(arguments: argparse.Namespace) -> int:
    folder: Path | None = arguments.folder
    try:
        if folder is None:
            if arguments.remove:
                raise UsageError("--remove needs a folder")
            for trusted in trusted_folders():
                print(trusted)
            return 0
        if arguments.remove:
            if not distrust(folder):
                raise UsageError(f"{folder} is not a trusted folder; 'kernelwright trust' lists them")
            print(f"{folder.resolve()} is no longer trusted")
            return 0
        if not folder.is_dir():
            raise UsageError(f"{folder}: no such folder")
        trust(folder)
    except TrustError as error:
        raise UsageError(str(error)) from None
    print(
        f"{folder.resolve()} is trusted: editors run its kernels in the sandbox, and all settings of its "
        "kernelwright.toml apply"
    )
    return 0
