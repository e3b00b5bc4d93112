#include <curand_kernel.h>

#include "../../check.cuh"

template <typename State>
__global__ void start(State* states, unsigned long long seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  curand_init(seed, i, 0, &states[i]);
}

template <typename State>
__global__ void draw(State* states, float* uniform, float* normal, int each) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  State own = states[i];
  for (int j = 0; j < each; ++j) {
    uniform[i * each + j] = curand_uniform(&own);
    normal[i * each + j] = curand_normal(&own);
  }
  states[i] = own;
}

// A jump is as many single steps.
template <typename State>
__global__ void jumps(int* same) {
  State a, b;
  curand_init(7, 3, 1000, &a);
  curand_init(7, 3, 0, &b);
  for (int i = 0; i < 1000; ++i) curand(&b);
  same[0] = curand(&a) == curand(&b);
  skipahead(37, &a);
  for (int i = 0; i < 37; ++i) curand(&b);
  same[1] = curand(&a) == curand(&b);
}

__global__ void known(unsigned* out) {
  curandStatePhilox4_32_10_t state;
  curand_init(0, 0, 0, &state);
  uint4 four = curand4(&state);
  out[0] = four.x, out[1] = four.y, out[2] = four.z, out[3] = four.w;
}

template <typename State>
int check() {
  int threads = 64, each = 50, n = threads * each;
  Device<State> states(threads);
  Device<float> uniform(n), normal(n);
  start<<<2, 32>>>(states.data, 1234ull);
  draw<<<2, 32>>>(states.data, uniform.data, normal.data, each);
  auto u = uniform.host(), v = normal.host();
  double mean = 0, centre = 0, square = 0;
  for (int i = 0; i < n; ++i) {
    REQUIRE(u[i] > 0 && u[i] <= 1);
    mean += u[i] / n, centre += v[i] / n, square += v[i] * v[i] / n;
  }
  REQUIRE(fabs(mean - 0.5) < 0.03 && fabs(centre) < 0.08 && fabs(square - 1) < 0.12);
  Device<int> same(2);
  jumps<State><<<1, 1>>>(same.data);
  REQUIRE(same.host()[0] && same.host()[1]);
  return 0;
}

int main() {
  REQUIRE(check<curandStateXORWOW_t>() == 0);
  REQUIRE(check<curandStatePhilox4_32_10_t>() == 0);
  Device<unsigned> first(4);
  known<<<1, 1>>>(first.data);
  // The known answer of Random123 for a counter and a key of zeros.
  auto f = first.host();
  REQUIRE(f[0] == 0x6627e8d5u && f[1] == 0xe169c58du && f[2] == 0xbc57ac4cu && f[3] == 0x9b00dbd8u);
}
