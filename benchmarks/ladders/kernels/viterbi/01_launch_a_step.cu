// kernelwright: task=../../tasks/viterbi.py entry=viterbi args="e, trans, out, e.shape[0], e.shape[1]"
// a launch a step, a thread a state, scores in global memory
#include <cuda_runtime.h>

__device__ float v1_score[2][2048 * 32];

__global__ void v1_step(const float* e, const float* trans, int n, int steps, int t) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, b = i / 32, j = i % 32;
    if (b >= n) return;
    float emit = e[((size_t)b * steps + t) * 32 + j], best = -1e30f;
    if (t == 0) {
        v1_score[0][i] = emit;
        return;
    }
    for (int k = 0; k < 32; ++k) best = fmaxf(best, v1_score[(t - 1) % 2][b * 32 + k] + trans[k * 32 + j]);
    v1_score[t % 2][i] = best + emit;
}
__global__ void v1_end(float* out, int n, int which) {
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= n) return;
    float best = -1e30f;
    for (int k = 0; k < 32; ++k) best = fmaxf(best, v1_score[which][b * 32 + k]);
    out[b] = best;
}
extern "C" void viterbi(const float* e, const float* trans, float* out, int n, int steps, cudaStream_t stream) {
    for (int t = 0; t < steps; ++t) v1_step<<<(n * 32 + 255) / 256, 256, 0, stream>>>(e, trans, n, steps, t);
    v1_end<<<(n + 127) / 128, 128, 0, stream>>>(out, n, (steps - 1) % 2);
}
