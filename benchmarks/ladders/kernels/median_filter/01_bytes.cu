// kernelwright: task=../../tasks/median_filter.py entry=median_filter args="x, out, x.shape[0], x.shape[1], x.shape[2]"
// a thread a pixel, nine bytes sorted by exchanges
#include <cuda_runtime.h>

__device__ __forceinline__ void order(int& a, int& b) {
    int low = min(a, b);
    b = max(a, b);
    a = low;
}
__global__ void mf_bytes(const unsigned char* x, unsigned char* out, int h, int w) {
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    if (col >= w || row >= h) return;
    const unsigned char* image = x + (size_t)blockIdx.z * h * w;
    int v[9];
#pragma unroll
    for (int dy = 0; dy < 3; ++dy)
#pragma unroll
        for (int dx = 0; dx < 3; ++dx) v[dy * 3 + dx] = image[min(max(row + dy - 1, 0), h - 1) * w + min(max(col + dx - 1, 0), w - 1)];
    order(v[1], v[2]); order(v[4], v[5]); order(v[7], v[8]);
    order(v[0], v[1]); order(v[3], v[4]); order(v[6], v[7]);
    order(v[1], v[2]); order(v[4], v[5]); order(v[7], v[8]);
    order(v[0], v[3]); order(v[5], v[8]); order(v[4], v[7]);
    order(v[3], v[6]); order(v[1], v[4]); order(v[2], v[5]);
    order(v[4], v[7]); order(v[4], v[2]); order(v[6], v[4]);
    order(v[4], v[2]);
    out[((size_t)blockIdx.z * h + row) * w + col] = v[4];
}
extern "C" void median_filter(const unsigned char* x, unsigned char* out, int n, int h, int w, cudaStream_t stream) {
    mf_bytes<<<dim3((w + 31) / 32, (h + 7) / 8, n), dim3(32, 8), 0, stream>>>(x, out, h, w);
}
