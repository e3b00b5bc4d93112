// What the fast functions of a traced object call: the accurate ones, under names that distinguish them.
#include <cmath>

extern "C" {

float kw_fast_expf(float x) { return std::exp(x); }
float kw_fast_exp10f(float x) { return std::pow(10.0f, x); }
float kw_fast_logf(float x) { return std::log(x); }
float kw_fast_log2f(float x) { return std::log2(x); }
float kw_fast_log10f(float x) { return std::log10(x); }
float kw_fast_sinf(float x) { return std::sin(x); }
float kw_fast_cosf(float x) { return std::cos(x); }
void kw_fast_sincosf(float x, float* sine, float* cosine) {
  *sine = std::sin(x);
  *cosine = std::cos(x);
}
float kw_fast_tanf(float x) { return std::tan(x); }
float kw_fast_powf(float x, float y) { return std::pow(x, y); }
float kw_fast_dividef(float x, float y) { return x / y; }
float kw_fast_rsqrtf(float x) { return 1 / std::sqrt(x); }
}
