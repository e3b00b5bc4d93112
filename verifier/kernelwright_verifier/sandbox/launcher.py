"""Starts one program under Landlock and seccomp, or under neither, and outlives it to leave nothing behind.

Run by path with `python -I -S`: standard library only, nothing of ours. It reads its orders, one line of
JSON, from descriptor 4, whose other end the server holds. When that end closes, because the server wants
it or because it is dead, the tree is killed. Descriptor 5 is the seccomp filter, 6 takes what is to be
known outside (`launch.Launch`).

Its child confines itself and becomes the program. This process adopts that child's orphans, kills them
when the program has ended and ends when there are none: its end is the end of the tree.
"""

# Importing pathlib and contextlib would cost more than all that is done here.
# ruff: noqa: PTH101, PTH102, PTH106, PTH118, PTH123, PTH208, SIM105
import ctypes
import json
import os
import signal
import struct
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

GATE, FILTER, STATUS = 4, 5, 6

_PR_SET_PDEATHSIG, _PR_CAPBSET_DROP, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 1, 24, 36, 38
_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2
_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE = 47, 2
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on all architectures
_RULE_PATH_BENEATH = 1
_CAPSET = {"x86_64": 126, "aarch64": 91}
_CAPABILITY_VERSION = 0x20080522
_LAST_CAPABILITY = 63

_libc = ctypes.CDLL(None, use_errno=True)


def main() -> int:
    orders = json.loads(_line(GATE))
    scratch = os.path.join(orders["temporary"], f"kernelwright-{os.urandom(8).hex()}")
    os.mkdir(scratch, 0o700)
    _checked("prctl", _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
    bell, ringer = os.pipe()
    os.set_blocking(ringer, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(ringer, warn_on_full_buffer=False)
    supervisor = os.getpid()
    child = os.fork()
    if child == 0:
        try:
            _become(orders, scratch, supervisor)
        except OSError as error:
            _say({"error": f"{error.filename or orders['command'][0]}: {error.strerror}"})
        finally:
            os._exit(127)
    _say({"group": child})
    status = _guard(child, bell)
    _kill_tree(child)
    _remove(scratch)
    if status is not None:
        _say({"status": os.waitstatus_to_exitcode(status)})
    return 0


def _become(orders: "dict[str, Any]", scratch: str, supervisor: int) -> None:
    os.setsid()
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    _checked("prctl", _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0))
    if os.getppid() != supervisor:
        os._exit(127)
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write(
            "1000"
        )  # where memory runs out, the kernel takes the program first, and not this process' parent
    _drop_capabilities(orders["restrictions"]["keeps"] if orders["restrictions"] else [])
    _checked("prctl", _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    os.chdir(orders["cwd"] or scratch)
    for descriptor in (GATE, STATUS):
        os.set_inheritable(descriptor, False)
    restrictions = orders["restrictions"]
    if restrictions is not None:
        rules = [*restrictions["rules"], [scratch, restrictions["scratch_rights"]]]
        _restrict_files(bytes.fromhex(restrictions["ruleset"]), rules)
        # Last: it denies what has been called so far.
        _restrict_calls(restrictions["own_pid"])
    environment = {"HOME": scratch, "TMPDIR": scratch, **orders["environment"]}
    os.execve(orders["command"][0], orders["command"], environment)


def _restrict_files(attributes: bytes, rules: "list[Any]") -> None:
    ruleset = _checked(
        "landlock", _libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    )
    for path, rights in rules:
        target = os.open(path, os.O_PATH | os.O_CLOEXEC)
        rule = struct.pack("=Qi", rights, target)
        _checked("landlock", _libc.syscall(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, rule, 0), path)
        os.close(target)
    _checked("landlock", _libc.syscall(_RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)


def _restrict_calls(own_pid: int) -> None:
    code = b""
    while part := os.read(FILTER, 1 << 16):
        code += part
    os.close(FILTER)
    instructions = [list(fields) for fields in struct.iter_unpack("=HBBI", code)]
    for fields in instructions:
        if fields[3] == own_pid:
            fields[3] = os.getpid()
    code = b"".join(struct.pack("=HBBI", *fields) for fields in instructions)
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("@HP", len(instructions), ctypes.addressof(buffer))
    _checked("seccomp", _libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, program, 0, 0))


def _drop_capabilities(keeps: "list[int]") -> None:
    """All, but those of `keeps` that it has, which the program keeps as well: it is ours then, and drops them in its forks."""
    capset = _CAPSET[os.uname().machine]
    header, held = struct.pack("=Ii", _CAPABILITY_VERSION, 0), ctypes.create_string_buffer(24)
    _checked("capget", _libc.syscall(capset - 1, header, held))
    permitted = struct.unpack("=6I", held.raw)[1]
    kept = [capability for capability in keeps if permitted >> capability & 1]
    for capability in range(_LAST_CAPABILITY + 1):
        if capability not in kept and _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            break  # beyond the last one, or none are ours to give up
    rights = sum(1 << capability for capability in kept)
    _checked("capset", _libc.syscall(capset, header, struct.pack("=6I", rights, rights, rights, 0, 0, 0)))
    for capability in kept:
        _checked("prctl", _libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE, capability, 0, 0))


def _guard(child: int, bell: int) -> "int | None":
    """Wait for the child's end (its status) or for the order to end it (None); reap orphans meanwhile."""
    import select

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


def _remove(scratch: str) -> None:
    try:
        os.rmdir(scratch)
    except OSError:
        import shutil

        for folder, _, _ in os.walk(scratch):
            os.chmod(folder, 0o700)
        shutil.rmtree(scratch, ignore_errors=True)


def _line(descriptor: int) -> bytes:
    line = b""
    while not line.endswith(b"\n"):
        part = os.read(descriptor, 1 << 16)
        if not part:
            os._exit(127)
        line += part
    return line


def _say(message: dict[str, object]) -> None:
    try:
        os.write(STATUS, json.dumps(message).encode() + b"\n")
    except BrokenPipeError:
        pass  # the server is dead, which the gate tells as well


def _checked(what: str, result: int, path: str = "") -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), path or what)
    return result


if __name__ == "__main__":
    sys.exit(main())
