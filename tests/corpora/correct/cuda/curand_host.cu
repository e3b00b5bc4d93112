// Generators of the host's interface: their distributions, seeds, streams, and what they refuse.
#include <curand.h>
#include "../../check.cuh"

constexpr int N = 20000;

template <class T, class Fill>
static void moments(T* d, Fill fill, double& mean, double& variance) {
  static T h[N];
  fill(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  mean = variance = 0;
  for (T x : h) mean += (double)x / N;
  for (T x : h) variance += ((double)x - mean) * ((double)x - mean) / N;
}

static bool near(double value, double wanted, double off) { return value > wanted - off && value < wanted + off; }

int main() {
  float* x;
  double* y;
  unsigned* z;
  REQUIRE(cudaMalloc(&x, N * sizeof *x) == cudaSuccess && cudaMalloc(&y, N * sizeof *y) == cudaSuccess &&
          cudaMalloc(&z, N * sizeof *z) == cudaSuccess);
  cudaStream_t stream;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  curandGenerator_t g, h;
  REQUIRE(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT) == CURAND_STATUS_SUCCESS);
  REQUIRE(curandSetPseudoRandomGeneratorSeed(g, 1234ULL) == CURAND_STATUS_SUCCESS && curandSetStream(g, nullptr) == CURAND_STATUS_SUCCESS);
  double mean, variance;
  moments(x, [&](float* d) { curandGenerateUniform(g, d, N); }, mean, variance);
  REQUIRE(near(mean, 0.5, 0.02) && near(variance, 1.0 / 12, 0.01));
  moments(y, [&](double* d) { curandGenerateUniformDouble(g, d, N); }, mean, variance);
  REQUIRE(near(mean, 0.5, 0.02) && near(variance, 1.0 / 12, 0.01));
  moments(x, [&](float* d) { curandGenerateNormal(g, d, N, 3.0f, 2.0f); }, mean, variance);
  REQUIRE(near(mean, 3, 0.1) && near(variance, 4, 0.2));
  moments(y, [&](double* d) { curandGenerateLogNormalDouble(g, d, N, 0.0, 0.25); }, mean, variance);
  REQUIRE(near(mean, 1.0317, 0.02));
  moments(z, [&](unsigned* d) { curandGeneratePoisson(g, d, N, 7.0); }, mean, variance);
  REQUIRE(near(mean, 7, 0.15) && near(variance, 7, 0.5));
  moments(z, [&](unsigned* d) { curandGenerate(g, d, N); }, mean, variance);
  REQUIRE(near(mean / 4294967296.0, 0.5, 0.02));
  REQUIRE(curandGenerateNormal(g, x, 7, 0.0f, 1.0f) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
  REQUIRE(curandCreateGenerator(&h, CURAND_RNG_QUASI_SOBOL32) == CURAND_STATUS_TYPE_ERROR);

  // The same seed gives the same numbers, on the device as on the host.
  float a[64], b[64];
  REQUIRE(curandSetStream(g, stream) == CURAND_STATUS_SUCCESS && curandSetPseudoRandomGeneratorSeed(g, 7) == CURAND_STATUS_SUCCESS);
  REQUIRE(curandGenerateUniform(g, x, 64) == CURAND_STATUS_SUCCESS && cudaStreamSynchronize(stream) == cudaSuccess);
  REQUIRE(cudaMemcpy(a, x, sizeof a, cudaMemcpyDeviceToHost) == cudaSuccess);
  REQUIRE(curandCreateGeneratorHost(&h, CURAND_RNG_PSEUDO_DEFAULT) == CURAND_STATUS_SUCCESS);
  REQUIRE(curandSetPseudoRandomGeneratorSeed(h, 7) == CURAND_STATUS_SUCCESS && curandGenerateUniform(h, b, 64) == CURAND_STATUS_SUCCESS);
  for (int i = 0; i < 64; ++i) REQUIRE(a[i] == b[i]);
  REQUIRE(curandDestroyGenerator(g) == CURAND_STATUS_SUCCESS && curandDestroyGenerator(h) == CURAND_STATUS_SUCCESS);
  REQUIRE(cudaStreamDestroy(stream) == cudaSuccess && cudaFree(x) == cudaSuccess && cudaFree(y) == cudaSuccess && cudaFree(z) == cudaSuccess);
  return 0;
}
