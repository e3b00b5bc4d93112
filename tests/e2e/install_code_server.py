"""Install what the tests in a real VS Code need: node 24 and code-server, in the user's cache folder.

    python tests/e2e/install_code_server.py

code-server 4.139.1 is VS Code 1.139.1. It takes about 2 minutes and 0.8 GB, once; the folder is
`$XDG_CACHE_HOME/kernelwright-tests` and may be deleted at any time. The headers that its native modules are built from are
the Makefile's to install.

Versions and hashes of all that is installed stand in `locks/`. A lock is made anew in its folder, with the new version named:
`npm install --package-lock-only --ignore-scripts --save-exact --omit-lockfile-registry-resolved PACKAGE@VERSION`.
Standard library only: `make test` may run it before the virtual environment is complete.
"""

import fcntl
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

CODE_SERVER = "4.139.1"
NODE = "24"


_LOCKS = Path(__file__).parent / "locks"


class InstallError(Exception):
    """What is missing, and what to do about it, in one line."""


def cache_folder() -> Path:
    """Where the editors live: outside of the checkout, since CI starts from a fresh clone."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "kernelwright-tests"


def node_folder() -> Path:
    """Node 24 with the headers that native modules are built against: npm's package for this machine."""
    return cache_folder() / f"node{NODE}" / "node_modules" / _node_package()


def node_program() -> Path:
    return node_folder() / "bin" / "node"


def _node_package() -> str:
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    return f"node-linux-{machine}"


def code_server_folder() -> Path:
    return cache_folder() / f"code-server-{CODE_SERVER}"


def code_server_entry() -> Path:
    return code_server_folder() / "node_modules" / "code-server" / "out" / "node" / "entry.js"


def _complete_mark() -> Path:
    return code_server_folder() / "complete"


def installed() -> bool:
    """True if node and code-server are there and the installation ran to its end."""
    return node_program().is_file() and code_server_entry().is_file() and _complete_mark().is_file()


def install() -> None:
    """Install node and code-server, unless they are there; a second caller waits for the first.

    Raises:
        InstallError: npm is missing, or a step failed; the message holds the last lines of its output.
    """
    cache_folder().mkdir(parents=True, exist_ok=True)
    with (cache_folder() / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if installed():
            return
        if shutil.which("npm") is None:
            raise InstallError(
                "the tests in VS Code need npm (20 or later): install node.js and npm and try again"
            )
        _npm_install(cache_folder() / f"node{NODE}", _node_package(), dict(os.environ), "--ignore-scripts")
        # Without nodedir npm would download the headers from elsewhere; the scripts that npm runs must find this
        # node, not the system's.
        environment = {
            **os.environ,
            "PATH": f"{node_folder() / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "npm_config_nodedir": str(node_folder()),
        }
        # With its scripts: they build its native modules (terminals, keyrings, watching files), without which it does not start.
        _npm_install(code_server_folder(), "code-server", environment)
        _complete_mark().touch()


def _npm_install(folder: Path, package: str, environment: dict[str, str], *options: str) -> None:
    """What the lock of `package` says, each file held to its hash."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copyfile(_LOCKS / package / name, folder / name)
    _run(["npm", "ci", "--no-fund", "--no-audit", "--loglevel=error", *options], environment, folder)


def _run(command: list[str], environment: dict[str, str], folder: Path | None = None) -> None:
    result = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        tail = "\n".join(result.stdout.splitlines()[-15:])
        raise InstallError(f"'{' '.join(command)}' failed with status {result.returncode}:\n{tail}")


def main() -> int:
    try:
        install()
    except InstallError as error:
        print(f"install_code_server: {error}", file=sys.stderr)
        return 1
    print(f"code-server {CODE_SERVER} is in {code_server_folder()}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
