"""Where the largest or smallest element of a row or column is. Along rows the reduction tells the place in each tile, the scalar
unit joins the tiles; along another axis, a tile of extremes and a tile of their places stay in the unified buffer."""

from typing import ClassVar

from kernelwright_memory.generators.templates.ascendc.loading import Piece
from kernelwright_memory.generators.templates.ascendc.tiles import KernelText, TileKernel
from kernelwright_memory.generators.templates.graph.graph import Apply, Expression, Load, Node, Unsupported
from kernelwright_memory.generators.templates.graph.size import Size, product

# Reduction, comparison by which what was found before stays, the better of two, and what everything is better than.
_EXTREME = {
    "argmax": ("ReduceMax", "GE", "Max", ">", "-INFINITY"),
    "argmin": ("ReduceMin", "LE", "Min", "<", "INFINITY"),
}


class ArgumentKernel(TileKernel):
    """Writes one step whose reduction is "argmax" or "argmin"."""

    reductions: ClassVar[frozenset[str]] = frozenset(_EXTREME)

    def _rows(
        self, shape: tuple[Size, ...], inputs: list[Expression], nodes: list[Node], *, whole: bool
    ) -> KernelText:
        scope, lines = self.scope, self.lines
        out = self._target(nodes, whole)
        reduce, _, _, better, _ = _EXTREME[self.operations[0]]
        rows, columns = product(shape[:-1]), shape[-1]
        row_count, column_count = scope.size(rows, "rows"), scope.size(columns, "columns")
        self.reduces = True
        self.setup += [
            "TBuf<TPosition::VECCALC> where;",
            "pipe.InitBuffer(where, 32);",
            "LocalTensor<int32_t> found = where.Get<int32_t>();",
        ]
        self.setup_bytes += 32
        lines.open(f"for (uint32_t row = GetBlockIdx(); row < {row_count}; row += GetBlockNum())")
        piece = Piece(self._coordinates("row", shape[:-1]), "begin")
        lines.add("float best = 0.0f;")
        lines.add("uint32_t place = 0;")
        self._open_chunks(column_count)
        held = self._load(piece, inputs, "length", nodes)
        value = self._write(inputs[0], "length", {}, held)
        if not value.vector:
            raise Unsupported("the place of a number among equal ones is not written in Ascend C")
        lines.add(f"{reduce}(reduced, {value.text}, scratch, static_cast<int32_t>(length), true);")
        self._let_go(held)
        self._wait("V_S")
        lines.add("const float extreme = reduced.GetValue(0);")
        lines.add("const uint32_t inside = reduced.ReinterpretCast<uint32_t>().GetValue(1);")
        self._wait("S_V")
        lines.open(f"if (begin == 0 || extreme {better} best)")
        lines.add("best = extreme;")
        lines.add("place = begin + inside;")
        lines.close()
        lines.close()
        lines.add(f"LocalTensor<int64_t> {out}_tile = places.AllocTensor<int64_t>();")
        lines.add("Duplicate(found, static_cast<int32_t>(place), 8);")
        lines.add(f"Cast({out}_tile, found, RoundMode::CAST_NONE, 8);")
        self._copy_out(out, "int64_t", "places", "row", "1")
        lines.close()
        return self._finish(rows, 1, "A row a core and round; each tile tells its extreme and where it is.")

    def _columns(self, shape: tuple[Size, ...], node: Node) -> KernelText:
        scope, lines = self.scope, self.lines
        out = self._target([node], whole=False)
        _, keeps, join, _, identity = _EXTREME[self.operations[0]]
        outer_shape, inner = shape[:-2], shape[-1]
        columns, depth = scope.size(inner, "columns"), scope.size(shape[-2], "depth")
        outers = scope.size(product(outer_shape), "outers")
        best, found = self._reserve(), self._reserve()
        self.setup += [
            "TBuf<TPosition::VECCALC> compared;",
            "pipe.InitBuffer(compared, TILE);",
            "LocalTensor<uint8_t> stays = compared.Get<uint8_t>();",
        ]
        self.setup_bytes += self.tile
        lines.add(f"const uint32_t across = ({columns} + TILE - 1) / TILE;")
        lines.open(f"for (uint32_t tile = GetBlockIdx(); tile < {outers} * across; tile += GetBlockNum())")
        lines.add("const uint32_t row = tile / across;")
        lines.add("const uint32_t begin = tile % across * TILE;")
        lines.add(f"const uint32_t length = {columns} - begin < TILE ? {columns} - begin : TILE;")
        lines.add("const uint32_t compared_length = (length + 63) / 64 * 64;  // whole repeats")
        outer = self._coordinates("row", outer_shape)
        lines.add(f"Duplicate({best}, {identity}, compared_length);")
        lines.add("// Places are exact in float up to 2^24 rows.")
        lines.add(f"Duplicate({found}, 0.0f, compared_length);")
        lines.open(f"for (uint32_t step = 0; step < {depth}; ++step)")
        held = self._load(Piece([*outer, "step"], "begin"), self.inputs, "length", [node])
        value = self._write(self.inputs[0], "length", {}, held)
        if not value.vector:
            raise Unsupported("what is the same in each row is not compared row by row in Ascend C")
        lines.add(f"Compare(stays, {best}, {value.text}, CMPMODE::{keeps}, compared_length);")
        lines.add(
            f"Select({found}, stays, {found}, static_cast<float>(step), SELMODE::VSEL_TENSOR_SCALAR_MODE, length);"
        )
        lines.add(f"{join}({best}, {best}, {value.text}, length);")
        self._let_go(held)
        lines.close()
        lines.add(f"LocalTensor<int32_t> whole_places = {best}.ReinterpretCast<int32_t>();")
        lines.add(f"Cast(whole_places, {found}, RoundMode::CAST_RINT, length);")
        lines.add(f"LocalTensor<int64_t> {out}_tile = places.AllocTensor<int64_t>();")
        lines.add(f"Cast({out}_tile, whole_places, RoundMode::CAST_NONE, length);")
        self._copy_out(out, "int64_t", "places", self._offset(["row"], [inner], "begin"), "length")
        lines.close()
        return self._finish(
            product(outer_shape) * inner, self.tile, "Extremes and their places stay in the unified buffer."
        )

    def _target(self, nodes: list[Node], whole: bool) -> str:
        """The parameter that takes the places, and the queue through which they leave."""
        if (
            whole
            or len(nodes) != 1
            or not isinstance(self.value, Load)
            or self.value.buffer.node is not nodes[0]
        ):
            raise Unsupported("arithmetic on the place of an extreme is not written in Ascend C")
        if any(_narrows(value.expression) for group in self.step.inputs for value in group[:1]):
            raise Unsupported("the place of an extreme of rounded values is not written in Ascend C")
        for name in ("best", "place", "places", "found", "where", "extreme", "inside", "stays", "compared"):
            self.scope.fresh(name)
        self.setup += [
            "TQue<TPosition::VECOUT, 1> places;",
            f"pipe.InitBuffer(places, {self.buffers}, TILE * sizeof(int64_t));",
        ]
        self.setup_bytes += self.buffers * self.tile * 8
        return self.scope.buffer(self.step.target, written=True, indices=True)

    def _wait(self, event: str) -> None:
        name = self.scope.fresh("ready" if event == "V_S" else "taken")
        self.lines.add(
            f"event_t {name} = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::{event}));"
        )
        self.lines.add(f"SetFlag<HardEvent::{event}>({name});")
        self.lines.add(f"WaitFlag<HardEvent::{event}>({name});")


def _narrows(expression: Expression) -> bool:
    """Values are rounded on their way, which makes some of them equal; the templates compute in float throughout."""
    if not isinstance(expression, Apply):
        return False
    return expression.dtype in ("float16", "bfloat16") or any(map(_narrows, expression.arguments))
