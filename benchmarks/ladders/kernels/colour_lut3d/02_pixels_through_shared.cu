// kernelwright: task=../../tasks/colour_lut3d.py entry=grade args="x, lut, out, x.shape[0]"
// pixels come and go by float4 through shared memory, the table still from global memory
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) cl_staged(const float4* __restrict__ x, const float* __restrict__ lut, float4* __restrict__ out) {
    __shared__ float4 s4[192];
    float* s = (float*)s4;
    int t = threadIdx.x;
    if (t < 192) s4[t] = x[(size_t)blockIdx.x * 192 + t];
    __syncthreads();
    float f0 = s[t * 3] * 16.f, f1 = s[t * 3 + 1] * 16.f, f2 = s[t * 3 + 2] * 16.f;
    int i0 = min((int)f0, 15), i1 = min((int)f1, 15), i2 = min((int)f2, 15);
    f0 -= i0;
    f1 -= i1;
    f2 -= i2;
    const float* e = lut + ((i0 * 17 + i1) * 17 + i2) * 3;
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        float r[2];
#pragma unroll
        for (int a = 0; a < 2; ++a) {
            const float* q = e + a * 867 + k;
            float low = q[0] + f2 * (q[3] - q[0]), high = q[51] + f2 * (q[54] - q[51]);
            r[a] = low + f1 * (high - low);
        }
        s[t * 3 + k] = r[0] + f0 * (r[1] - r[0]);
    }
    __syncthreads();
    if (t < 192) out[(size_t)blockIdx.x * 192 + t] = s4[t];
}
extern "C" void grade(const float* x, const float* lut, float* out, int n, cudaStream_t stream) {
    cl_staged<<<n / 256, 256, 0, stream>>>((const float4*)x, lut, (float4*)out);
}
