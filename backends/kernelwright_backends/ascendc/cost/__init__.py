"""Latency of Ascend C kernels, estimated from a trace of every core's events."""

from kernelwright_backends.ascendc.cost.chip import Chip, find_chip, known_products
from kernelwright_backends.ascendc.cost.estimate import estimate, operators_us
from kernelwright_backends.ascendc.cost.export import (
    Launch,
    chrome_trace,
    launch_of,
    timeline_data,
    timeline_of,
    timeline_svg,
)
from kernelwright_backends.ascendc.cost.timeline import Timeline, simulate
from kernelwright_backends.ascendc.cost.trace import Event, Trace, TraceError

__all__ = [
    "Chip", "Event", "Launch", "Timeline", "Trace", "TraceError", "chrome_trace", "estimate", "find_chip", "known_products",
    "launch_of", "operators_us", "simulate", "timeline_data", "timeline_of", "timeline_svg",
]  # fmt: skip
