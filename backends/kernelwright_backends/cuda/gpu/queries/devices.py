"""Which GPUs the driver knows: `{"devices": [...], "cuda": "13.0"}`, or `{"problem": "..."}`.

Numbers of attributes are CUdevice_attribute's (CUDA Driver API, device management).
"""

import ctypes
import json
from typing import Any

_MAJOR, _MINOR, _L2_BYTES, _PROCESSORS = 75, 76, 38, 16


def answer() -> dict[str, Any]:
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        return {"problem": str(error)}
    status = cuda.cuInit(0)
    if status:
        text = ctypes.c_char_p()
        cuda.cuGetErrorString(status, ctypes.byref(text))
        return {"problem": (text.value or b"error %d" % status).decode()}
    number, version = ctypes.c_int(), ctypes.c_int()
    cuda.cuDeviceGetCount(ctypes.byref(number))
    cuda.cuDriverGetVersion(ctypes.byref(version))
    return {
        "devices": [_device(cuda, n) for n in range(number.value)],
        "cuda": f"{version.value // 1000}.{version.value % 1000 // 10}",
    }


def _device(cuda: ctypes.CDLL, number: int) -> dict[str, Any]:
    device, size = ctypes.c_int(), ctypes.c_size_t()
    name, bus, uuid = (ctypes.create_string_buffer(length) for length in (100, 32, 16))
    cuda.cuDeviceGet(ctypes.byref(device), number)
    cuda.cuDeviceGetName(name, 100, device)
    cuda.cuDeviceGetPCIBusId(bus, 32, device)
    cuda.cuDeviceGetUuid(uuid, device)
    cuda.cuDeviceTotalMem_v2(ctypes.byref(size), device)

    def attribute(which: int) -> int:
        value = ctypes.c_int()
        cuda.cuDeviceGetAttribute(ctypes.byref(value), which, device)
        return value.value

    h = uuid.raw.hex()
    return {
        "name": name.value.decode(),
        "bus": bus.value.decode().lower(),
        "architecture": f"sm_{attribute(_MAJOR)}{attribute(_MINOR)}",
        "uuid": "GPU-" + "-".join((h[:8], h[8:12], h[12:16], h[16:20], h[20:])),
        "memory_bytes": size.value,
        "l2_bytes": attribute(_L2_BYTES),
        "processors": attribute(_PROCESSORS),
    }


if __name__ == "__main__":
    print(json.dumps(answer()))
