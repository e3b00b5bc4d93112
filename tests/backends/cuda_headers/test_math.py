"""The math functions and integer intrinsics, each called once or more, against values known otherwise."""

import math
from collections.abc import Callable

import pytest

INF, NAN = math.inf, math.nan
FLOAT_ULP, DOUBLE_ULP = 2.0**-23, 2.0**-52


def norm_cdf(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2))


# (expression, value): a float or double, within 4 units in the last place of its type.
REAL = [
    ("expf(1.5f)", math.exp(1.5)), ("exp(1.5)", math.exp(1.5)), ("__expf(-2.0f)", math.exp(-2)),
    ("exp2f(0.5f)", 2**0.5), ("exp10f(0.5f)", 10**0.5), ("exp10(0.5)", 10**0.5), ("exp10(0.5f)", 10**0.5),
    ("__exp10f(1.0f)", 10), ("expm1f(1e-4f)", math.expm1(1e-4)), ("expm1(1e-9)", math.expm1(1e-9)),
    ("logf(3.0f)", math.log(3)), ("__logf(3.0f)", math.log(3)), ("log2f(3.0f)", math.log2(3)),
    ("__log2f(3.0f)", math.log2(3)), ("log10f(3.0f)", math.log10(3)), ("__log10f(3.0f)", math.log10(3)),
    ("log1pf(1e-4f)", math.log1p(1e-4)), ("logbf(10.0f)", 3), ("powf(2.5f, 1.5f)", 2.5**1.5),
    ("__powf(2.5f, 1.5f)", 2.5**1.5), ("__powf(-2.0f, 2.0f)", NAN), ("pow(2.5, 1.5)", 2.5**1.5),
    ("sqrtf(2.0f)", math.sqrt(2)), ("__fsqrt_rn(2.0f)", math.sqrt(2)), ("rsqrtf(2.0f)", 2**-0.5),
    ("rsqrt(2.0)", 2**-0.5), ("rsqrt(2.0f)", 2**-0.5), ("__frsqrt_rn(2.0f)", 2**-0.5), ("rsqrtf(0.0f)", INF),
    ("cbrtf(5.0f)", 5 ** (1 / 3)), ("rcbrtf(5.0f)", 5 ** (-1 / 3)), ("rcbrt(5.0)", 5 ** (-1 / 3)),
    ("sinf(1.0f)", math.sin(1)), ("__sinf(1.0f)", math.sin(1)), ("cosf(1.0f)", math.cos(1)),
    ("__cosf(1.0f)", math.cos(1)), ("tanf(1.0f)", math.tan(1)), ("__tanf(1.0f)", math.tan(1)),
    ("asinf(0.5f)", math.asin(0.5)), ("acosf(0.5f)", math.acos(0.5)), ("atanf(0.5f)", math.atan(0.5)),
    ("atan2f(1.0f, -2.0f)", math.atan2(1, -2)), ("sinhf(1.0f)", math.sinh(1)), ("coshf(1.0f)", math.cosh(1)),
    ("tanhf(0.5f)", math.tanh(0.5)), ("__tanhf(0.5f)", 3786 / 2**13), ("asinhf(0.5f)", math.asinh(0.5)),
    ("acoshf(1.5f)", math.acosh(1.5)), ("atanhf(0.5f)", math.atanh(0.5)),
    ("sinpif(0.25f)", 2**-0.5), ("sinpi(1.0)", 0), ("sinpi(-1.5)", 1), ("sinpif(1e10f)", 0), ("cospif(0.5f)", 0),
    ("cospi(1.0)", -1), ("cospi(-0.25f)", 2**-0.5), ("sinpi(2.25)", 2**-0.5), ("cospi(1e300)", 1),
    ("erff(0.5f)", math.erf(0.5)), ("erfcf(2.0f)", math.erfc(2)), ("erf(0.5)", math.erf(0.5)),
    ("erf(erfinv(0.3))", 0.3), ("erff(erfinvf(0.9f))", 0.9), ("erf(erfinv(-0.75))", -0.75), ("erfinv(1.0)", INF),
    ("erfc(erfcinv(1e-200)) * 1e200", 1.0 + 0j), ("erfc(erfcinv(1.5))", 1.5), ("erfcinvf(2.5f)", NAN),
    ("erfcx(1.0)", math.exp(1) * math.erfc(1)), ("erfcx(30.0)", 0.018795888861416751), ("erfcxf(-1.0f)", math.exp(1) * math.erfc(-1)),
    ("normcdff(-1.5f)", norm_cdf(-1.5)), ("normcdf(-1.5)", norm_cdf(-1.5)), ("normcdf(normcdfinv(0.975))", 0.975),
    ("normcdfinvf(0.5f)", 0), ("lgammaf(4.5f)", math.lgamma(4.5)), ("tgammaf(4.5f)", math.gamma(4.5)),
    ("j0f(1.0f)", 0.7651976865579666), ("j1f(1.0f)", 0.44005058574493355), ("y0f(1.0f)", 0.08825696421567697),
    ("jnf(2, 1.0f)", 0.11490348493190048), ("cyl_bessel_i0(1.0)", 1.2660658777520084),
    ("cyl_bessel_i1(-1.0)", -0.5651591039924850), ("cyl_bessel_i0f(20.0f)", 43558282.559553534),
    ("fmaf(2.0f, 3.0f, 4.0f)", 10), ("__fmaf_rn(2.0f, 3.0f, 4.0f)", 10), ("fma(2.0, 3.0, 4.0)", 10),
    ("__fadd_rn(1.0f, 2.0f)", 3), ("__fsub_rn(1.0f, 2.0f)", -1), ("__fmul_rn(3.0f, 2.0f)", 6), ("__fdiv_rn(3.0f, 2.0f)", 1.5),
    ("__frcp_rn(4.0f)", 0.25), ("__drcp_rn(4.0)", 0.25), ("__dadd_rn(1.0, 2.0)", 3), ("__fdividef(3.0f, 2.0f)", 1.5),
    ("__fdividef(3.0f, 0x1.8p126f)", 0), ("__fdividef(INFINITY, 0x1.8p126f)", NAN), ("fdividef(3.0f, 2.0f)", 1.5),
    ("fmaxf(NAN, 2.0f)", 2), ("fminf(2.0f, NAN)", 2), ("fmax(1.0, 2.0)", 2), ("max(1.0f, NAN)", 1), ("min(NAN, 1.0)", 1),
    ("1.0f / fmaxf(-0.0f, 0.0f)", INF), ("1.0f / fminf(0.0f, -0.0f)", -INF), ("max(1.0f, 2.0)", 2), ("min(1.0, 2.0f)", 1),
    ("fabsf(-2.0f)", 2), ("abs(-2.5f)", 2.5), ("fmodf(7.0f, 4.0f)", 3), ("remainderf(7.0f, 4.0f)", -1),
    ("floorf(-1.5f)", -2), ("ceilf(-1.5f)", -1), ("truncf(-1.5f)", -1), ("roundf(2.5f)", 3), ("rintf(2.5f)", 2),
    ("nearbyintf(3.5f)", 4), ("copysignf(1.0f, -2.0f)", -1), ("fdimf(3.0f, 1.0f)", 2), ("hypotf(3.0f, 4.0f)", 5),
    ("rhypotf(3.0f, 4.0f)", 0.2), ("norm3df(2.0f, 3.0f, 6.0f)", 7), ("norm4d(1.0, 1.0, 1.0, 1.0)", 2),
    ("rnorm3df(2.0f, 3.0f, 6.0f)", 1 / 7), ("rnorm4df(1.0f, 1.0f, 1.0f, 1.0f)", 0.5), ("normf(3, three)", 7),
    ("rnormf(3, three)", 1 / 7), ("ldexpf(1.5f, 3)", 12), ("scalbnf(1.5f, 3)", 12), ("nextafterf(1.0f, 2.0f)", 1 + 2**-23),
    ("__saturatef(1.5f)", 1), ("__saturatef(-1.0f)", 0), ("__saturatef(NAN)", 0),
    ("__int_as_float(0x3f800000)", 1), ("__uint_as_float(0x40000000u)", 2), ("__longlong_as_double(0x3ff0000000000000ll)", 1),
    ("__hiloint2double(0x3ff80000, 0)", 1.5), ("__int2float_rn(16777217)", 16777216), ("__int2float_ru(16777217)", 16777218),
    ("__uint2float_rz(4294967295u)", 4294967040), ("__ll2float_rd(-16777217ll)", -16777218), ("__ull2double_rn(3ull)", 3),
    ("__ull2float_ru(18446744073709551615ull)", 2.0**64), ("__double2float_rd(0.1)", 0.0999999940395355224609375),
    ("__double2float_ru(0.1)", 0.100000001490116119384765625), ("CUDART_INF_F", INF), ("CUDART_NAN", NAN), ("CUDART_PI", math.pi),
    ("CUDART_NEG_ZERO_F", 0), ("frexpf(12.0f, &exponent)", 0.75), ("modff(2.75f, &whole)", 0.75), ("sine_and_cosine(0.5f)", math.sin(0.5) + 2 * math.cos(0.5)),
]  # fmt: skip

