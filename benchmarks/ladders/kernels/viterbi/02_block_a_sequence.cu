// kernelwright: task=../../tasks/viterbi.py entry=viterbi args="e, trans, out, e.shape[0], e.shape[1]"
// one launch, a block of a warp a sequence, scores and transitions in shared memory
#include <cuda_runtime.h>

__global__ void v2_block(const float* e, const float* trans, float* out, int steps) {
    __shared__ float tr[32][32], s[32];
    int j = threadIdx.x;
    for (int k = 0; k < 32; ++k) tr[k][j] = trans[k * 32 + j];
    const float* mine = e + (size_t)blockIdx.x * steps * 32;
    s[j] = mine[j];
    __syncthreads();
    for (int t = 1; t < steps; ++t) {
        float best = -1e30f;
        for (int k = 0; k < 32; ++k) best = fmaxf(best, s[k] + tr[k][j]);
        __syncthreads();
        s[j] = best + mine[t * 32 + j];
        __syncthreads();
    }
    if (j == 0) {
        float best = s[0];
        for (int k = 1; k < 32; ++k) best = fmaxf(best, s[k]);
        out[blockIdx.x] = best;
    }
}
extern "C" void viterbi(const float* e, const float* trans, float* out, int n, int steps, cudaStream_t stream) {
    v2_block<<<n, 32, 0, stream>>>(e, trans, out, steps);
}
