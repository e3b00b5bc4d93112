// kernelwright: task=../../tasks/conv_nhwc_half.py entry=conv args="x, w, out, x.shape[0], x.shape[1], x.shape[3], w.shape[0]"
// a thread an output, output channels fastest, eight inputs a load
#include <cuda_fp16.h>

__global__ void cn_direct(const __half* x, const __half* w, __half* out, int hw, int c, int o) {
    int k = threadIdx.x, px = blockIdx.x % hw, py = blockIdx.x / hw % hw, n = blockIdx.x / (hw * hw);
    float s = 0.f;
    for (int r = 0; r < 3; ++r)
        for (int q = 0; q < 3; ++q) {
            int y = py + r - 1, z = px + q - 1;
            if (y < 0 || y >= hw || z < 0 || z >= hw) continue;
            const __half* xp = x + ((size_t)(n * hw + y) * hw + z) * c;
            const __half* wp = w + ((size_t)k * 9 + r * 3 + q) * c;
            for (int i = 0; i < c; i += 8) {
                uint4 a = *(const uint4*)(xp + i), v = *(const uint4*)(wp + i);
                const __half2 *ah = (const __half2*)&a, *vh = (const __half2*)&v;
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    float2 f = __half22float2(ah[j]), g = __half22float2(vh[j]);
                    s += f.x * g.x + f.y * g.y;
                }
            }
        }
    out[(size_t)blockIdx.x * o + k] = __float2half(s);
}
extern "C" void conv(const __half* x, const __half* w, __half* out, int b, int hw, int c, int o, cudaStream_t stream) {
    cn_direct<<<b * hw * hw, o, 0, stream>>>(x, w, out, hw, c, o);
}
