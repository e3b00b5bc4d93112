"""Kernels from the operator trace of a task: the template generator."""

from kernelwright_memory.generators.templates.classify import Family, classify
from kernelwright_memory.generators.templates.generator import TemplateGenerator

__all__ = ["Family", "TemplateGenerator", "classify"]
