// kernelwright: task=../../tasks/forest_predict.py entry=forest args="x, feature, threshold, leaf, out, x.shape[0]"
// a thread a sample, tree after tree, everything from global memory
#include <cuda_runtime.h>

__global__ void fo_plain(const float* x, const int* feature, const float* threshold, const float* leaf, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0.f;
    for (int t = 0; t < 64; ++t) {
        int node = 0;
        for (int d = 0; d < 6; ++d) node = 2 * node + 1 + (x[i * 32 + feature[t * 63 + node]] >= threshold[t * 63 + node]);
        s += leaf[t * 64 + node - 63];
    }
    out[i] = s;
}
extern "C" void forest(const float* x, const int* feature, const float* threshold, const float* leaf, float* out, int n, cudaStream_t stream) {
    fo_plain<<<(n + 255) / 256, 256, 0, stream>>>(x, feature, threshold, leaf, out, n);
}
