"""Makes of root somebody who owns nothing on this machine and may still read and write what a launch is given.

A user namespace knows one uid, nobody's, and calls it 0. What is given is seen through mounts that show root's files as that
uid's: it reads what root alone may read, below folders that root alone may enter, and what it writes is root's on the disk. No
mode and no owner of a file is changed, but where a file system cannot show owners so.
"""

# Importing pathlib and contextlib would cost more than all that is done here.
# ruff: noqa: PTH102, PTH103, PTH116, PTH120, PTH123, PTH208, PTH211
import os
import resource
import signal
import stat

from . import kernel

READABLE, WRITABLE, DEVICE = "readable", "writable", "device"
_PLACE = "/tmp"  # covered for this process and its children alone
_SIZE = "size=1m,nr_inodes=4096,mode=0755"


class Impossible(Exception):
    """Root cannot become nobody here; the message says why."""


class Identity:
    """Nobody, not yet used: a uid, and the descriptor of a user namespace in which it is known, as 0."""

    def __init__(self, uid: int, count: int = 1) -> None:
        """Make the namespace.

        Args:
            count: of uids that are known there, `uid` the first: more than one where a program of ours gives its forks others.

        Raises:
            Impossible: user namespaces are not to be had.
        """
        self.uid = uid
        self.namespace = _namespace(uid, count)

    def close(self) -> None:
        os.close(self.namespace)


