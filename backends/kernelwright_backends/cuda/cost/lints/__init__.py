"""Performance lints: what a traced launch wastes, at its line, with what the estimate says that it costs.

A lint is advice with evidence. Its gain is the share of the latency that is saved in the estimate if the fault, and
nothing else, goes away; small gains are not shown.
"""
