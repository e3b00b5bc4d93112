"""Pointwise operations taken apart into those that the vector unit has: sums, products, quotients, exp, log, sqrt, abs,
larger and smaller, roundings, comparisons and the choice between two. Everything is computed in float; what is true is 1."""

from collections.abc import Callable

from kernelwright_memory.generators.templates.graph.graph import (
    Apply,
    Constant,
    Expression,
    Load,
    Unsupported,
)
from kernelwright_memory.generators.templates.graph.operators import FLOATING

BINARY = {"add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div", "maximum": "Max", "minimum": "Min"}
UNARY = {"exp": "Exp", "log": "Ln", "sqrt": "Sqrt", "abs": "Abs"}
ROUNDING = {"floor": "CAST_FLOOR", "ceil": "CAST_CEIL", "trunc": "CAST_TRUNC", "round": "CAST_RINT"}
COMPARISON = {"lt": "LT", "le": "LE", "gt": "GT", "ge": "GE", "eq": "EQ", "ne": "NE"}
_FLOAT = "float32"
# Abramowitz and Stegun 7.1.26: 1 - erf(x) for x >= 0 within 1.5e-7.
_ERF_P = 0.3275911
_TINY = 1e-30
_ERF = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)


def primitive(expression: Expression) -> Expression:
    """The same value by primitive operations; what is shared stays shared.

    Raises:
        Unsupported: an operation or an element type that the vector templates do not cover.
    """
    done: dict[int, Expression] = {}

    def walk(e: Expression) -> Expression:
        if id(e) not in done:
            if isinstance(e, Apply):
                done[id(e)] = _apart(e.operation, tuple(walk(a) for a in e.arguments), e)
            else:
                done[id(e)] = e
        return done[id(e)]

    return walk(expression)


def _number(value: float) -> Constant:
    return Constant(_FLOAT, value)


def _op(operation: str, *arguments: Expression | float) -> Apply:
    return Apply(_FLOAT, operation, tuple(a if isinstance(a, Expression) else _number(a) for a in arguments))


def _apart(operation: str, arguments: tuple[Expression, ...], whole: Apply) -> Expression:
    if whole.dtype not in (*FLOATING, "bool"):
        raise Unsupported(f"arithmetic in {whole.dtype} is not written in Ascend C")
    if operation == "convert":
        (argument,) = arguments
        return _op("ne", argument, 0.0) if whole.dtype == "bool" and argument.dtype != "bool" else argument
    if whole.guarded and any(map(_may_lie_outside, whole.arguments[1:])):
        raise Unsupported("tensors that are joined or padded are not written in Ascend C")
    if operation in _LOGICAL:
        given = zip(arguments, whole.arguments, strict=True)
        arguments = tuple(a if before.dtype == "bool" else _op("ne", a, 0.0) for a, before in given)
    if operation in COMPARISON:
        return Apply("bool", operation, arguments)
    if operation in BINARY or operation in UNARY or operation in ROUNDING or operation == "where":
        return Apply(_FLOAT, operation, arguments)
    make = _COMPOSITES.get(operation)
    if make is None:
        raise Unsupported(f"the operation '{operation}' is not written in Ascend C")
    return make(arguments)


def _may_lie_outside(branch: Expression) -> bool:
    """What is read where the condition holds: an element that is looked up is not read where there is none."""
    if isinstance(branch, Apply):
        return any(map(_may_lie_outside, branch.arguments))
    return isinstance(branch, Load) and not branch.gathered


def _logistic(x: Expression | float, of: Expression) -> Expression:
    """x / (1 + exp(-of))."""
    return _op("div", x, _op("add", _op("exp", _op("mul", of, -1.0)), 1.0))


def _expm1(x: Expression) -> Expression:
    """exp(x) - 1 without loss near 0 (Kahan): x (u - 1) / log u for u = exp(x); u = 1 gives x."""
    inside = _op("minimum", _op("maximum", x, -30.0), 88.0)
    u = _op("exp", inside)
    above, below = _op("add", _op("sub", u, 1.0), _TINY), _op("add", _op("log", u), _TINY)
    return _op("mul", inside, _op("div", above, below))


def _log1p(x: Expression) -> Expression:
    """log(1 + x) without loss near 0, by the same idea."""
    u = _op("add", x, 1.0)
    above, below = _op("add", _op("log", u), _TINY), _op("add", _op("sub", u, 1.0), _TINY)
    return _op("mul", x, _op("div", above, below))


def _tanh(x: Expression) -> Expression:
    grown = _expm1(_op("minimum", _op("mul", x, 2.0), 40.0))
    return _op("div", grown, _op("add", grown, 2.0))


def _not_erf(x: Expression) -> Expression:
    """1 - erf(|x|)."""
    size = _op("abs", x)
    t = _op("div", 1.0, _op("add", _op("mul", size, _ERF_P), 1.0))
    total: Expression = _op("mul", t, _ERF[-1])
    for factor in reversed(_ERF[:-1]):
        total = _op("mul", _op("add", total, factor), t)
    return _op("mul", total, _op("exp", _op("mul", _op("mul", size, size), -1.0)))


def _gelu(x: Expression) -> Expression:
    """max(x, 0) - |x| (1 - erf(|x| / sqrt 2)) / 2: nothing cancels for negative x."""
    rest = _op("mul", _op("mul", _op("abs", x), _not_erf(_op("mul", x, 0.7071067811865476))), 0.5)
    return _op("sub", _op("maximum", x, 0.0), rest)


