"""Artefacts of six sections, as MultiKernelBench and EvoKernel write an operator of Ascend C: one Python text of six strings.

`sections` reads and writes the text, `prototype` the operator's JSON, `bridge` the C++ that calls the operator, `model` the
Python that calls that, `folder` the operator project which the rest of Kernelwright understands. Nothing of it is executed.
"""
