// kernelwright: task=../../tasks/laplace3d.py entry=laplace3d args="x, out, x.shape[0]"
// a column of 16 planes a thread, planes above and below in registers, the rest from the cache
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) la_march(const float* __restrict__ x, float* __restrict__ out, int n) {
    int k = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z0 = blockIdx.z * 16;
    size_t p = (size_t)n * n, i = ((size_t)z0 * n + y) * n + k;
    float below = z0 > 0 ? x[i - p] : 0.f, here = x[i];
    bool flat = y > 0 && y < n - 1 && k > 0 && k < n - 1;
#pragma unroll 4
    for (int z = z0; z < z0 + 16; ++z, i += p) {
        float above = z + 1 < n ? x[i + p] : 0.f;
        out[i] = flat && z > 0 && z < n - 1 ? above + below + x[i + n] + x[i - n] + x[i + 1] + x[i - 1] - 6.f * here : here;
        below = here;
        here = above;
    }
}
extern "C" void laplace3d(const float* x, float* out, int n, cudaStream_t stream) {
    la_march<<<dim3(n / 32, n / 8, n / 16), dim3(32, 8), 0, stream>>>(x, out, n);
}
