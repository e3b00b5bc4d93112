"""What each operator of PyTorch means, in the terms of a graph: one module for each kind, and their table."""

from kernelwright_memory.generators.templates.graph.translation import (
    losses,
    normalisation,
    pointwise,
    products,
    rearranging,
    recurrences,
    reductions,
    views,
    windows,
)
from kernelwright_memory.generators.templates.graph.translation.builder import Translation

TRANSLATIONS: dict[str, Translation] = {
    **pointwise.TRANSLATIONS,
    **views.TRANSLATIONS,
    **reductions.TRANSLATIONS,
    **normalisation.TRANSLATIONS,
    **losses.TRANSLATIONS,
    **products.TRANSLATIONS,
    **windows.TRANSLATIONS,
    **rearranging.TRANSLATIONS,
    **recurrences.TRANSLATIONS,
}
