// kernelwright: task=../../tasks/stem_conv.py entry=stem_conv args="x, w, out, x.shape[0], x.shape[2], x.shape[3], w.shape[0]"
// even and odd columns of the patch apart, four outputs of a column and eight filters a thread
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) st_split(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ out, int h, int width) {
    __shared__ float p[3][37][2][20];
    __shared__ __align__(16) float ws[147][16];
    int oh = h / 2, ow = width / 2, t = threadIdx.x, f0 = blockIdx.z % 4 * 16, n = blockIdx.z / 4;
    int y0 = blockIdx.y * 32 - 3, x0 = blockIdx.x * 32 - 3;
    for (int i = t; i < 3 * 37 * 37; i += 128) {
        int ch = i / 1369, y = i % 1369 / 37, z = i % 37;
        bool in = y0 + y >= 0 && y0 + y < h && x0 + z >= 0 && x0 + z < width;
        p[ch][y][z % 2][z / 2] = in ? x[((n * 3 + ch) * h + y0 + y) * width + x0 + z] : 0.f;
    }
    for (int i = t; i < 147 * 16; i += 128) ws[i / 16][i % 16] = w[(f0 + i % 16) * 147 + i / 16];
    __syncthreads();
    int tx = t % 16, ty = t / 16 % 4, g = t / 64 * 8;
    float s[4][8] = {};
    for (int ch = 0; ch < 3; ++ch)
#pragma unroll 1
        for (int i = 0; i < 7; ++i)
#pragma unroll
            for (int j = 0; j < 7; ++j) {
                const float4* q = (const float4*)&ws[ch * 49 + i * 7 + j][g];
                float4 a = q[0], b = q[1];
                float u[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
                for (int e = 0; e < 4; ++e) {
                    float v = p[ch][2 * (ty + 4 * e) + i][j % 2][tx + j / 2];
#pragma unroll
                    for (int k = 0; k < 8; ++k) s[e][k] += v * u[k];
                }
            }
    int c = blockIdx.x * 16 + tx;
    if (c >= ow) return;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
        int r = blockIdx.y * 16 + ty + 4 * e;
        if (r < oh)
#pragma unroll
            for (int k = 0; k < 8; ++k) out[((n * 64 + f0 + g + k) * oh + r) * ow + c] = s[e][k];
    }
}
extern "C" void stem_conv(const float* x, const float* w, float* out, int n, int h, int width, int filters, cudaStream_t stream) {
    st_split<<<dim3((width / 2 + 15) / 16, (h / 2 + 15) / 16, n * 4), 128, 0, stream>>>(x, w, out, h, width);
}
