// kernelwright: task=../../tasks/stem_conv.py entry=stem_conv args="x, w, out, x.shape[0], x.shape[2], x.shape[3], w.shape[0]"
// a thread an output, a test at every tap
#include <cuda_runtime.h>

__global__ void st_plain(const float* x, const float* w, float* out, int h, int width, int filters) {
    int oh = h / 2, ow = width / 2, c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y, f = blockIdx.z % filters, n = blockIdx.z / filters;
    if (c >= ow || r >= oh) return;
    float s = 0.f;
    for (int ch = 0; ch < 3; ++ch)
        for (int i = 0; i < 7; ++i)
            for (int j = 0; j < 7; ++j) {
                int y = 2 * r + i - 3, z = 2 * c + j - 3;
                if (y >= 0 && y < h && z >= 0 && z < width) s += x[((n * 3 + ch) * h + y) * width + z] * w[(f * 3 + ch) * 49 + i * 7 + j];
            }
    out[((n * filters + f) * oh + r) * ow + c] = s;
}
extern "C" void stem_conv(const float* x, const float* w, float* out, int n, int h, int width, int filters, cudaStream_t stream) {
    st_plain<<<dim3((width / 2 + 15) / 16, (h / 2 + 15) / 16, n * filters), dim3(16, 16), 0, stream>>>(x, w, out, h, width, filters);
}
