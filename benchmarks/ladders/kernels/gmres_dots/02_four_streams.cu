// kernelwright: task=../../tasks/gmres_dots.py entry=dots args="basis, w, out, basis.shape[0], w.shape[0]"
// the same launches over four streams, forked and joined by events
#include <cuda_runtime.h>

__global__ void gd_one(const double* __restrict__ a, const double* __restrict__ w, double* out, int n) {
    __shared__ double part[256];
    int t = threadIdx.x;
    double s = 0.0;
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) s += a[i] * w[i];
    part[t] = s;
    __syncthreads();
    for (int k = 128; k; k >>= 1) {
        if (t < k) part[t] += part[t + k];
        __syncthreads();
    }
    if (t == 0) atomicAdd(out, part[0]);
}
extern "C" void dots(const double* basis, const double* w, double* out, int m, int n, cudaStream_t stream) {
    static cudaStream_t lanes[4];
    static cudaEvent_t begin, done[4];
    if (!begin) {
        cudaEventCreateWithFlags(&begin, cudaEventDisableTiming);
        for (int i = 0; i < 4; i++) {
            cudaStreamCreateWithFlags(&lanes[i], cudaStreamNonBlocking);
            cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming);
        }
    }
    cudaMemsetAsync(out, 0, m * sizeof(double), stream);
    cudaEventRecord(begin, stream);
    for (int i = 0; i < 4; i++) cudaStreamWaitEvent(lanes[i], begin, 0);
    for (int j = 0; j < m; j++) gd_one<<<264, 256, 0, lanes[j % 4]>>>(basis + (size_t)j * n, w, out + j, n);
    for (int i = 0; i < 4; i++) {
        cudaEventRecord(done[i], lanes[i]);
        cudaStreamWaitEvent(stream, done[i], 0);
    }
}
