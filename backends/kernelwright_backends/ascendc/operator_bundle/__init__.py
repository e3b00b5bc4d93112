"""Operator bundles, as MultiKernelBench and EvoKernel write an operator of Ascend C: one Python text that assigns six strings.

`sections` reads and writes the text, `prototype` the operator's JSON, `bridge` the C++ that calls the operator, `model` the
Python that calls that, `folder` the operator project which the rest of Kernelwright understands. Nothing of a bundle is executed.
"""
