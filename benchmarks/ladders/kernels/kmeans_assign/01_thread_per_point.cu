// kernelwright: task=../../tasks/kmeans_assign.py entry=assign args="x, c, out, x.shape[0], c.shape[0], x.shape[1]"
// a thread a point, point and centres from global memory
#include <cuda_runtime.h>

__global__ void km_thread(const float* x, const float* c, int* out, int n, int k, int d) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    float best = INFINITY;
    int at = 0;
    for (int j = 0; j < k; ++j) {
        float s = 0.f;
        for (int q = 0; q < d; ++q) {
            float e = x[i * d + q] - c[j * d + q];
            s += e * e;
        }
        if (s < best) {
            best = s;
            at = j;
        }
    }
    out[i] = at;
}
extern "C" void assign(const float* x, const float* c, int* out, int n, int k, int d, cudaStream_t stream) {
    km_thread<<<(n + 255) / 256, 256, 0, stream>>>(x, c, out, n, k, d);
}
