"""What the variants of a product take, estimated from their sizes: which one is drafted, and in what order refining goes on.

The constants are those of an H100, measured with these kernels; other chips keep the order.
"""

from math import prod

from kernelwright_memory.generators.templates.cuda.product.tile import Tile
from kernelwright_memory.generators.templates.graph.schedule import Step
from kernelwright_memory.generators.templates.graph.size import Size

_PROCESSORS = 132
# Of one processor that has enough warps, in floating-point operations a microsecond.
_TENSOR = 3.05e6
_PLAIN = {"matmul": 0.15e6, "convolution": 0.09e6}
_WARPS = 8
# A warp's tile this small reads its fragments more often than the tensor cores can use them.
_SMALL_WARP_TILE = 1024
_SMALL_RATE = 0.92
_WARPS_OF_SMALL = 12
# A tile of one row step reads a fragment for every multiplication.
_NARROW_RATE = 0.6
# A block alone on its processor has nobody to compute while it waits at its barrier.
_ALONE_RATE = 0.97
_BYTES_READ = 2.2e6
_BYTES_PACKED = 2.6e6
_BYTES_STORED = 2.5e6
_LAUNCH_US = 2.0
# What splitting a factor as it is read adds to the computing.
_STREAMED = 1.4
_STAGE_US = 0.6


class _Extents:
    """A product as rows, columns and depth, of so many batches."""

    def __init__(self, step: Step) -> None:
        node = step.nodes[0]
        shape = [size.value for size in node.shape]
        left, right = node.inputs
        self.factor_elements = [prod(s.value for s in v.shape) for v in (left, right)]
        self.result = prod(shape)
        if node.kind == "matmul":
            *batch, self.rows, self.columns = shape
            self.batches, self.depth, self.taps = prod(batch), left.shape[-1].value, 1
            self.phases = 1
        else:
            groups = Size.of(node.attributes["groups"]).value
            transposed = node.attributes["transposed"]
            self.batches, self.rows = groups, max(shape[1] // groups, 1)
            self.phases = prod(node.attributes["stride"]) if transposed else 1
            self.columns = -(-shape[0] * prod(shape[2:]) // self.phases)
            self.taps = -(-prod(s.value for s in right.shape[2:]) // self.phases)
            self.depth = max(left.shape[1].value // groups, 1)
            self.factor_elements.reverse()


def packed_us(step: Step, tile: Tile) -> float:
    """Of a product of packed factors, with the launches that pack them."""
    e = _Extents(step)
    padded = -(-e.depth // 8) * 8
    tiles_of_depth = -(-e.taps * padded // tile.depth)
    blocks = -(-e.rows // tile.rows) * -(-e.columns // tile.columns) * e.batches * e.phases * tile.split
    tiles_of_depth = -(-tiles_of_depth // tile.split)
    together = tile.blocks_a_processor
    of_block = 2.0 * tile.rows * tile.columns * tile.depth * tiles_of_depth * tile.products
    rounds = -(-blocks // _PROCESSORS)
    at_once = min(rounds, together)
    small = tile.warp_rows * tile.warp_columns <= _SMALL_WARP_TILE
    rate = _TENSOR * min(1.0, at_once * tile.warps / (_WARPS_OF_SMALL if small else _WARPS))
    if small:
        rate *= _SMALL_RATE if tile.warp_rows > 16 else _NARROW_RATE
    if together == 1:
        rate *= _ALONE_RATE
    computing = rounds * of_block / rate + tile.stages * _STAGE_US
    if tile.split > 1:
        computing += 4.0 * e.result * (2 * tile.split + 1) / _BYTES_READ + _LAUNCH_US
    storing = 4.0 * e.result / _BYTES_STORED
    packed = e.factor_elements
    if tile.streamed:
        packed = packed[:1]
        computing = max(computing * _STREAMED, 4.0 * e.factor_elements[1] / _BYTES_READ)
    bytes_of_factors = 4.0 * sum(packed)
    stored = 2.0 * tile.parts * sum(n * padded / e.depth for n in packed)
    packing = bytes_of_factors / _BYTES_READ + (bytes_of_factors + stored) / _BYTES_PACKED
    return max(computing, storing) + packing + (1 + 2 * len(packed)) * _LAUNCH_US


def plain_us(step: Step) -> float:
    """Of the best plain variant."""
    e = _Extents(step)
    operations = 2.0 * e.result * e.taps * e.depth
    # Few results keep few processors busy.
    busy = min(1.0, e.result / (_PROCESSORS * 4096))
    return max(
        operations / (_PLAIN[step.kind] * _PROCESSORS * max(busy, 1e-3)),
        4.0 * (e.result + sum(e.factor_elements)) / _BYTES_READ,
    )
