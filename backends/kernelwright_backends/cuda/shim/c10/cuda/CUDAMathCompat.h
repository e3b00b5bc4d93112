// Mathematics by the name that PyTorch gives it in device code: overloads for float and double.
#pragma once

#include <cmath>

namespace c10::cuda::compat {

#define KW_ONE(NAME)                                         \
  inline float NAME(float x) { return ::NAME##f(x); }        \
  inline double NAME(double x) { return ::NAME(x); }
KW_ONE(exp) KW_ONE(ceil) KW_ONE(floor) KW_ONE(log) KW_ONE(sqrt) KW_ONE(sin) KW_ONE(cos) KW_ONE(tan) KW_ONE(tanh) KW_ONE(normcdf)
KW_ONE(rsqrt)
#undef KW_ONE
#define KW_TWO(NAME)                                                     \
  inline float NAME(float x, float y) { return ::NAME##f(x, y); }        \
  inline double NAME(double x, double y) { return ::NAME(x, y); }
KW_TWO(copysign) KW_TWO(pow)
#undef KW_TWO
inline float abs(float x) { return ::fabsf(x); }
inline double abs(double x) { return ::fabs(x); }
inline float div(float x, float y) { return x / y; }
inline double div(double x, double y) { return x / y; }
inline float max(float x, float y) { return ::fmaxf(x, y); }
inline double max(double x, double y) { return ::fmax(x, y); }
inline float min(float x, float y) { return ::fminf(x, y); }
inline double min(double x, double y) { return ::fmin(x, y); }
inline void sincos(float x, float* sine, float* cosine) { ::sincosf(x, sine, cosine); }
inline void sincos(double x, double* sine, double* cosine) { ::sincos(x, sine, cosine); }

}  // namespace c10::cuda::compat
