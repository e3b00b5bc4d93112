"""What is said of an experience that was used: where it was learned, how often it helped, and with what gain."""

from kernelwright_memory.agent.events import RetrievedItem


def record_of(item: RetrievedItem) -> str:
    """`3 of 5, 1.8x as fast`; empty where it was never used."""
    value = item.value
    if value is None or not value.count:
        return ""
    gain = f", {value.ratio:.2g}x as fast" if value.ratio is not None and value.helped else ""
    return f"{value.helped} of {value.count}{gain}"


def origin_of(item: RetrievedItem) -> str:
    """`learned from softmax; helped 3 of 5 times, 1.8x as fast`."""
    source = {"seed": "packaged", "import": "imported", "run": "learned in an earlier run"}[item.source]
    told = f"learned from {item.task}" if item.task else source
    value = item.value
    if value is None or not value.count:
        return f"{told}; not used before"
    gain = f", {value.ratio:.2g}x as fast" if value.ratio is not None and value.helped else ""
    return f"{told}; helped {value.helped} of {value.count} times{gain}"
