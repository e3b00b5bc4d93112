// kernelwright: task=../../tasks/median_filter.py entry=median_filter args="x, out, x.shape[0], x.shape[1], x.shape[2]"
// the tile and its rim in shared memory
#include <cuda_runtime.h>

__device__ __forceinline__ void order(int& a, int& b) {
    int low = min(a, b);
    b = max(a, b);
    a = low;
}
__global__ void mf_tile(const unsigned char* x, unsigned char* out, int h, int w) {
    __shared__ unsigned char tile[10][34];
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    const unsigned char* image = x + (size_t)blockIdx.z * h * w;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 340; i += 256) {
        int ty = blockIdx.y * 8 + i / 34 - 1, tx = blockIdx.x * 32 + i % 34 - 1;
        tile[i / 34][i % 34] = image[min(max(ty, 0), h - 1) * w + min(max(tx, 0), w - 1)];
    }
    __syncthreads();
    if (col >= w || row >= h) return;
    int v[9];
#pragma unroll
    for (int dy = 0; dy < 3; ++dy)
#pragma unroll
        for (int dx = 0; dx < 3; ++dx) v[dy * 3 + dx] = tile[threadIdx.y + dy][threadIdx.x + dx];
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
    mf_tile<<<dim3((w + 31) / 32, (h + 7) / 8, n), dim3(32, 8), 0, stream>>>(x, out, h, w);
}
