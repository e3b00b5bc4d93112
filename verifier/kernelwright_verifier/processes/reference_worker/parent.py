"""The parent: hands requests to children and their replies back."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import selectors
import time
from collections import OrderedDict, deque
from typing import Any

import torch

from .children import Child
from .faults import TaskFault
from .pipes import REPLY_DESCRIPTOR, write_all
from .tracing import Tracer

KEPT_CHILDREN = 4


class Parent:
    """Hands requests to children, at most `jobs` at a time, in the order in which they came."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self.children: OrderedDict[str, Child] = OrderedDict()
        self.waiting: deque[dict[str, Any]] = deque()
        self.selector = selectors.DefaultSelector()

    def reply(self, message: dict[str, Any]) -> None:
        write_all(REPLY_DESCRIPTOR, json.dumps(message).encode() + b"\n")

    def serve(self) -> None:
        os.set_blocking(0, False)
        self.selector.register(0, selectors.EVENT_READ, None)
        data = b""
        while True:
            self.dispatch()
            soonest = min((c.deadline for c in self.children.values()), default=math.inf)
            timeout = None if soonest == math.inf else max(0.0, soonest - time.monotonic())
            for key, _ in self.selector.select(timeout):
                if key.fd == 0:
                    chunk = os.read(0, 1 << 20)
                    if not chunk:
                        return
                    data += chunk
                    *lines, data = data.split(b"\n")
                    for line in lines:
                        self.accept(json.loads(line))
                elif key.data in self.children:
                    self.read(key.data)
            self.expire()

    def accept(self, request: dict[str, Any]) -> None:
        task = request["task"]
        request["key"] = hashlib.sha256(json.dumps(task, sort_keys=True).encode()).hexdigest()
        if request["request"] == "release":
            child = self.children.get(request["key"])
            if child is not None and child.busy is None:
                self.end(request["key"])
            self.reply({"id": request["id"], "result": {}})
        else:
            self.waiting.append(request)

    def dispatch(self) -> None:
        for request in list(self.waiting):
            if sum(child.busy is not None for child in self.children.values()) >= self.jobs:
                return
            key = request["key"]
            child = self.children.get(key)
            if child is not None and child.busy is not None:
                continue
            self.waiting.remove(request)
            limits = request["limits"]
            if child is None:
                self.make_room()
                inherited = [d for c in self.children.values() for d in (c.send, c.receive)]
                child = self.children[key] = Child(request["task"], int(limits["memory_mb"]), inherited)
                self.selector.register(child.receive, selectors.EVENT_READ, key)
            self.children.move_to_end(key)
            child.busy, child.limit_s = request["id"], float(limits["time_s"])
            child.deadline = time.monotonic() + child.limit_s
            sent = {k: v for k, v in request.items() if k not in ("task", "key")}
            try:
                write_all(child.send, json.dumps(sent).encode() + b"\n")
            except OSError:
                self.lost(key)

    def make_room(self) -> None:
        idle = [key for key, child in self.children.items() if child.busy is None]
        for key in idle[: max(0, len(self.children) - KEPT_CHILDREN + 1)]:
            self.end(key)

    def read(self, key: str) -> None:
        child = self.children[key]
        chunk = os.read(child.receive, 1 << 20)
        if not chunk:
            self.lost(key)
            return
        child.data += chunk
        if not child.data.endswith(b"\n"):
            return
        try:
            message = json.loads(child.data)
            known = isinstance(message, dict) and (
                message.keys() == {"result"} or message.keys() == {"error"}
            )
        except ValueError:
            known = False
        if not known or child.busy is None:
            self.lost(key, "the task wrote into descriptors that are not its own")
            return
        child.data = b""
        identifier, child.busy, child.deadline = child.busy, None, math.inf
        self.reply({"id": identifier, **message})

    def lost(self, key: str, why: str = "the task ended its process (crash, exit or out of memory)") -> None:
        """End a child that is of no use any more; one that ends by itself crashed, or called os._exit."""
        identifier = self.children[key].busy
        self.end(key)
        if identifier is not None:
            self.reply({"id": identifier, "error": TaskFault("TASK_INVALID", why).as_data()})

    def expire(self) -> None:
        now = time.monotonic()
        for key, child in list(self.children.items()):
            if child.busy is not None and child.deadline <= now:
                identifier, limit_s = child.busy, child.limit_s
                self.end(key)
                fault = TaskFault(
                    "SIZE_TOO_LARGE",
                    f"the task did not answer within {limit_s:g} s; give smaller sizes with size= or SMALL",
                )
                self.reply({"id": identifier, "error": fault.as_data()})

    def end(self, key: str) -> None:
        child = self.children.pop(key)
        self.selector.unregister(child.receive)
        child.close()

    def close(self) -> None:
        for key in list(self.children):
            self.end(key)


def warm_up() -> None:
    """Import what the first use of the meta device and of convolutions imports, so that children need not."""
    with torch.no_grad(), torch.device("meta"), Tracer(OrderedDict()):
        x = torch.nn.Conv2d(1, 1, 1)(torch.rand(1, 1, 2, 2))
        torch.nn.functional.softmax(torch.nn.functional.layer_norm(x @ x, (2,)), dim=-1)


def serve(jobs: int, greeting: dict[str, Any]) -> None:
    """Answer requests on standard input until it is closed; `greeting` goes out first, with torch's version."""
    os.set_inheritable(REPLY_DESCRIPTOR, False)
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    torch.set_num_threads(1)
    with contextlib.suppress(Exception):
        torch.set_num_interop_threads(1)
    warm_up()
    parent = Parent(jobs)
    parent.reply({**greeting, "torch": str(torch.__version__)})
    try:
        parent.serve()
    finally:
        parent.close()
