// kernelwright: task=../../tasks/causal_softmax.py entry=causal_softmax args="x, out, x.shape[0] * x.shape[1], x.shape[2]"
// a block of 256 a row of 1024, four elements a thread in registers
#include <cuda_runtime.h>

__device__ float total(float v, bool most, float* s) {
    for (int o = 16; o; o /= 2) { float u = __shfl_xor_sync(~0u, v, o); v = most ? fmaxf(v, u) : v + u; }
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    v = s[threadIdx.x % 8];
    for (int o = 4; o; o /= 2) { float u = __shfl_xor_sync(~0u, v, o); v = most ? fmaxf(v, u) : v + u; }
    return v;
}
__global__ void __launch_bounds__(256) ca_four(const float4* x, float4* out, int s) {
    __shared__ float a[8], b[8];
    int n = blockIdx.x % s + 1, i = 4 * threadIdx.x;
    size_t at = (size_t)blockIdx.x * s / 4 + threadIdx.x;
    float4 v = make_float4(-1e30f, -1e30f, -1e30f, -1e30f);
    if (i < n) v = x[at];
    if (i + 1 >= n) v.y = -1e30f;
    if (i + 2 >= n) v.z = -1e30f;
    if (i + 3 >= n) v.w = -1e30f;
    float m = total(fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)), true, a);
    float4 e = make_float4(__expf(v.x - m), __expf(v.y - m), __expf(v.z - m), __expf(v.w - m));
    float f = 1.f / total(e.x + e.y + e.z + e.w, false, b);
    out[at] = make_float4(e.x * f, e.y * f, e.z * f, e.w * f);
}
extern "C" void causal_softmax(const float* x, float* out, int rows, int s, cudaStream_t stream) {
    ca_four<<<rows, 256, 0, stream>>>((const float4*)x, (float4*)out, s);
}
