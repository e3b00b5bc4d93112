// Thrust's engines and distributions, for host and kernels.
#pragma once

#include <cmath>
#include <cstdint>

#include "memory.h"

namespace thrust {
namespace random {

template <class Unsigned, Unsigned multiplier, Unsigned increment, Unsigned modulus>
class linear_congruential_engine {
 public:
  using result_type = Unsigned;
  static const Unsigned default_seed = 1;
  static constexpr Unsigned min = increment == 0 ? 1 : 0;
  static constexpr Unsigned max = modulus - 1;

  KW_QUIET explicit linear_congruential_engine(Unsigned start = default_seed) { seed(start); }
  KW_QUIET void seed(Unsigned start = default_seed) {
    state_ = start % modulus;
    if (increment == 0 && state_ == 0) state_ = 1;
  }
  KW_QUIET Unsigned operator()() {
    state_ = (Unsigned)(((uint64_t)state_ * multiplier + increment) % modulus);
    return state_;
  }
  // As if called `steps` times.
  KW_QUIET void discard(unsigned long long steps) {
    uint64_t factor = multiplier % modulus, addend = increment % modulus, all_factor = 1, all_addend = 0;
    for (; steps; steps >>= 1) {
      if (steps & 1) {
        all_factor = all_factor * factor % modulus;
        all_addend = (all_addend * factor + addend) % modulus;
      }
      addend = (factor + 1) * addend % modulus;
      factor = factor * factor % modulus;
    }
    state_ = (Unsigned)((all_factor * state_ + all_addend) % modulus);
  }
  KW_QUIET friend bool operator==(const linear_congruential_engine& a, const linear_congruential_engine& b) { return a.state_ == b.state_; }

 private:
  Unsigned state_;
};
using minstd_rand0 = linear_congruential_engine<uint32_t, 16807, 0, 2147483647>;
using minstd_rand = linear_congruential_engine<uint32_t, 48271, 0, 2147483647>;
using default_random_engine = minstd_rand;

template <class T = double>
class uniform_real_distribution {
 public:
  using result_type = T;
  KW_QUIET explicit uniform_real_distribution(T low = T(0), T high = T(1)) : low_(low), high_(high) {}
  KW_QUIET void reset() {}
  KW_QUIET T a() const { return low_; }
  KW_QUIET T b() const { return high_; }
  template <class Engine>
  KW_QUIET T operator()(Engine& engine) const {
    T share = (T)(engine() - Engine::min) / ((T)(Engine::max - Engine::min) + T(1));
    return share * (high_ - low_) + low_;
  }

 private:
  T low_, high_;
};

template <class T = int>
class uniform_int_distribution {
 public:
  using result_type = T;
  KW_QUIET explicit uniform_int_distribution(T low = 0, T high = (T)(~(T)0 < 0 ? 2147483647 : ~(T)0)) : low_(low), high_(high) {}
  KW_QUIET void reset() {}
  KW_QUIET T a() const { return low_; }
  KW_QUIET T b() const { return high_; }
  template <class Engine>
  KW_QUIET T operator()(Engine& engine) const {
    uniform_real_distribution<double> real((double)low_, (double)high_ + 1.0);
    return (T)std::floor(real(engine));
  }

 private:
  T low_, high_;
};

template <class T = double>
class normal_distribution {
 public:
  using result_type = T;
  KW_QUIET explicit normal_distribution(T mean = T(0), T deviation = T(1)) : mean_(mean), deviation_(deviation) {}
  KW_QUIET void reset() {}
  KW_QUIET T mean() const { return mean_; }
  KW_QUIET T stddev() const { return deviation_; }
  template <class Engine>
  KW_QUIET T operator()(Engine& engine) const {
    double range = (double)(Engine::max - Engine::min) + 1.0;
    double first = 1.0 - (double)(engine() - Engine::min) / range, second = (double)(engine() - Engine::min) / range;
    return mean_ + deviation_ * (T)(std::sqrt(-2.0 * std::log(first)) * std::cos(6.283185307179586 * second));
  }

 private:
  T mean_, deviation_;
};

}  // namespace random

using random::default_random_engine;
using random::linear_congruential_engine;
using random::minstd_rand;
using random::minstd_rand0;
using random::normal_distribution;
using random::uniform_int_distribution;
using random::uniform_real_distribution;

}  // namespace thrust