def _gelu_tanh(x: Expression) -> Expression:
    cube = _op("mul", _op("mul", x, x), x)
    inner = _op("mul", _op("add", x, _op("mul", cube, 0.044715)), 2 * 0.7978845608028654)
    return _logistic(x, inner)


def _elu(x: Expression, alpha: Expression, scale: Expression, inner: Expression) -> Expression:
    low = _expm1(_op("minimum", _op("mul", x, inner), 0.0))
    return _op("add", _op("mul", _op("maximum", x, 0.0), scale), _op("mul", _op("mul", low, alpha), scale))


def _softplus(x: Expression, beta: Expression | float = 1.0) -> Expression:
    scaled = _op("mul", x, beta)
    tail = _log1p(_op("exp", _op("mul", _op("abs", scaled), -1.0)))
    return _op("div", _op("add", _op("maximum", scaled, 0.0), tail), beta)


def _mish(x: Expression) -> Expression:
    e = _op("exp", _op("minimum", x, 20.0))
    n = _op("mul", e, _op("add", e, 2.0))
    return _op("mul", x, _op("div", n, _op("add", n, 2.0)))


def _hard(x: Expression) -> Expression:
    return _op("mul", _op("minimum", _op("maximum", _op("add", x, 3.0), 0.0), 6.0), 1.0 / 6.0)


def _pow(base: Expression, exponent: Expression) -> Expression:
    if isinstance(exponent, Constant) and float(exponent.value) in (1.0, 2.0, 3.0, 4.0):
        result = base
        for _ in range(int(exponent.value) - 1):
            result = _op("mul", result, base)
        return result
    raise Unsupported("a power with that exponent is not written in Ascend C")


def _huber(x: Expression, y: Expression, delta: Expression) -> Expression:
    """m (d - m / 2) for d = |x - y| and m = min(d, delta): a square below delta, a line above."""
    size = _op("abs", _op("sub", x, y))
    inner = _op("minimum", size, delta)
    return _op("mul", inner, _op("sub", size, _op("mul", inner, 0.5)))


def _smooth_l1(x: Expression, y: Expression, beta: Expression) -> Expression:
    if isinstance(beta, Constant) and not beta.value:
        return _op("abs", _op("sub", x, y))
    return _op("div", _huber(x, y, beta), beta)


def _xlogy(x: Expression, y: Expression) -> Expression:
    """x log y, and 0 for x = 0 whatever y is: the least float in place of the logarithm of 0."""
    return _op("mul", x, _op("maximum", _op("log", y), _LEAST))


def _sign(x: Expression) -> Expression:
    return _op("sub", Apply("bool", "gt", (x, _number(0.0))), Apply("bool", "lt", (x, _number(0.0))))


_LOGICAL: dict[str, Callable[[tuple[Expression, ...]], Expression]] = {
    "logical_and": lambda a: _op("minimum", *a),
    "logical_or": lambda a: _op("maximum", *a),
    "logical_not": lambda a: _op("sub", 1.0, a[0]),
}
_LEAST = -3.4028234663852886e38
_LN2, _LN10 = 0.6931471805599453, 2.302585092994046
_COMPOSITES: dict[str, Callable[[tuple[Expression, ...]], Expression]] = {
    "neg": lambda a: _op("mul", a[0], -1.0),
    "square": lambda a: _op("mul", a[0], a[0]),
    "reciprocal": lambda a: _op("div", 1.0, a[0]),
    "rsqrt": lambda a: _op("div", 1.0, _op("sqrt", a[0])),
    "expm1": lambda a: _expm1(a[0]),
    "exp2": lambda a: _op("exp", _op("mul", a[0], _LN2)),
    "log1p": lambda a: _log1p(a[0]),
    "log2": lambda a: _op("mul", _op("log", a[0]), 1 / _LN2),
    "log10": lambda a: _op("mul", _op("log", a[0]), 1 / _LN10),
    "relu": lambda a: _op("maximum", a[0], 0.0),
    "sigmoid": lambda a: _logistic(1.0, a[0]),
    "silu": lambda a: _logistic(a[0], a[0]),
    "tanh": lambda a: _tanh(a[0]),
    "gelu": lambda a: _gelu(a[0]),
    "gelu_tanh": lambda a: _gelu_tanh(a[0]),
    "leaky_relu": lambda a: _op(
        "add", _op("maximum", a[0], 0.0), _op("mul", _op("minimum", a[0], 0.0), a[1])
    ),
    "elu": lambda a: _elu(*a),
    "softplus": lambda a: _softplus(a[0], a[1]),
    "hardsigmoid": lambda a: _hard(a[0]),
    "hardswish": lambda a: _op("mul", a[0], _hard(a[0])),
    "mish": lambda a: _mish(a[0]),
    "log_sigmoid": lambda a: _op("mul", _softplus(_op("mul", a[0], -1.0)), -1.0),
    "pow": lambda a: _pow(*a),
    "huber": lambda a: _huber(*a),
    "smooth_l1": lambda a: _smooth_l1(*a),
    "xlogy": lambda a: _xlogy(*a),
    "sign": lambda a: _sign(a[0]),
    "isnan": lambda a: Apply("bool", "ne", (a[0], a[0])),
    **_LOGICAL,
}
