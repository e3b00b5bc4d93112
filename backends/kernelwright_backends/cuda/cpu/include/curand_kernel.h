// cuRAND's generators for kernels: XORWOW and Philox, with the sequences of the device.
#pragma once

#include "kernelwright/group.h"
#include "kernelwright/math.h"

struct curandStateXORWOW {
  unsigned d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned STATE;
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
using curandStateXORWOW_t = curandStateXORWOW;
using curandStatePhilox4_32_10_t = curandStatePhilox4_32_10;
using curandState = curandStateXORWOW;
using curandState_t = curandStateXORWOW;

namespace kw {
namespace random {

// The state is the user's memory.
template <class State>
KW_QUIET inline void used(const State* state, const void* site) {
  kw_access(state, sizeof *state, 0, site);
  kw_access(state, sizeof *state, 1, site);
}

// ---- XORWOW (Marsaglia): five words of xorshift and a Weyl sequence --------------------------------------------------

KW_QUIET inline unsigned next(curandStateXORWOW& s) {
  unsigned t = s.v[0] ^ (s.v[0] >> 2);
  for (int i = 0; i < 4; ++i) s.v[i] = s.v[i + 1];
  s.v[4] = (s.v[4] ^ (s.v[4] << 4)) ^ (t ^ (t << 1));
  s.d += 362437;
  return s.v[4] + s.d;
}
KW_QUIET inline void skip(curandStateXORWOW& s, unsigned long long count) {
  kw_xorwow_skip(s.v, count, 0);
  s.d += 362437u * (unsigned)count;
}
KW_QUIET inline void skip_sequences(curandStateXORWOW& s, unsigned long long count) { kw_xorwow_skip(s.v, count, 67); }
KW_QUIET inline void start(curandStateXORWOW& s, unsigned long long seed) {
  unsigned t0 = 1099087573u * ((unsigned)seed ^ 0xaad26b49u), t1 = 2591861531u * ((unsigned)(seed >> 32) ^ 0xf7dcefddu);
  s = {6615241u + t1 + t0, {123456789u + t0, 362436069u ^ t0, 521288629u + t1, 88675123u ^ t1, 5783321u + t0}, 0, 0, 0, 0};
}

// ---- Philox 4x32, ten rounds (Salmon and others) ---------------------------------------------------------------------

KW_QUIET inline uint4 rounds(uint4 c, uint2 key) {
  for (int i = 0; i < 10; ++i) {
    unsigned long long a = 0xd2511f53ull * c.x, b = 0xcd9e8d57ull * c.z;
    c = uint4{(unsigned)(b >> 32) ^ c.y ^ key.x, (unsigned)b, (unsigned)(a >> 32) ^ c.w ^ key.y, (unsigned)a};
    key.x += 0x9e3779b9u;
    key.y += 0xbb67ae85u;
  }
  return c;
}
KW_QUIET inline void advance(curandStatePhilox4_32_10& s, unsigned long long count) {
  unsigned long long low = (unsigned long long)s.ctr.y << 32 | s.ctr.x, sum = low + count;
  s.ctr.x = (unsigned)sum;
  s.ctr.y = (unsigned)(sum >> 32);
  if (sum < low && !++s.ctr.z) ++s.ctr.w;
}
KW_QUIET inline unsigned next(curandStatePhilox4_32_10& s) {
  unsigned result = (&s.output.x)[s.STATE++];
  if (s.STATE == 4) {
    advance(s, 1);
    s.output = rounds(s.ctr, s.key);
    s.STATE = 0;
  }
  return result;
}
KW_QUIET inline void skip(curandStatePhilox4_32_10& s, unsigned long long count) {
  s.STATE += (unsigned)(count & 3);
  count /= 4;
  if (s.STATE > 3) {
    ++count;
    s.STATE -= 4;
  }
  advance(s, count);
  s.output = rounds(s.ctr, s.key);
}
KW_QUIET inline void skip_sequences(curandStatePhilox4_32_10& s, unsigned long long count) {
  unsigned long long high = ((unsigned long long)s.ctr.w << 32 | s.ctr.z) + count;
  s.ctr.z = (unsigned)high;
  s.ctr.w = (unsigned)(high >> 32);
  s.output = rounds(s.ctr, s.key);
}
KW_QUIET inline void start(curandStatePhilox4_32_10& s, unsigned long long seed) {
  s = {};
  s.key = uint2{(unsigned)seed, (unsigned)(seed >> 32)};
}

// ---- distributions: above 0, up to and with 1 -------------------------------------------------------------------------

KW_QUIET inline float uniform(unsigned x) { return x * 2.3283064e-10f + 2.3283064e-10f / 2; }
KW_QUIET inline double uniform(unsigned x, unsigned y) {
  unsigned long long z = (unsigned long long)x ^ ((unsigned long long)y << 21);
  return z * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2;
}
KW_QUIET inline float2 normal(unsigned x, unsigned y) {
  float u = uniform(x), v = y * 1.46291807e-9f + 1.46291807e-9f / 2;
  float s = __builtin_sqrtf(-2.0f * __builtin_logf(u));
  return float2{__builtin_sinf(v) * s, __builtin_cosf(v) * s};
}
KW_QUIET inline double2 normal(unsigned x0, unsigned x1, unsigned y0, unsigned y1) {
  double u = uniform(x0, x1), v = uniform(y0, y1) * 6.283185307179586;
  double s = __builtin_sqrt(-2.0 * __builtin_log(u));
  return double2{__builtin_sin(v) * s, __builtin_cos(v) * s};
}
template <class State>
KW_QUIET inline float2 normal2(State& s) {
  unsigned x = next(s), y = next(s);
  return normal(x, y);
}
template <class State>
KW_QUIET inline double2 normal2_double(State& s) {
  unsigned x0 = next(s), x1 = next(s), y0 = next(s), y1 = next(s);
  return normal(x0, x1, y0, y1);
}
template <class State>
KW_QUIET inline float normal1(State& s) {
  if (s.boxmuller_flag) {
    s.boxmuller_flag = 0;
    return s.boxmuller_extra;
  }
  float2 two = normal2(s);
  s.boxmuller_extra = two.y;
  s.boxmuller_flag = 1;
  return two.x;
}
template <class State>
KW_QUIET inline double normal1_double(State& s) {
  if (s.boxmuller_flag_double) {
    s.boxmuller_flag_double = 0;
    return s.boxmuller_extra_double;
  }
  double2 two = normal2_double(s);
  s.boxmuller_extra_double = two.y;
  s.boxmuller_flag_double = 1;
  return two.x;
}
template <class State>
KW_QUIET inline uint4 next4(State& s) {
  uint4 four;
  four.x = next(s), four.y = next(s), four.z = next(s), four.w = next(s);
  return four;
}

}  // namespace random
}  // namespace kw

#define KW_HERE __builtin_return_address(0)
template <class State>
KW_OUT_OF_LINE void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, State* state) {
  kw_access(state, sizeof *state, 1, KW_HERE);
  kw::random::start(*state, seed);
  kw::random::skip_sequences(*state, subsequence);
  kw::random::skip(*state, offset);
}
template <class State>
KW_OUT_OF_LINE void skipahead(unsigned long long count, State* state) {
  kw::random::used(state, KW_HERE);
  kw::random::skip(*state, count);
}
template <class State>
KW_OUT_OF_LINE void skipahead_sequence(unsigned long long count, State* state) {
  kw::random::used(state, KW_HERE);
  kw::random::skip_sequences(*state, count);
}
#define KW_RANDOM(NAME, RESULT, EXPRESSION)       \
  template <class State>                          \
  KW_OUT_OF_LINE RESULT NAME(State* state) {      \
    kw::random::used(state, KW_HERE);             \
    auto& s = *state;                             \
    return EXPRESSION;                            \
  }
