// The generators and distributions of cuRAND that are asked for seldom: MRG32k3a, Poisson, several doubles at once.
#include <curand_kernel.h>

#include <cmath>

#include "../../check.cuh"

constexpr int threads = 64, draws = 200;

__global__ void streams(unsigned* out) {
  curandStateMRG32k3a whole, part;
  curand_init(1234, 0, 0, &whole);
  for (int i = 0; i < 1000; ++i) curand(&whole);
  curand_init(1234, 0, 1000, &part);
  out[0] = curand(&whole) - curand(&part);  // the same place, reached by steps and at once
  curandStateMRG32k3a third, skipped;
  curand_init(1234, 3, 0, &third);
  curand_init(1234, 0, 0, &skipped);
  skipahead_subsequence(3, &skipped);
  out[1] = curand(&third) - curand(&skipped);
}

template <class State>
__global__ void sums(double* uniform, double* normal, double* counts) {
  State state;
  curand_init(42, threadIdx.x, 0, &state);
  double u = 0, n = 0, c = 0;
  for (int i = 0; i < draws; ++i) {
    u += curand_uniform_double(&state);
    n += curand_normal(&state);
    c += curand_poisson(&state, i % 2 ? 4.0 : 100.0);
  }
  uniform[threadIdx.x] = u, normal[threadIdx.x] = n, counts[threadIdx.x] = c;
}

__global__ void several(double* out) {
  curandStatePhilox4_32_10_t state;
  curand_init(5, threadIdx.x, 0, &state);
  const double2 two = curand_uniform2_double(&state);
  const double4 four = curand_uniform4_double(&state), normals = curand_normal4_double(&state);
  const float4 logs = curand_log_normal4(&state, 0.0f, 0.5f);
  const float2 log2 = curand_log_normal2(&state, 0.0f, 0.5f);
  const uint4 counts = curand_poisson4(&state, 3.0);
  const bool in = two.x > 0 && two.y <= 1 && four.x > 0 && four.w <= 1 && fabs(normals.z) < 10 && logs.x > 0 && log2.y > 0 && counts.w < 40;
  out[threadIdx.x] = in;
}

struct Drawn {
  unsigned first, eighth;
  float uniform, normal;
  double uniform_double, normal_double;
  unsigned counts[6];
};

template <class State>
__global__ void one_of_each(Drawn* out) {
  State state;
  curand_init(1234, 3, 0, &state);
  Drawn drawn;
  drawn.first = curand(&state);
  for (int i = 0; i < 7; ++i) drawn.eighth = curand(&state);
  for (int i = 0; i < 4; ++i) drawn.uniform = curand_uniform(&state);
  for (int i = 0; i < 2; ++i) drawn.normal = curand_normal(&state);
  for (int i = 0; i < 4; ++i) curand_normal(&state);
  for (int i = 0; i < 4; ++i) drawn.uniform_double = curand_uniform_double(&state);
  for (int i = 0; i < 2; ++i) drawn.normal_double = curand_normal_double(&state);
  for (int i = 0; i < 2; ++i) curand_normal_double(&state);
  const double means[] = {0.3, 0.3, 3.5, 3.5, 17, 17};
  for (int i = 0; i < 6; ++i) drawn.counts[i] = curand_poisson(&state, means[i]);
  *out = drawn;
}

// What an H200 with CUDA 13 drew.
template <class State>
bool as_on_a_device(const Drawn& there) {
  Device<Drawn> out(1);
  one_of_each<State><<<1, 1>>>(out.data);
  const Drawn here = out.host()[0];
  bool same = here.first == there.first && here.eighth == there.eighth;
  same &= std::fabs(here.uniform - there.uniform) < 1e-6 && std::fabs(here.normal - there.normal) < 1e-5;
  same &= std::fabs(here.uniform_double - there.uniform_double) < 1e-13;
  same &= std::fabs(here.normal_double - there.normal_double) < 1e-11;
  for (int i = 0; i < 6; ++i) same &= here.counts[i] == there.counts[i];
  return same;
}

double mean(const Device<double>& values) {
  double sum = 0;
  for (double x : values.host()) sum += x;
  return sum / (threads * draws);
}

int main() {
  Device<unsigned> differences(2);
  streams<<<1, 1>>>(differences.data);
  REQUIRE(differences.host()[0] == 0 && differences.host()[1] == 0);
  Device<double> uniform(threads), normal(threads), counts(threads);
  sums<curandStateMRG32k3a_t><<<1, threads>>>(uniform.data, normal.data, counts.data);
  REQUIRE(std::fabs(mean(uniform) - 0.5) < 0.02 && std::fabs(mean(normal)) < 0.05 && std::fabs(mean(counts) - 52) < 0.5);
  sums<curandState><<<1, threads>>>(uniform.data, normal.data, counts.data);
  REQUIRE(std::fabs(mean(uniform) - 0.5) < 0.02 && std::fabs(mean(normal)) < 0.05 && std::fabs(mean(counts) - 52) < 0.5);
  several<<<1, threads>>>(uniform.data);
  for (double in : uniform.host()) REQUIRE(in == 1);
  REQUIRE((as_on_a_device<curandStateXORWOW_t>(Drawn{0x4b79ff67, 0xfe9de6a0, 0.5866055f, -1.0701643f, 0.29262513823521846, 1.2512838024050066, {0, 0, 2, 3, 14, 26}})));
  REQUIRE((as_on_a_device<curandStatePhilox4_32_10_t>(Drawn{0xa8faf0a4, 0xb9e62021, 0.3233107f, -0.5599832f, 0.3841534333769232, 0.95641479403628293, {0, 0, 2, 5, 16, 17}})));
  REQUIRE((as_on_a_device<curandStateMRG32k3a_t>(Drawn{0xfc8fa50e, 0x681f76e1, 0.3672840f, 0.1749242f, 0.91223852188742049, -0.56173495911923577, {1, 1, 2, 5, 22, 16}})));
  return 0;
}
