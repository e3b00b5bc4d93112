// kernelwright: task=../../tasks/stem_conv.py entry=stem_conv args="x, w, out, x.shape[0], x.shape[2], x.shape[3], w.shape[0]"
// weights copied to constant memory, eight filters a thread: every pixel loaded serves eight sums
#include <cuda_runtime.h>

__constant__ float st_w[64 * 147];

__global__ void __launch_bounds__(256) st_constant(const float* __restrict__ x, float* __restrict__ out, int h, int width) {
    int oh = h / 2, ow = width / 2, c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y, f0 = blockIdx.z % 8 * 8, n = blockIdx.z / 8;
    if (c >= ow || r >= oh) return;
    float s[8] = {};
    for (int ch = 0; ch < 3; ++ch)
        for (int i = 0; i < 7; ++i) {
            int y = 2 * r + i - 3;
            if (y < 0 || y >= h) continue;
#pragma unroll
            for (int j = 0; j < 7; ++j) {
                int z = 2 * c + j - 3;
                float v = z >= 0 && z < width ? x[((n * 3 + ch) * h + y) * width + z] : 0.f;
#pragma unroll
                for (int k = 0; k < 8; ++k) s[k] += v * st_w[(f0 + k) * 147 + ch * 49 + i * 7 + j];
            }
        }
#pragma unroll
    for (int k = 0; k < 8; ++k) out[((n * 64 + f0 + k) * oh + r) * ow + c] = s[k];
}
extern "C" void stem_conv(const float* x, const float* w, float* out, int n, int h, int width, int filters, cudaStream_t stream) {
    cudaMemcpyToSymbolAsync(st_w, w, 64 * 147 * sizeof(float), 0, cudaMemcpyDeviceToDevice, stream);
    st_constant<<<dim3((width / 2 + 15) / 16, (h / 2 + 15) / 16, n * 8), dim3(16, 16), 0, stream>>>(x, out, h, width);
}
