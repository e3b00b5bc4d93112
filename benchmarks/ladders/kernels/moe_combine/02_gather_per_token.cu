// kernelwright: task=../../tasks/moe_combine.py entry=combine args="y, slot, source, w, out, w.shape[0], y.shape[1]"
// a block a token gathers its four rows, an element a thread and step
#include <cuda_bf16.h>

__global__ void mc_gather(const __nv_bfloat16* __restrict__ y, const int* __restrict__ slot, const float* __restrict__ w, float* __restrict__ out, int d) {
    int t = blockIdx.x;
    for (int c = threadIdx.x; c < d; c += blockDim.x) {
        float s = 0.f;
        for (int k = 0; k < 4; ++k) s += w[t * 4 + k] * __bfloat162float(y[(size_t)slot[t * 4 + k] * d + c]);
        out[(size_t)t * d + c] = s;
    }
}
extern "C" void combine(const __nv_bfloat16* y, const int* slot, const int* source, const float* w, float* out, int t, int d, cudaStream_t stream) {
    mc_gather<<<t, 256, 0, stream>>>(y, slot, w, out, d);
}
