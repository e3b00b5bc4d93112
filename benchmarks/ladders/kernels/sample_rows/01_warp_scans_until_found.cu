// kernelwright: task=../../tasks/sample_rows.py entry=sample args="w, u, out, w.shape[0], w.shape[1]"
// a warp a row scans 32 weights a step until the sum passes the draw
#include <cuda_runtime.h>

__global__ void sr_warp(const float* w, const float* u, int* out, int v) {
    int row = blockIdx.x, lane = threadIdx.x;
    float draw = u[row], before = 0.0f;
    for (int i = lane; i < v; i += 32) {
        float s = w[(size_t)row * v + i];
        for (int o = 1; o < 32; o *= 2) {
            float q = __shfl_up_sync(~0u, s, o);
            if (lane >= o) s += q;
        }
        unsigned past = __ballot_sync(~0u, before + s > draw);
        if (past) {
            if (lane == 0) out[row] = i + __ffs(past) - 1;
            return;
        }
        before += __shfl_sync(~0u, s, 31);
    }
}
extern "C" void sample(const float* w, const float* u, int* out, int rows, int v, cudaStream_t stream) {
    sr_warp<<<rows, 32, 0, stream>>>(w, u, out, v);
}
