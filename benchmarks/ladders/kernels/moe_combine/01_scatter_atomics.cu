// kernelwright: task=../../tasks/moe_combine.py entry=combine args="y, slot, source, w, out, w.shape[0], y.shape[1]"
// zeros, then a block a row of an expert adds it to its token by atomics
#include <cuda_bf16.h>

__global__ void mc_scatter(const __nv_bfloat16* y, const int* source, const float* w, float* out, int d) {
    int from = source[blockIdx.x];
    float f = w[from];
    for (int c = threadIdx.x; c < d; c += blockDim.x) atomicAdd(&out[(size_t)(from / 4) * d + c], f * __bfloat162float(y[(size_t)blockIdx.x * d + c]));
}
extern "C" void combine(const __nv_bfloat16* y, const int* slot, const int* source, const float* w, float* out, int t, int d, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, (size_t)t * d * 4, stream);
    mc_scatter<<<t * 4, 256, 0, stream>>>(y, source, w, out, d);
}
