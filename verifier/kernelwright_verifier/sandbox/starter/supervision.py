"""Starts one program under Landlock and seccomp, or under neither, and outlives it to leave nothing behind.

The other end of descriptor 4 is the server's. When it closes, because the server closes it or has died, the tree is
killed. The child confines itself and becomes the program. This process adopts that child's orphans, kills them when the program
has ended and ends when there are none: its end is the end of the tree.
"""

# Importing pathlib and contextlib would cost more than all that is done here.
# ruff: noqa: PTH102, PTH123, PTH208, SIM105
import os
import select
import signal

import removal  # type: ignore[import-not-found]  # its folder is on the path

from . import confining, kernel, nobody

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

GATE, FILTER, STATUS = 4, 5, 6
UIDS_OF_LAUNCH = 256


def supervise(
    orders: "dict[str, Any]", identity: "nobody.Identity | None", say: "Callable[[dict[str, object]], None]"
) -> int:
    """Run the program as `orders` say, as nobody where that is given. Returns this process' exit status."""
    scratch = orders["scratch"]
    os.mkdir(scratch, 0o700)
    kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
    bell, ringer = os.pipe()
    os.set_blocking(ringer, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(ringer, warn_on_full_buffer=False)
    supervisor = os.getpid()
    child = os.fork()
    if child == 0:
        try:
            _become(orders, scratch, supervisor, identity, say)
        except OSError as error:
            say({"error": f"{error.filename or orders['command'][0]}: {error.strerror}"})
        finally:
            os._exit(127)
    say({"group": child})
    status = _guard(child, bell)
    _kill_tree(child)
    removal.remove(scratch)
    if status is not None:
        say({"status": os.waitstatus_to_exitcode(status)})
    return 0


def _become(
    orders: "dict[str, Any]",
    scratch: str,
    supervisor: int,
    identity: "nobody.Identity | None",
    say: "Callable[[dict[str, object]], None]",
) -> None:
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # Where memory runs out, the kernel takes the program first, and not this process' parent.
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")
    if orders["nobody"]:
        try:
            keeps = orders["restrictions"]["keeps"]
            _become_nobody(orders["view"], scratch, identity, orders["tasks"], bool(keeps))
        except nobody.Impossible as error:
            say({"runs_as": os.geteuid(), "because": str(error)})
        else:
            say({"runs_as": identity.uid if identity is not None else os.geteuid()})
    # Not before: who becomes another user loses it.
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != supervisor:
        os._exit(127)
    restrictions = orders["restrictions"]
    confining.drop_capabilities(restrictions["keeps"] if restrictions is not None else ())
    os.chdir(orders["cwd"] or scratch)
    for descriptor in (GATE, STATUS):
        os.set_inheritable(descriptor, False)
    if restrictions is not None:
        rules = [*restrictions["rules"], (scratch, restrictions["scratch_rights"])]
        confining.restrict_files(restrictions["ruleset"], rules)
        code = b""
        while part := os.read(FILTER, 1 << 16):
            code += part
        os.close(FILTER)
        # Last: it denies what has been called so far.
        confining.restrict_calls(code, restrictions["own_pid"])
    environment = {"HOME": scratch, "TMPDIR": scratch, **orders["environment"]}
    os.execve(orders["command"][0], orders["command"], environment)


def _become_nobody(
    view: "dict[str, Any]", scratch: str, identity: "nobody.Identity | None", tasks: int, nests: bool
) -> None:
    if identity is None:
        raise nobody.Impossible("no user can be mapped")
    if nests:
        identity = nobody.Identity(identity.uid, UIDS_OF_LAUNCH)
    nobody.enter_view([*view["paths"], (scratch, nobody.WRITABLE)], view["links"], identity)
    nobody.become(identity, tasks)


def _guard(child: int, bell: int) -> "int | None":
    """Wait for the child's end (its status) or for the order to end it (None); reap orphans meanwhile."""
    poll = select.poll()
    poll.register(GATE, select.POLLIN)
    poll.register(bell, select.POLLIN)
    while True:
        for descriptor, _ in poll.poll():
            if descriptor == GATE:
                return None
            os.read(bell, 4096)
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == child:
                return status
            if pid == 0:
                break


def _kill_tree(child: int) -> None:
    """Kill until there is nobody left. A killed process' children become ours, so killing ours is enough."""
    own = os.getpid()
    while True:
        try:
            os.killpg(child, signal.SIGKILL)
        except ProcessLookupError:
            pass
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        for name in os.listdir("/proc"):
            if name.isdigit() and _parent(name) == own:
                os.kill(int(name), signal.SIGKILL)


def _parent(pid: str) -> int:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            stat = file.read()
    except OSError:
        return 0
    return int(stat[stat.rindex(b")") + 2 :].split()[1])
