// The generators and distributions of cuRAND that are asked for seldom: MRG32k3a, Poisson, several doubles at once.
#include <curand_kernel.h>

#include <cmath>

#include "../check.cuh"

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
  return 0;
}
