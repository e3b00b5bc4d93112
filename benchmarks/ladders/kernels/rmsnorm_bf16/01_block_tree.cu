// kernelwright: task=../../tasks/rmsnorm_bf16.py entry=rmsnorm_bf16 args="x, weight, out, x.shape[0], x.shape[1]"
// a block a row, element by element, sums by a tree in shared memory
#include <cuda_bf16.h>

__global__ void rn_tree(const __nv_bfloat16* x, const __nv_bfloat16* w, __nv_bfloat16* out, int d) {
    __shared__ float s[256];
    const __nv_bfloat16* row = x + (size_t)blockIdx.x * d;
    float q = 0.f;
    for (int i = threadIdx.x; i < d; i += 256) { float v = __bfloat162float(row[i]); q += v * v; }
    s[threadIdx.x] = q;
    __syncthreads();
    for (int o = 128; o; o /= 2) {
        if (threadIdx.x < o) s[threadIdx.x] += s[threadIdx.x + o];
        __syncthreads();
    }
    float r = rsqrtf(s[0] / d + 1e-6f);
    for (int i = threadIdx.x; i < d; i += 256)
        out[(size_t)blockIdx.x * d + i] = __float2bfloat16(__bfloat162float(row[i]) * r * __bfloat162float(w[i]));
}
extern "C" void rmsnorm_bf16(const __nv_bfloat16* x, const __nv_bfloat16* weight, __nv_bfloat16* out, int rows, int d, cudaStream_t stream) {
    rn_tree<<<rows, 256, 0, stream>>>(x, weight, out, d);
}
