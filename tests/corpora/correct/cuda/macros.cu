#include "../../check.cuh"

#define CHECK(call)                                                          \
  do {                                                                       \
    cudaError_t error = (call);                                              \
    if (error != cudaSuccess) {                                              \
      fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      exit(1);                                                               \
    }                                                                        \
  } while (0)
#define DIV_UP(a, b) (((a) + (b)-1) / (b))
#define LAUNCH(kernel, n, ...)                        \
  do {                                                \
    kernel<<<DIV_UP(n, 128), 128>>>(__VA_ARGS__, n);  \
    CHECK(cudaGetLastError());                        \
  } while (0)
#define KERNEL(NAME, OP)                                                  \
  __global__ void NAME(const float* a, const float* b, float* c, int n) { \
    __shared__ float s[128];                                              \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                        \
    s[threadIdx.x] = i < n ? a[i] : 0.0f;                                 \
    __syncthreads();                                                      \
    if (i < n) c[i] = s[threadIdx.x] OP b[i];                             \
  }
KERNEL(add, +)
KERNEL(multiply, *)

int main() {
  auto host = ramp(300);
  Device<float> a(host), b(host), c(300), d(300);
  LAUNCH(add, 300, a.data, b.data, c.data);
  LAUNCH(multiply, 300, a.data, b.data, d.data);
  CHECK(cudaDeviceSynchronize());
  auto oc = c.host(), od = d.host();
  for (int i = 0; i < 300; ++i) {
    REQUIRE(oc[i] == 2 * host[i]);
    REQUIRE(od[i] == host[i] * host[i]);
  }
  return 0;
}
