// kernelwright: task=../../tasks/stem_conv.py entry=stem_conv args="x, w, out, x.shape[0], x.shape[2], x.shape[3], w.shape[0]"
// the patch of 16 x 16 outputs and the weights of sixteen filters in shared memory, sixteen sums a thread
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) st_patch(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ out, int h, int width) {
    __shared__ float p[3][37][38];
    __shared__ __align__(16) float ws[147][16];
    int oh = h / 2, ow = width / 2, t = threadIdx.y * 16 + threadIdx.x, f0 = blockIdx.z % 4 * 16, n = blockIdx.z / 4;
    int y0 = blockIdx.y * 32 - 3, x0 = blockIdx.x * 32 - 3;
    for (int i = t; i < 3 * 37 * 37; i += 256) {
        int ch = i / 1369, y = i % 1369 / 37, z = i % 37;
        bool in = y0 + y >= 0 && y0 + y < h && x0 + z >= 0 && x0 + z < width;
        p[ch][y][z] = in ? x[((n * 3 + ch) * h + y0 + y) * width + x0 + z] : 0.f;
    }
    for (int i = t; i < 147 * 16; i += 256) ws[i % 147][i / 147] = w[f0 * 147 + i];
    __syncthreads();
    float s[16] = {};
    for (int ch = 0; ch < 3; ++ch)
        for (int i = 0; i < 7; ++i)
#pragma unroll
            for (int j = 0; j < 7; ++j) {
                float v = p[ch][2 * threadIdx.y + i][2 * threadIdx.x + j];
                const float4* q = (const float4*)ws[ch * 49 + i * 7 + j];
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    float4 u = q[k];
                    s[4 * k] += v * u.x;
                    s[4 * k + 1] += v * u.y;
                    s[4 * k + 2] += v * u.z;
                    s[4 * k + 3] += v * u.w;
                }
            }
    int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
    if (c >= ow || r >= oh) return;
#pragma unroll
    for (int k = 0; k < 16; ++k) out[((n * 64 + f0 + k) * oh + r) * ow + c] = s[k];
}
extern "C" void stem_conv(const float* x, const float* w, float* out, int n, int h, int width, int filters, cudaStream_t stream) {
    st_patch<<<dim3((width / 2 + 15) / 16, (h / 2 + 15) / 16, n * 4), dim3(16, 16), 0, stream>>>(x, w, out, h, width);
}
