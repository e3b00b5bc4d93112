#include <cuda_runtime.h>

// Sums by loops whose steps are known when the kernel is compiled, and when it runs.
__global__ void constant_step(const float* x, float* out, int n) {
    float s = 0.f;
    for (int i = threadIdx.x; i < n; i += 128) s += x[i];
    out[blockIdx.x * 128 + threadIdx.x] = s;
}
__global__ void runtime_step(const float* x, float* out, int n) {
    float s = 0.f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) s += x[i];
    out[blockIdx.x * 128 + threadIdx.x] = s;
}
extern "C" void run(const float* x, float* out, int n, int runtime) {
    if (runtime) runtime_step<<<1, 128>>>(x, out, n);
    else constant_step<<<1, 128>>>(x, out, n);
}
