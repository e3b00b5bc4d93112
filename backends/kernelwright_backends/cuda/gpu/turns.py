"""One job at a time on a GPU, over all processes of this user: a timed call shares the device with nobody of ours."""

import asyncio
import fcntl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from kernelwright_backends.cuda.gpu.device import Device
from kernelwright_backends.folders import cache_folder

_LOOK_S = 0.01


@asynccontextmanager
async def turn_on(device: Device) -> AsyncIterator[None]:
    """Wait for the device, and hold it. The lock goes with the process, however it ends."""
    with (cache_folder("cuda-gpu", "turns") / device.uuid).open("w") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                await asyncio.sleep(_LOOK_S)
        yield
