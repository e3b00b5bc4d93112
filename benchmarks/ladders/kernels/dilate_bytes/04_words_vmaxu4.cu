// kernelwright: task=../../tasks/dilate_bytes.py entry=dilate args="x, out, x.shape[0], x.shape[1]"
// four bytes a word: __vmaxu4 down eight rows with a window in registers, shifts of words across; W a multiple of 4
#include <cuda_runtime.h>

__device__ __forceinline__ unsigned di_row(const unsigned* __restrict__ row, int x, int W4) {
    unsigned l = x > 0 ? row[x - 1] : 0u, c = row[x], r = x + 1 < W4 ? row[x + 1] : 0u;
    unsigned m = __vmaxu4(c, __vmaxu4(l, r));
#pragma unroll
    for (int s = 8; s < 32; s += 8) m = __vmaxu4(m, __vmaxu4(__funnelshift_r(l, c, s), __funnelshift_r(c, r, s)));
    return m;
}
__global__ void __launch_bounds__(128) di_words(const unsigned* __restrict__ in, unsigned* __restrict__ out, int H, int W4) {
    int x = blockIdx.x * 128 + threadIdx.x, y0 = blockIdx.y * 8;
    if (x >= W4) return;
    unsigned v[16];
#pragma unroll
    for (int i = 0; i < 16; i++) {
        int y = y0 + i - 4;
        v[i] = y >= 0 && y < H ? di_row(in + (size_t)y * W4, x, W4) : 0u;
    }
#pragma unroll
    for (int i = 0; i < 15; i++) v[i] = __vmaxu4(v[i], v[i + 1]);
#pragma unroll
    for (int i = 0; i < 13; i++) v[i] = __vmaxu4(v[i], v[i + 2]);
#pragma unroll
    for (int i = 0; i < 8; i++) {
        unsigned m = __vmaxu4(v[i], v[i + 4]);
        int last = y0 + i + 4;
        if (last < H) m = __vmaxu4(m, di_row(in + (size_t)last * W4, x, W4));
        if (y0 + i < H) out[(size_t)(y0 + i) * W4 + x] = m;
    }
}
extern "C" void dilate(const unsigned char* x, unsigned char* out, int H, int W, cudaStream_t stream) {
    di_words<<<dim3((W / 4 + 127) / 128, (H + 7) / 8), 128, 0, stream>>>((const unsigned*)x, (unsigned*)out, H, W / 4);
}
