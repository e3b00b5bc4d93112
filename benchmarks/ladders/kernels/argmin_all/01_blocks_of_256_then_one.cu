// kernelwright: task=../../tasks/argmin_all.py entry=argmin_all args="x, out, x.shape[0]"
// blocks of 256 numbers leave a pair each, one block walks over all pairs
#include <cuda_runtime.h>

__device__ float am_value[1 << 17];
__device__ int am_index[1 << 17];

__global__ void am_blocks(const float* x, int n) {
    __shared__ float v[256];
    __shared__ int at[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    v[t] = i < n ? x[i] : INFINITY;
    at[t] = i < n ? i : 0x7fffffff;
    __syncthreads();
    for (int s = 128; s; s >>= 1) {
        if (t < s && (v[t + s] < v[t] || (v[t + s] == v[t] && at[t + s] < at[t]))) {
            v[t] = v[t + s];
            at[t] = at[t + s];
        }
        __syncthreads();
    }
    if (t == 0) {
        am_value[blockIdx.x] = v[0];
        am_index[blockIdx.x] = at[0];
    }
}
__global__ void am_last(int* out, int m) {
    __shared__ float v[256];
    __shared__ int at[256];
    int t = threadIdx.x;
    v[t] = INFINITY;
    at[t] = 0x7fffffff;
    for (int i = t; i < m; i += 256)
        if (am_value[i] < v[t] || (am_value[i] == v[t] && am_index[i] < at[t])) {
            v[t] = am_value[i];
            at[t] = am_index[i];
        }
    __syncthreads();
    for (int s = 128; s; s >>= 1) {
        if (t < s && (v[t + s] < v[t] || (v[t + s] == v[t] && at[t + s] < at[t]))) {
            v[t] = v[t + s];
            at[t] = at[t + s];
        }
        __syncthreads();
    }
    if (t == 0) out[0] = at[0];
}
extern "C" void argmin_all(const float* x, int* out, int n, cudaStream_t stream) {
    int m = (n + 255) / 256;
    am_blocks<<<m, 256, 0, stream>>>(x, n);
    am_last<<<1, 256, 0, stream>>>(out, m);
}
