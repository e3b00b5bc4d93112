// kernelwright: task=../../tasks/block_match.py entry=match args="cur, ref, out, cur.shape[0], cur.shape[1]"
// block and window as bytes in shared memory, warps reduced first
#include <cuda_runtime.h>

__global__ void __launch_bounds__(320) bm_bytes(const unsigned char* __restrict__ cur, const unsigned char* __restrict__ ref, int* __restrict__ out, int w) {
    __shared__ unsigned char block[16][16], window[32][32];
    __shared__ int part[10];
    int t = threadIdx.x, x = blockIdx.x * 16, y = blockIdx.y * 16;
    if (t < 256) block[t / 16][t % 16] = cur[(y + t / 16) * w + x + t % 16];
    for (int i = t; i < 1024; i += 320) window[i / 32][i % 32] = ref[(y + i / 32) * (w + 16) + x + i % 32];
    __syncthreads();
    int s = 1 << 30;
    if (t < 289) {
        s = 0;
        int dy = t / 17, dx = t % 17;
        for (int i = 0; i < 16; ++i)
#pragma unroll
            for (int j = 0; j < 16; ++j) s += abs((int)block[i][j] - (int)window[dy + i][dx + j]);
    }
    s = __reduce_min_sync(~0u, s);
    if (t % 32 == 0) part[t / 32] = s;
    __syncthreads();
    if (t == 0) {
        for (int i = 1; i < 10; ++i) s = min(s, part[i]);
        out[blockIdx.y * gridDim.x + blockIdx.x] = s;
    }
}
extern "C" void match(const unsigned char* cur, const unsigned char* ref, int* out, int h, int w, cudaStream_t stream) {
    bm_bytes<<<dim3(w / 16, h / 16), 320, 0, stream>>>(cur, ref, out, w);
}
