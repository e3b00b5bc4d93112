// Sobol's sequences, whose direction vectors a program brings itself: of van der Corput's sequence and of the polynomial x + 1.
#include <curand_kernel.h>

#include <cmath>

#include "../../check.cuh"

constexpr int dimensions = 2, points = 256;

template <class Word, class State>
__global__ void draw(Word (*directions)[8 * sizeof(Word)], Word* out, int* wrong) {
  State state, further;
  const int d = blockIdx.x, first = threadIdx.x * 16;
  if constexpr (std::is_same_v<State, curandStateSobol32_t> || std::is_same_v<State, curandStateSobol64_t>) {
    curand_init(directions[d], first, &state);
    curand_init(directions[d], 0, &further);
  } else {
    const Word scramble = (Word)0x9e3779b9u;
    curand_init(directions[d], scramble, first, &state);
    curand_init(directions[d], scramble, 0, &further);
  }
  skipahead(first, &further);
  for (int i = 0; i < 16; ++i) {
    const Word x = curand(&state);
    out[d * points + first + i] = x;
    if (curand(&further) != x) atomicAdd(wrong, 1);
  }
}

__global__ void distributions(unsigned (*directions)[32], float* uniform, double* normal, unsigned* counts) {
  curandStateSobol32 a, b, c;
  const int first = threadIdx.x * 16;
  curand_init(directions[0], first, &a);
  curand_init(directions[0], first + 1, &b);  // the first point is nought, of which a normal distribution has no number
  curand_init(directions[0], first, &c);
  for (int i = 0; i < 16; ++i) {
    uniform[first + i] = curand_uniform(&a);
    normal[first + i] = i % 2 ? curand_normal_double(&b) : curand_normal(&b);
    counts[first + i] = curand_poisson(&c, 4.0);
  }
}

template <class Word>
struct Directions {
  static constexpr int bits = 8 * sizeof(Word);
  Word host[dimensions][bits], (*data)[bits] = nullptr;
  Directions() {
    for (int k = 0; k < bits; ++k) {
      host[0][k] = (Word)1 << (bits - 1 - k);
      host[1][k] = k ? host[1][k - 1] ^ (host[1][k - 1] >> 1) : (Word)1 << (bits - 1);
    }
    cudaMalloc(&data, sizeof host);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
  }
  ~Directions() { cudaFree(data); }
};

template <class Word, class State>
int check(Word scramble) {
  Directions<Word> directions;
  Device<Word> out(dimensions * points);
  Device<int> wrong(std::vector<int>{0});
  draw<Word, State><<<dimensions, points / 16>>>(directions.data, out.data, wrong.data);
  REQUIRE(wrong.host()[0] == 0);
  auto drawn = out.host();
  for (int d = 0; d < dimensions; ++d) {
    std::vector<int> hit(points);
    for (int i = 0; i < points; ++i) {
      Word x = 0;
      for (int k = 0, gray = i ^ (i >> 1); k < 8; ++k)
        if (gray >> k & 1) x ^= directions.host[d][k];
      REQUIRE(drawn[d * points + i] == (Word)(x ^ scramble));
      ++hit[drawn[d * points + i] >> (8 * sizeof(Word) - 8)];
    }
    for (int count : hit) REQUIRE(count == 1);  // one point in every interval
  }
  return 0;
}

int main() {
  if (check<unsigned, curandStateSobol32_t>(0)) return 1;
  if (check<unsigned, curandStateScrambledSobol32_t>(0x9e3779b9u)) return 1;
  if (check<unsigned long long, curandStateSobol64_t>(0)) return 1;
  if (check<unsigned long long, curandStateScrambledSobol64_t>(0x9e3779b9u)) return 1;

  Directions<unsigned> directions;
  Device<float> uniform(points);
  Device<double> normal(points);
  Device<unsigned> counts(points);
  distributions<<<1, points / 16>>>(directions.data, uniform.data, normal.data, counts.data);
  auto u = uniform.host();
  auto z = normal.host();
  auto k = counts.host();
  double mean_u = 0, mean_z = 0, square_z = 0, mean_k = 0;
  for (int i = 0; i < points; ++i) {
    REQUIRE(u[i] > 0 && u[i] <= 1);
    mean_u += u[i] / points, mean_z += z[i] / points, square_z += z[i] * z[i] / points, mean_k += (double)k[i] / points;
  }
  REQUIRE(std::abs(mean_u - 0.5) < 0.01 && std::abs(mean_z) < 0.05 && std::abs(square_z - 1) < 0.1 && std::abs(mean_k - 4) < 0.1);
  REQUIRE(u[1] == 0.5f && std::abs(z[0]) < 1e-6);
  return 0;
}
