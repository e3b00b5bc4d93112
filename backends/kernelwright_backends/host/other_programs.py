"""Other programs that use a device while a candidate is timed on it."""

from kernelwright_backends.core.model import Model


class Program(Model):
    """Another program that holds a context on the device."""

    pid: int
    name: str = ""
    memory_bytes: int = 0
    busy_percent: int = 0
    """the largest share of the processors that it used"""

    def __str__(self) -> str:
        return f"{self.name} (process {self.pid})" if self.name else f"process {self.pid}"
