// kernelwright: task=../../tasks/conv3x3_int8.py entry=conv3x3 args="x, w, out, x.shape[0], x.shape[1], x.shape[2], x.shape[3], w.shape[0]"
// a thread takes a pixel and eight filters, int4 loads of sixteen channels; C a multiple of 16
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) cq_eight(const int4* __restrict__ x, const int4* __restrict__ w, signed char* __restrict__ out, int H, int W, int C16, int K, int pixels) {
    int p = blockIdx.x * 128 + threadIdx.x, k0 = blockIdx.y * 8;
    if (p >= pixels) return;
    int px = p % W, py = p / W % H, n = p / W / H, s[8] = {};
#pragma unroll
    for (int r = 0; r < 3; r++)
#pragma unroll
        for (int q = 0; q < 3; q++) {
            int y = py + r - 1, xx = px + q - 1;
            if (y < 0 || y >= H || xx < 0 || xx >= W) continue;
            for (int c = 0; c < C16; c++) {
                int4 a = x[((n * H + y) * W + xx) * C16 + c];
#pragma unroll
                for (int j = 0; j < 8; j++) {
                    int4 b = __ldg(w + (((k0 + j) * 3 + r) * 3 + q) * C16 + c);
                    s[j] = __dp4a(a.x, b.x, s[j]);
                    s[j] = __dp4a(a.y, b.y, s[j]);
                    s[j] = __dp4a(a.z, b.z, s[j]);
                    s[j] = __dp4a(a.w, b.w, s[j]);
                }
            }
        }
    union { signed char b[8]; uint2 u; } o;
#pragma unroll
    for (int j = 0; j < 8; j++) o.b[j] = (signed char)max(-128, min(127, __float2int_rn(s[j] * 0.0009765625f)));
    *(uint2*)(out + (size_t)p * K + k0) = o.u;
}
extern "C" void conv3x3(const signed char* x, const signed char* w, signed char* out, int N, int H, int W, int C, int K, cudaStream_t stream) {
    cq_eight<<<dim3((N * H * W + 127) / 128, K / 8), 128, 0, stream>>>((const int4*)x, (const int4*)w, out, H, W, C / 16, K, N * H * W);
}
