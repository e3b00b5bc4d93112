#include "../../check.cuh"

__global__ void scale(const float4* x, float4* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = x[i];
  v.x *= 2; v.y *= 3; v.z *= 4; v.w *= 5;
  y[i] = make_float4(v.x, v.y, v.z, v.w);
}

__global__ void shared_vectors(const float4* x, float* y) {
  __shared__ float4 s[8];
  s[threadIdx.x] = __ldg(&x[threadIdx.x]);
  __syncthreads();
  float* scalars = reinterpret_cast<float*>(s);
  for (int i = threadIdx.x; i < 32; i += 8) y[i] = scalars[31 - i];
}

int main() {
  auto host = ramp(400);
  Device<float> x(host), y(400), z(32);
  scale<<<4, 32>>>(reinterpret_cast<float4*>(x.data), reinterpret_cast<float4*>(y.data), 100);
  shared_vectors<<<1, 8>>>((const float4*)x.data, z.data);
  auto o = y.host(), p = z.host();
  for (int i = 0; i < 400; ++i) REQUIRE(o[i] == host[i] * (i % 4 + 2));
  for (int i = 0; i < 32; ++i) REQUIRE(p[i] == host[31 - i]);
  return 0;
}