# Compared exactly, as long long.
INTEGER = [
    ("__float2int_rn(2.5f)", 2), ("__float2int_rz(-2.9f)", -2), ("__float2int_ru(2.1f)", 3), ("__float2int_rd(-2.1f)", -3),
    ("__float2int_rz(3e9f)", 2**31 - 1), ("__float2int_rz(-3e9f)", -(2**31)), ("__float2int_rn(NAN)", 0),
    ("__float2uint_rn(-1.0f)", 0), ("__float2uint_rz(5e9f)", 2**32 - 1), ("__float2ll_rz(1e19f)", 2**63 - 1),
    ("(long long)__float2ull_rz(1e19f)", 9999999980506447872 - 2**64), ("__double2int_rn(-2.5)", -2), ("__double2uint_rn(4294967295.4)", 2**32 - 1),
    ("__double2ll_rd(-0.5)", -1), ("__float_as_int(1.0f)", 0x3F800000), ("__float_as_uint(-1.0f)", 0xBF800000),
    ("__double_as_longlong(1.0)", 0x3FF0000000000000), ("__double2hiint(1.0)", 0x3FF00000), ("__double2loint(1.0)", 0),
    ("__popc(0xf0f0u)", 8), ("__popcll(~0ull)", 64), ("__clz(1)", 31), ("__clz(0)", 32), ("__clzll(1)", 63), ("__clzll(0)", 64),
    ("__ffs(8)", 4), ("__ffs(0)", 0), ("__ffsll(1ll << 40)", 41), ("__brev(1u)", 2**31), ("__brev(0x12345678u)", 0x1E6A2C48),
    ("(long long)(__brevll(2ull) >> 32)", 2**30), ("__fns(0xb0u, 0, 2)", 5), ("__fns(0xb0u, 7, -2)", 5), ("__fns(1u, 1, 1)", 2**32 - 1),
    ("__byte_perm(0x03020100, 0x07060504, 0x7531)", 0x07050301), ("__byte_perm(0x80, 0, 0x888b)", 0x80808000),
    ("__funnelshift_l(0x80000000u, 1u, 4)", 0x18), ("__funnelshift_r(0x80000000u, 1u, 4)", 0x18000000),
    ("__funnelshift_lc(5u, 6u, 40)", 5), ("__funnelshift_rc(5u, 6u, 32)", 6), ("__funnelshift_l(5u, 6u, 32)", 6),
    ("__mulhi(-1, 2)", -1), ("__umulhi(0xffffffffu, 2u)", 1), ("__mul64hi(-1, 2)", -1), ("(long long)__umul64hi(~0ull, 2)", 1),
    ("__mul24(0x1000003, 2)", 6), ("__mul24(-3, 5)", -15), ("__umul24(0xff000003u, 2u)", 6), ("__hadd(-3, 0)", -2), ("__rhadd(2, 3)", 3),
    ("__uhadd(0xffffffffu, 1u)", 2**31), ("__urhadd(2u, 3u)", 3), ("__sad(-2, 3, 1u)", 6), ("__usad(2u, 3u, 1u)", 2),
    ("__dp4a(0x01ff0203, 0x02020202, 5)", 5 + 2 - 2 + 4 + 6), ("__dp4a(0x01ff0203u, 0x02020202u, 5u)", 5 + 2 + 510 + 4 + 6),
    ("__dp4a(char4{1, -2, 3, -4}, char4{1, 1, 1, 1}, 10)", 8), ("__dp2a_lo(0x0002ffff, 0x00000301, 0)", 5), ("__dp2a_hi(0x0002ffff, 0x03010000, 0)", 5),
    ("__vadd4(0xff01ff01u, 0x01010101u)", 0x00020002), ("__vaddus4(0xff01ff01u, 0x01010101u)", 0xFF02FF02),
    ("__vaddss4(0x7f80ff01u, 0x01ff0101u)", 0x7F800002), ("__vsub2(0x00010000u, 0x00010001u)", 0x0000FFFF),
    ("__vabsdiffu4(0x01050a00u, 0x05010a01u)", 0x04040001), ("__vmaxs4(0x80ff0001u, 0x00000000u)", 0x00000001),
    ("__vmaxu4(0x80ff0001u, 0x00000000u)", 0x80FF0001), ("__vmins2(0x8000ffffu, 0x00000000u)", 0x8000FFFF),
    ("__vcmpeq4(0x01020304u, 0x01000300u)", 0xFF00FF00), ("__vcmpgts2(0x00018000u, 0x00000000u)", 0xFFFF0000),
    ("__vsetltu4(0x01020304u, 0x02020404u)", 0x01000100), ("__vabs4(0x80ff0102u)", 0x80010102), ("__vabsss4(0x80ff0102u)", 0x7F010102),
    ("__vneg2(0x00018000u)", 0xFFFF8000), ("__vavgu4(0x01020304u, 0x02020404u)", 0x02020404), ("__vsadu4(0x01020304u, 0x02020000u)", 8),
    ("max(3, 4)", 4), ("min(-1, 4)", -1), ("max(-1, 4u)", 2**32 - 1), ("min(3ll, 4ll)", 3), ("max(3ul, 4ul)", 4), ("max(-1l, 4l)", 4),
    ("umax(3u, 4u)", 4), ("umin(3u, 4u)", 3), ("llmax(-3, 4)", 4), ("llmin(-3, 4)", -3), ("abs(-3)", 3), ("abs(-3ll)", 3),
    ("isnan(NAN)", 1), ("isinf(1.0f)", 0), ("isfinite(1.0)", 1), ("signbit(-0.0f) != 0", 1), ("ilogbf(10.0f)", 3), ("lrintf(2.5f)", 2),
    ("llroundf(2.5f)", 3), ("__ldg(three + 1) == 3.0f", 1), ("__ldcs(&four).w == 4.0f", 1), ("stored(7)", 7),
    ("dim3(4).y + dim3(4, 5).z", 2), ("(int)sizeof(float3) * 100 + (int)alignof(float4)", 1216), ("make_int4(1, 2, 3, 4).w", 4),
    ("(int)make_uchar4(255, 2, 3, 4).x", 255), ("(int)alignof(double2) + (int)alignof(short4) + (int)alignof(char3)", 25),
    ("__fadd_ru(1.0f, 1e-10f) > 1.0f && __fadd_rd(1.0f, 1e-10f) == 1.0f && __fadd_rz(-1.0f, 1e-10f) > -1.0f", 1),
    ("__fdiv_ru(1.0f, 3.0f) > __fdiv_rd(1.0f, 3.0f) && __fsqrt_ru(2.0f) > __fsqrt_rd(2.0f)", 1),
    ("__fmaf_ru(third, 3.0f, -1.0f) == __fmaf_rd(third, 3.0f, -1.0f)", 1), ("__fmul_rn(third, 3.0f) - 1.0f == 0.0f", 1),
    ("__dadd_ru(1.0, 1e-20) > 1.0 && __ddiv_rz(1.0, 3.0) <= __ddiv_ru(1.0, 3.0) && __fma_rn(0.1, 10.0, -1.0) != 0", 1),
]  # fmt: skip