def _namespace(uid: int, count: int) -> int:
    ready, ring = os.pipe()
    parent = os.getpid()
    holder = os.fork()
    if holder == 0:
        try:
            kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() == parent:
                kernel.unshare(kernel.CLONE_NEWUSER)
                os.write(ring, b"\n")
                while True:
                    signal.pause()
        finally:
            os._exit(1)
    try:
        os.close(ring)
        if not os.read(ready, 1):
            raise Impossible("user namespaces are off")
        for name in ("uid_map", "gid_map"):
            with open(f"/proc/{holder}/{name}", "w") as file:
                file.write(f"0 {uid} {count}")
        return os.open(f"/proc/{holder}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise Impossible(f"no user can be mapped ({error.strerror})") from None
    finally:
        os.close(ready)
        os.kill(holder, signal.SIGKILL)
        os.waitpid(holder, 0)


def become(identity: Identity, tasks: int) -> None:
    """Be nobody: this process has no other uid, rights only in its own namespace, and with its children so many tasks."""
    os.setgroups([])
    kernel.setns(identity.namespace, kernel.CLONE_NEWUSER)
    os.setresgid(0, 0, 0)
    os.setresuid(0, 0, 0)
    identity.close()
    # The kernel counts those of one uid, which no other launch has, and of root none.
    resource.setrlimit(resource.RLIMIT_NPROC, (tasks, tasks))


def stage(paths: "list[tuple[str, str]]", identity: Identity) -> "list[str]":
    """Show each path, with its use, under a name of its own, which is returned; for this process and its children alone.

    Raises:
        Impossible: one of them cannot be shown to nobody.
        OSError: one of them does not exist.
    """
    _own_mounts()
    given: list[int] = []
    trees = _trees(paths, identity.namespace, given)
    mask = os.umask(0)
    _cover(kernel.MS_NOEXEC)
    try:
        places = [f"{_PLACE}/{number}" for number in range(len(paths))]
        for place, tree, (path, _) in zip(places, trees, paths, strict=True):
            _show(path, tree, place)
    except Impossible:
        _uncover()
        raise
    finally:
        os.umask(mask)
    _give(given, identity.uid)
    return places


def enter_view(paths: "list[tuple[str, str]]", links: "dict[str, str]", identity: Identity) -> None:
    """Make a root that holds the paths under their own names, the links, an own /proc, and nothing else.

    Raises:
        Impossible: see `stage`.
        OSError: see `stage`.
    """
    _own_mounts()
    shown = sorted(paths, key=lambda entry: entry[0].count("/"))
    given: list[int] = []
    trees = _trees(shown, identity.namespace, given)
    mask = os.umask(0)
    _cover(0)
    try:
        # All names first, as long as nothing is mounted: a link in what is mounted would lead to elsewhere.
        for (path, _), tree in zip(shown, trees, strict=True):
            os.makedirs(f"{_PLACE}{os.path.dirname(path)}", 0o755, exist_ok=True)
            if tree is None:
                _make_node(path, _PLACE + path)
            else:
                _make_place(tree, _PLACE + path)
        for path, target in links.items():
            os.makedirs(f"{_PLACE}{os.path.dirname(path)}", 0o755, exist_ok=True)
            if not os.path.lexists(_PLACE + path):
                os.symlink(target, _PLACE + path)
        _mount_proc(f"{_PLACE}/proc")
    except Impossible:
        _uncover()
        raise
    finally:
        os.umask(mask)
    _give(given, identity.uid)
    for (path, _), tree in zip(shown, trees, strict=True):
        if tree is not None:
            _attach(tree, path)
    kernel.enter_root(_PLACE)


def _cover(flags: int) -> None:
    try:
        kernel.mount("tmpfs", _PLACE, kernel.MS_NOSUID | flags, _SIZE)
    except OSError as error:
        raise Impossible(f"mounting is not permitted ({error.strerror})") from None


def _uncover() -> None:
    kernel.libc.umount2(os.fsencode(_PLACE), kernel.MNT_DETACH)


def _mount_proc(place: str) -> None:
    os.mkdir(place, 0o755)
    harmless = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
    try:
        # Of other users' processes nothing is shown.
        kernel.mount("proc", place, harmless, "hidepid=2")
    except OSError as error:
        raise Impossible(f"/proc cannot be mounted ({error.strerror})") from None


def _own_mounts() -> None:
    try:
        kernel.unshare(kernel.CLONE_NEWNS)
        kernel.make_mounts_private()
    except OSError as error:
        raise Impossible(f"mounting is not permitted ({error.strerror})") from None


def _trees(paths: "list[tuple[str, str]]", namespace: int, given: "list[int]") -> "list[int | None]":
    """A detached mount of each path; None for a device that needs a node of its own. To `given`: what is to be nobody's own."""
    return [_device(path) if use == DEVICE else _tree(path, use, namespace, given) for path, use in paths]


def _device(path: str) -> "int | None":
    """The device file itself where everybody may use it, as that of a GPU; None where it is root's alone."""
    return kernel.clone_of_mount(path) if os.stat(path).st_mode & 0o006 == 0o006 else None


def _give(trees: "list[int]", uid: int) -> None:
    """Not before it is known that all can be shown."""
    for tree in trees:
        os.chown(f"/proc/self/fd/{tree}", uid, uid)


def _tree(path: str, use: str, namespace: int, given: "list[int]") -> int:
    try:
        tree = kernel.clone_of_mount(path)
    except OSError as error:
        if isinstance(error, (FileNotFoundError, NotADirectoryError)):
            raise
        raise Impossible(f"{path} cannot be mounted ({error.strerror})") from None
    harmless = kernel.ATTR_NOSUID | kernel.ATTR_NODEV
    if use == READABLE:
        harmless |= kernel.ATTR_RDONLY
    if not kernel.set_mount(tree, harmless, recursive=True):
        raise Impossible(f"{path} cannot be mounted")
    for recursive in (True, False):
        if kernel.set_mount(tree, kernel.ATTR_IDMAP, namespace, recursive=recursive):
            return tree
    # A file system that shows owners as they are.
    status = os.fstat(tree)
    folder = stat.S_ISDIR(status.st_mode)
    if use == WRITABLE:
        made = not (folder and os.listdir(f"/proc/self/fd/{tree}"))
        if made and status.st_uid == os.geteuid():
            given.append(tree)  # made for this launch, so that it may be given away
            return tree
    elif status.st_mode & (0o5 if folder else 0o4) == (0o5 if folder else 0o4):
        return tree
    raise Impossible(f"the file system of {path} cannot map owners")


def _show(path: str, tree: "int | None", place: str) -> None:
    if tree is None:
        _make_node(path, place)
        return
    _make_place(tree, place)
    target = os.open(place, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    kernel.attach_mount(tree, target)
    os.close(target)
    os.close(tree)


def _make_node(path: str, place: str) -> None:
    try:
        os.mknod(place, stat.S_IFCHR | 0o666, os.stat(path).st_rdev)
    except OSError as error:
        raise Impossible(f"{path} is root's alone ({error.strerror})") from None


def _make_place(tree: int, place: str) -> None:
    if stat.S_ISDIR(os.fstat(tree).st_mode):
        os.makedirs(place, 0o755, exist_ok=True)
    elif not os.path.lexists(place):
        os.close(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o644))


def _attach(tree: int, path: str) -> None:
    """Attach where `path` is below the new root, by no link: what a link leads to is shown under its own name."""
    here = os.open(_PLACE, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    parts = path.strip("/").split("/")
    try:
        for number, part in enumerate(parts):
            inner = os.O_DIRECTORY if number < len(parts) - 1 else 0
            deeper = os.open(part, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC | inner, dir_fd=here)
            os.close(here)
            here = deeper
        if not stat.S_ISLNK(os.fstat(here).st_mode):
            kernel.attach_mount(tree, here)
    except NotADirectoryError:
        pass
    finally:
        os.close(here)
        os.close(tree)
