"""Kernels from the operator trace of a task: the template generator."""

from kernelwright_memory.generators.templates.generator import TemplateGenerator
from kernelwright_memory.generators.templates.graph.classify import Family, classify

__all__ = ["Family", "TemplateGenerator", "classify"]
