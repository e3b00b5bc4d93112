"""Working tensors that a kernel needs once, whoever of its lines asks for them."""

from collections.abc import Callable

# What a copy of one element takes in the unified buffer.
BLOCK_BYTES = 32
# What a kernel may need once, by the names that its lines use, and the bytes that it takes.
SHARED: dict[str, tuple[tuple[str, ...], Callable[[int], int]]] = {
    "bits": (
        (
            "TBuf<TPosition::VECCALC> compared_bits;",
            "pipe.InitBuffer(compared_bits, TILE / 8);",
            "LocalTensor<uint8_t> bits = compared_bits.Get<uint8_t>();",
        ),
        lambda tile: tile // 8,
    ),
    "blocks": (
        (
            "TBuf<TPosition::VECCALC> block_offsets;",
            "pipe.InitBuffer(block_offsets, TILE * sizeof(uint32_t));",
            "LocalTensor<int32_t> offsets = block_offsets.Get<int32_t>();",
            f"ArithProgression(offsets, static_cast<int32_t>(0), static_cast<int32_t>({BLOCK_BYTES}), TILE);",
            "LocalTensor<uint32_t> blocks = offsets.ReinterpretCast<uint32_t>();",
        ),
        lambda tile: tile * 4,
    ),
    "narrow": (
        (
            "TBuf<TPosition::VECCALC> halves;",
            "pipe.InitBuffer(halves, TILE * sizeof(half));",
            "LocalTensor<half> narrow = halves.Get<half>();",
        ),
        lambda tile: tile * 2,
    ),
    "ramp": (
        (
            "TBuf<TPosition::VECCALC> counted;",
            "pipe.InitBuffer(counted, TILE * sizeof(float));",
            "LocalTensor<float> ramp = counted.Get<float>();",
            "ArithProgression(ramp, 0.0f, 1.0f, TILE);",
        ),
        lambda tile: tile * 4,
    ),
}
