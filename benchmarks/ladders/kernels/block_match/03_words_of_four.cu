// kernelwright: task=../../tasks/block_match.py entry=match args="cur, ref, out, cur.shape[0], cur.shape[1]"
// four differences an instruction, unaligned words by funnel shifts
#include <cuda_runtime.h>

__global__ void __launch_bounds__(320) bm_words(const unsigned* __restrict__ cur, const unsigned* __restrict__ ref, int* __restrict__ out, int w4) {
    __shared__ unsigned block[16][4], window[32][9];
    __shared__ int part[10];
    int t = threadIdx.x, x = blockIdx.x * 4, y = blockIdx.y * 16;
    if (t < 64) block[t / 4][t % 4] = cur[(y + t / 4) * w4 + x + t % 4];
    if (t >= 64) window[(t - 64) / 8][t % 8] = ref[(y + (t - 64) / 8) * (w4 + 4) + x + t % 8];
    if (t < 32) window[t][8] = 0;
    __syncthreads();
    int s = 1 << 30;
    if (t < 289) {
        unsigned sum = 0;
        int dy = t / 17, dx = t % 17, at = dx / 4, shift = dx % 4 * 8;
#pragma unroll 4
        for (int i = 0; i < 16; ++i) {
            unsigned low = window[dy + i][at];
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                unsigned high = window[dy + i][at + j + 1];
                sum += __vsadu4(block[i][j], __funnelshift_r(low, high, shift));
                low = high;
            }
        }
        s = sum;
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
    bm_words<<<dim3(w / 16, h / 16), 320, 0, stream>>>((const unsigned*)cur, (const unsigned*)ref, out, w / 4);
}