PROGRAM = """
#include <math_constants.h>
#include <cstdio>
extern "C" void kw_read_only_load(const void*, size_t) {{}}  // nothing stores here
[[maybe_unused]] static float sine_and_cosine(float x) {{
  float sine, cosine;
  sincosf(x, &sine, &cosine);
  return sine + 2 * cosine;
}}
[[maybe_unused]] static int stored(int value) {{
  int place = 0;
  __stcs(&place, value);
  return place;
}}
int main() {{
  const float three[] = {{2.0f, 3.0f, 6.0f}};
  const float4 four = make_float4(1.0f, 2.0f, 3.0f, 4.0f);
  volatile float one_third = 1.0f / 3.0f;
  const float third = one_third;
  float whole = 0;
  int exponent = 0;
  (void)third, (void)whole, (void)exponent, (void)four, (void)three;
{statements}
}}
"""


@pytest.mark.parametrize("standard", ["c++17", "c++20"])
def test_real_functions(run: Callable[..., bytes], standard: str) -> None:
    statements = "".join(
        f'  std::printf("%zu %.17g\\n", sizeof({call}), static_cast<double>({call}));\n' for call, _ in REAL
    )
    lines = run(PROGRAM.format(statements=statements), standard).decode().splitlines()
    assert len(lines) == len(REAL)
    wrong = []
    for (call, want), line in zip(REAL, lines, strict=True):
        size, value = line.split()
        have = float(value)
        # A value given as complex has been through an ill-conditioned inverse.
        tolerance = 1e-9 if isinstance(want, complex) else 4 * (FLOAT_ULP if size == "4" else DOUBLE_ULP)
        want = want.real
        same = (
            math.isnan(have)
            if math.isnan(want)
            else have == want or abs(have - want) <= tolerance * abs(want)
        )
        if not same:
            wrong.append((call, have, want))
    assert wrong == []


@pytest.mark.parametrize("standard", ["c++17", "c++20"])
def test_integer_functions(run: Callable[..., bytes], standard: str) -> None:
    statements = "".join(
        f'  std::printf("%lld\\n", static_cast<long long>({call}));\n' for call, _ in INTEGER
    )
    lines = run(PROGRAM.format(statements=statements), standard).decode().splitlines()
    assert [(call, int(line)) for (call, _), line in zip(INTEGER, lines, strict=True)] == INTEGER
