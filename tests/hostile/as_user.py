"""Runs a command as an ordinary user of this machine, one without a name, who sees what root gave it.

    python as_user.py UID HOME SHOWN... -- COMMAND...

For tests that root runs: of root's own folders the user sees those named, read-only and as its own; HOME is given to it. The
namespaces are this process' own, so that nothing of the machine changes.
"""

import os
import signal
import sys
from pathlib import Path

KERNEL = Path(__file__).resolve().parents[2] / "verifier/kernelwright_verifier/sandbox/starter"
sys.path.append(str(KERNEL.parent))
kernel = __import__("starter.kernel", fromlist=["kernel"])
nobody = __import__("starter.nobody", fromlist=["nobody"])


def namespace(uid: int) -> int:
    """Of a user namespace that maps root's files to the user's, for mounts alone."""
    ready, ring = os.pipe()
    holder = os.fork()
    if holder == 0:
        kernel.unshare(kernel.CLONE_NEWUSER)
        os.write(ring, b"\n")
        signal.pause()
    os.read(ready, 1)
    for name in ("uid_map", "gid_map"):
        Path(f"/proc/{holder}/{name}").write_text(f"0 {uid} 1")
    found = os.open(f"/proc/{holder}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    os.kill(holder, signal.SIGKILL)
    os.waitpid(holder, 0)
    return found


def closed_to_others(path: Path) -> Path | None:
    """The outermost folder on the way to a path that others may not enter."""
    return next((folder for folder in reversed(path.parents) if not folder.stat().st_mode & 0o001), None)


def show(paths: list[Path], identity: int) -> None:
    trees = {}
    for path in paths:
        tree = kernel.clone_of_mount(str(path))
        kernel.set_mount(tree, kernel.ATTR_RDONLY, recursive=True)
        if not kernel.set_mount(tree, kernel.ATTR_IDMAP, identity, recursive=False):
            raise SystemExit(f"the file system of {path} cannot map owners")
        trees[path] = tree
    os.umask(0o022)
    for folder in {closed_to_others(path) for path in paths} - {None}:
        kernel.mount("tmpfs", str(folder), 0, "mode=0755")
    for path, tree in trees.items():
        path.mkdir(parents=True, exist_ok=True)
        place = os.open(path, os.O_PATH | os.O_DIRECTORY)
        kernel.attach_mount(tree, place)
        os.close(place)


def main() -> None:
    uid, home = int(sys.argv[1]), sys.argv[2]
    shown = [Path(path).resolve() for path in sys.argv[3 : sys.argv.index("--")]]
    identity = namespace(uid)
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.make_mounts_private()
    show(shown, identity)
    os.chown(home, uid, uid)
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    os.chdir(home)
    os.umask(0o077)
    command = sys.argv[sys.argv.index("--") + 1 :]
    environment = {"HOME": home, "TMPDIR": home, "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
    kept = ("PATH", "KERNELWRIGHT_REFERENCE_PYTHON", "KERNELWRIGHT_HOSTILE_AS_USER")
    environment |= {name: os.environ[name] for name in kept if name in os.environ}
    os.execvpe(command[0], command, environment)


if __name__ == "__main__":
    main()
