// kernelwright: task=../../tasks/median_filter.py entry=median_filter args="x, out, x.shape[0], x.shape[1], x.shape[2]"
// a thread four pixels of a word, the rows' words shifted into each other
#include <cuda_runtime.h>

__device__ __forceinline__ int middle(int a, int b, int c) { return max(min(a, b), min(max(a, b), c)); }
__global__ void __launch_bounds__(256) mf_four(const unsigned* __restrict__ x, unsigned* __restrict__ out, int h, int words) {
    int at = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    if (at >= words || row >= h) return;
    const unsigned* image = x + (size_t)blockIdx.z * h * words;
    int low[6], mid[6], high[6];
    int v[3][6];
#pragma unroll
    for (int dy = 0; dy < 3; ++dy) {
        const unsigned* line = image + (size_t)min(max(row + dy - 1, 0), h - 1) * words;
        unsigned here = line[at];
        unsigned left = at > 0 ? line[at - 1] >> 24 : here & 255, right = at + 1 < words ? line[at + 1] & 255 : here >> 24;
        v[dy][0] = left;
#pragma unroll
        for (int k = 0; k < 4; ++k) v[dy][k + 1] = here >> (8 * k) & 255;
        v[dy][5] = right;
    }
#pragma unroll
    for (int k = 0; k < 6; ++k) {
        int a = min(v[0][k], v[1][k]), b = max(v[0][k], v[1][k]);
        low[k] = min(a, v[2][k]);
        mid[k] = max(a, min(b, v[2][k]));
        high[k] = max(b, v[2][k]);
    }
    unsigned made = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        int l = max(low[k], max(low[k + 1], low[k + 2])), m = middle(mid[k], mid[k + 1], mid[k + 2]);
        int u = min(high[k], min(high[k + 1], high[k + 2]));
        made |= (unsigned)middle(l, m, u) << (8 * k);
    }
    out[((size_t)blockIdx.z * h + row) * words + at] = made;
}
extern "C" void median_filter(const unsigned char* x, unsigned char* out, int n, int h, int w, cudaStream_t stream) {
    mf_four<<<dim3((w / 4 + 31) / 32, (h + 7) / 8, n), dim3(32, 8), 0, stream>>>((const unsigned*)x, (unsigned*)out, h, w / 4);
}
