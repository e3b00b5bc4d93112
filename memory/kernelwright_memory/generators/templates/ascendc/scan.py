"""Cumulative sums and products. Along rows in order, a tile is added to itself shifted by 1, 2, 4, ... elements; along another
axis, rows are added into a tile that stays in the unified buffer and is stored after each."""

from kernelwright_memory.generators.templates.ascendc.loading import Piece
from kernelwright_memory.generators.templates.ascendc.tiles import KernelText, TileKernel, strides_of
from kernelwright_memory.generators.templates.ascendc.writer import Operand
from kernelwright_memory.generators.templates.cuda.emit import collapse
from kernelwright_memory.generators.templates.graph.graph import ONE, Unsupported
from kernelwright_memory.generators.templates.graph.size import Size, contiguous, product

_JOIN = {"sum": ("Add", "Adds", "0.0f"), "prod": ("Mul", "Muls", "1.0f")}
# Shifts by less than a block of 32 bytes are gathered: a vector instruction begins at a block.
_BLOCK = 8


class ScanKernel(TileKernel):
    """Writes one step of kind "scan"."""

    def emit(self) -> KernelText:
        """
        Raises:
            Unsupported: an order of accesses that is not written.
            DoesNotFit: the tile is too large.
        """
        node = self.step.nodes[0]
        axis = node.attributes["axis"] % len(node.shape)
        for name in ("carry", "from", "to", "other", "order", "swept0", "swept1", "shift"):
            self.scope.fresh(name)
        strides = [own for e in (self.value, self.inputs[0]) for own in strides_of(e, [node])]
        kinds = [int(a == axis) for a in range(len(node.shape))]
        space = collapse(node.shape, [*strides, contiguous(node.shape)], kinds)
        place = next((n for n, group in enumerate(space.groups) if group == (axis,)), None)
        if place is None:
            raise Unsupported("a scan over an axis of one element is not written in Ascend C")
        self._regroup(lambda s: space.strides(s), [node])
        if place == len(space.shape) - 1:
            return self._along_rows(space.shape)
        if place == len(space.shape) - 2:
            return self._down(space.shape)
        raise Unsupported("a scan in that order of accesses is not written in Ascend C")

    def _along_rows(self, shape: tuple[Size, ...]) -> KernelText:
        scope, lines, node = self.scope, self.lines, self.step.nodes[0]
        join, join_number, identity = _JOIN[node.operation]
        rows, columns = product(shape[:-1]), shape[-1]
        row_count, column_count = scope.size(rows, "rows"), scope.size(columns, "columns")
        out = scope.buffer(self.step.target, written=True)
        self.uses_read = True
        self._sweep_buffers(identity)
        lines.open(f"for (uint32_t row = GetBlockIdx(); row < {row_count}; row += GetBlockNum())")
        piece = Piece(self._coordinates("row", shape[:-1]), "begin")
        lines.add(f"float carry = {identity};")
        self._open_chunks(column_count)
        lines.add("LocalTensor<float> from = swept0, to = swept1;")
        held = self._load(piece, self.inputs, "length", [node])
        self._write(self.inputs[0], "length", {}, held, into=f"from[{_BLOCK}]")
        self._let_go(held)
        lines.open("for (uint32_t shift = 1; shift < length; shift *= 2)")
        lines.open(f"if (shift < {_BLOCK})")
        lines.add(f"Gather(to[{_BLOCK}], from, order, ({_BLOCK} - shift) * sizeof(float), length);")
        lines.add(f"{join}(to[{_BLOCK}], to[{_BLOCK}], from[{_BLOCK}], length);")
        lines.close()
        lines.open("else")
        lines.add(f"Adds(to[{_BLOCK}], from[{_BLOCK}], 0.0f, shift);")
        lines.add(f"{join}(to[shift + {_BLOCK}], from[shift + {_BLOCK}], from[{_BLOCK}], length - shift);")
        lines.close()
        lines.add("LocalTensor<float> other = from;")
        lines.add("from = to;")
        lines.add("to = other;")
        lines.close()
        lines.open("if (begin != 0)")
        lines.add(f"{join_number}(from[{_BLOCK}], from[{_BLOCK}], carry, length);")
        lines.close()
        lines.open(f"if (begin + length < {column_count})")
        lines.add(f"carry = kw_read_first(from[length - 1 + {_BLOCK}]);")
        lines.close()
        given = {node: Operand(f"from[{_BLOCK}]", True)}
        self._compute_and_store(piece, "length", out, self._offset(["row"], [columns], "begin"), given)
        lines.close()
        lines.close()
        return self._finish(
            rows, 1, "A row a core and round; a tile is added to itself shifted by 1, 2, 4, ..."
        )

    def _sweep_buffers(self, identity: str) -> None:
        """Two tensors that take turns, each behind a block that changes nothing, and the byte offset of every element."""
        pad = f"(TILE + {_BLOCK}) * sizeof(float)"
        self.setup += [
            "TBuf<TPosition::VECCALC> sweep;",
            f"pipe.InitBuffer(sweep, 2 * {pad});",
            f"LocalTensor<float> swept0 = sweep.GetWithOffset<float>(TILE + {_BLOCK}, 0);",
            f"LocalTensor<float> swept1 = sweep.GetWithOffset<float>(TILE + {_BLOCK}, {pad});",
            f"Duplicate(swept0, {identity}, {_BLOCK});",
            f"Duplicate(swept1, {identity}, {_BLOCK});",
            "TBuf<TPosition::VECCALC> ordered;",
            "pipe.InitBuffer(ordered, TILE * sizeof(uint32_t));",
            "LocalTensor<int32_t> places = ordered.Get<int32_t>();",
            "ArithProgression(places, static_cast<int32_t>(0), static_cast<int32_t>(sizeof(float)), TILE);",
            "LocalTensor<uint32_t> order = places.ReinterpretCast<uint32_t>();",
        ]
        self.setup_bytes += 2 * (self.tile + _BLOCK) * 4 + self.tile * 4

    def _down(self, shape: tuple[Size, ...]) -> KernelText:
        lines, node = self.lines, self.step.nodes[0]
        join, _, identity = _JOIN[node.operation]
        outer_shape, depth, inner = shape[:-2], shape[-2], shape[-1]
        out = self.scope.buffer(self.step.target, written=True)
        outer, total = self._open_rows(shape, node, join, identity)
        piece = Piece([*outer, "step"], "begin")
        target = self._offset(["row", "step"], [depth * inner, inner], "begin")
        self._compute_and_store(piece, "length", out, target, {node: Operand(total, True)})
        lines.close()
        lines.close()
        work = product(outer_shape) * inner if outer_shape else inner * ONE
        return self._finish(
            work, self.tile, "Rows are added into a tile that stays, which is stored after each."
        )
