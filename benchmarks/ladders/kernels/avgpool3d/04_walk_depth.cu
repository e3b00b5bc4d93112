// kernelwright: task=../../tasks/avgpool3d.py entry=avgpool3d args="x, out, x.shape[0], x.shape[1], x.shape[2], x.shape[3], out.shape[1], out.shape[2], out.shape[3]"
// a thread walks the depth: sums of 3 x 3 of a slice are shared by two outputs
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) avg_pool3d_kernel(const float* __restrict__ x, float* __restrict__ out, int D, int H, int W, int OD, int OH, int OW) {
    int ow = blockIdx.x * 32 + threadIdx.x, oh = blockIdx.y * 8 + threadIdx.y, p = blockIdx.z;
    if (ow >= OW || oh >= OH) return;
    const float* xp = x + (size_t)p * D * H * W;
    float* op = out + ((size_t)p * OD * OH + oh) * OW + ow;
    int h0 = oh * 2 - 1, w0 = ow * 2 - 1;
    auto slice = [&](int d) {
        float s = 0.0f;
        if (d >= D) return s;
#pragma unroll
        for (int k = 0; k < 3; k++) {
            int h = h0 + k;
            if (h < 0 || h >= H) continue;
            const float* r = xp + (d * H + h) * W + w0;
            if (w0 >= 0) s += r[0];
            s += r[1];
            if (w0 + 2 < W) s += r[2];
        }
        return s;
    };
    float before = 0.0f;
    for (int od = 0; od < OD; od++) {
        float a = slice(od * 2), b = slice(od * 2 + 1);
        op[(size_t)od * OH * OW] = (before + a + b) * (1.0f / 27.0f);
        before = b;
    }
}

extern "C" void avgpool3d(const float* x, float* out, int P, int D, int H, int W, int OD, int OH, int OW, cudaStream_t stream) {
    avg_pool3d_kernel<<<dim3((OW + 31) / 32, (OH + 7) / 8, P), dim3(32, 8), 0, stream>>>(x, out, D, H, W, OD, OH, OW);
}
