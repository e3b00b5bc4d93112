// kernelwright: task=../../tasks/sddmm.py entry=sddmm args="x, y, start, row, col, out, x.shape[0], col.shape[0]"
// a thread an edge walks both rows
#include <cuda_runtime.h>

__global__ void sd_thread(const float* x, const float* y, const int* row, const int* col, float* out, int edges) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges) return;
    const float *p = x + row[e] * 128, *q = y + col[e] * 128;
    float s = 0.0f;
    for (int i = 0; i < 128; ++i) s += p[i] * q[i];
    out[e] = s;
}
extern "C" void sddmm(const float* x, const float* y, const int* start, const int* row, const int* col, float* out, int nodes, int edges, cudaStream_t stream) {
    sd_thread<<<(edges + 255) / 256, 256, 0, stream>>>(x, y, row, col, out, edges);
}
