// kernelwright: task=../../tasks/gemv.py entry=gemv args="a, x, out, a.shape[0], a.shape[1]"
// a block of 256 a row, tree in shared memory
#include <cuda_runtime.h>

__global__ void gv_tree(const float* a, const float* x, float* out, int k) {
    __shared__ float s[256];
    int t = threadIdx.x;
    float v = 0.f;
    for (int i = t; i < k; i += 256) v += a[(size_t)blockIdx.x * k + i] * x[i];
    s[t] = v;
    __syncthreads();
    for (int o = 128; o; o >>= 1) {
        if (t < o) s[t] += s[t + o];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
extern "C" void gemv(const float* a, const float* x, float* out, int m, int k, cudaStream_t stream) {
    gv_tree<<<m, 256, 0, stream>>>(a, x, out, k);
}
