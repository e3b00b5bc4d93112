// kernelwright: task=../../tasks/conv3d.py entry=conv3d args="x, w, out, x.shape[1], x.shape[2], x.shape[3]"
// a thread an output, every bound tested at every tap
#include <cuda_runtime.h>

__global__ void c3_plain(const float* x, const float* w, float* out, int d, int h, int wd) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, volume = d * h * wd, co = blockIdx.y;
    if (i >= volume) return;
    int c = i % wd, r = i / wd % h, z = i / (wd * h);
    float s = 0.f;
    for (int ci = 0; ci < 8; ++ci)
        for (int dz = 0; dz < 3; ++dz)
            for (int dy = 0; dy < 3; ++dy)
                for (int dx = 0; dx < 3; ++dx) {
                    int zz = z + dz - 1, rr = r + dy - 1, cc = c + dx - 1;
                    if (zz >= 0 && zz < d && rr >= 0 && rr < h && cc >= 0 && cc < wd)
                        s += x[ci * volume + (zz * h + rr) * wd + cc] * w[((co * 8 + ci) * 9 + dz * 3 + dy) * 3 + dx];
                }
    out[co * volume + i] = s;
}
extern "C" void conv3d(const float* x, const float* w, float* out, int d, int h, int wd, cudaStream_t stream) {
    c3_plain<<<dim3((d * h * wd + 255) / 256, 16), 256, 0, stream>>>(x, w, out, d, h, wd);
}
