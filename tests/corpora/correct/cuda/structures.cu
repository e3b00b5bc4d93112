#include "../../check.cuh"

struct Best {
  double value;
  int index;
};

struct Parameters {
  const float* x;
  int n;
  float scale[3];
};

__global__ void largest(Parameters p, Best* out) {
  __shared__ Best best[64];
  int t = threadIdx.x;
  Best mine = {-1e30, -1};
  for (int i = t; i < p.n; i += 64)
    if (p.x[i] * p.scale[1] > mine.value) mine = {p.x[i] * p.scale[1], i};
  best[t] = mine;
  __syncthreads();
  for (int half = 32; half > 0; half >>= 1) {
    if (t < half && (best[t + half].value > best[t].value ||
                     (best[t + half].value == best[t].value && best[t + half].index < best[t].index)))
      best[t] = best[t + half];
    __syncthreads();
  }
  if (t == 0) *out = best[0];
}

int main() {
  auto host = ramp(500);
  host[321] = 99;
  Device<float> x(host);
  Device<Best> out(1);
  Parameters p = {x.data, 500, {1, 2, 3}};
  largest<<<1, 64>>>(p, out.data);
  auto o = out.host()[0];
  REQUIRE(o.index == 321 && o.value == 198);
  return 0;
}