KW_RANDOM(curand, unsigned, kw::random::next(s))
KW_RANDOM(curand_uniform, float, kw::random::uniform(kw::random::next(s)))
KW_RANDOM(curand_normal, float, kw::random::normal1(s))
KW_RANDOM(curand_normal2, float2, kw::random::normal2(s))
KW_RANDOM(curand_normal_double, double, kw::random::normal1_double(s))
KW_RANDOM(curand_normal2_double, double2, kw::random::normal2_double(s))
#undef KW_RANDOM
template <class State>
KW_OUT_OF_LINE double curand_uniform_double(State* state) {
  kw::random::used(state, KW_HERE);
  unsigned x = kw::random::next(*state), y = kw::random::next(*state);
  return kw::random::uniform(x, y);
}
template <class State>
KW_OUT_OF_LINE float curand_log_normal(State* state, float mean, float deviation) {
  kw::random::used(state, KW_HERE);
  return __builtin_expf(mean + deviation * kw::random::normal1(*state));
}
template <class State>
KW_OUT_OF_LINE double curand_log_normal_double(State* state, double mean, double deviation) {
  kw::random::used(state, KW_HERE);
  return __builtin_exp(mean + deviation * kw::random::normal1_double(*state));
}
// Four at once: Philox only.
KW_OUT_OF_LINE uint4 curand4(curandStatePhilox4_32_10* state) {
  kw::random::used(state, KW_HERE);
  return kw::random::next4(*state);
}
KW_OUT_OF_LINE float4 curand_uniform4(curandStatePhilox4_32_10* state) {
  kw::random::used(state, KW_HERE);
  uint4 x = kw::random::next4(*state);
  return float4{kw::random::uniform(x.x), kw::random::uniform(x.y), kw::random::uniform(x.z), kw::random::uniform(x.w)};
}
KW_OUT_OF_LINE float4 curand_normal4(curandStatePhilox4_32_10* state) {
  kw::random::used(state, KW_HERE);
  uint4 x = kw::random::next4(*state);
  float2 low = kw::random::normal(x.x, x.y), high = kw::random::normal(x.z, x.w);
  return float4{low.x, low.y, high.x, high.y};
}
#undef KW_HERE
