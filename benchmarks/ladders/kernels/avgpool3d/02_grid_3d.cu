// kernelwright: task=../../tasks/avgpool3d.py entry=avgpool3d args="x, out, x.shape[0], x.shape[1], x.shape[2], x.shape[3], out.shape[1], out.shape[2], out.shape[3]"
// blocks over (w, h), planes and depth in the grid; bounds of the loops instead of tests
#include <cuda_runtime.h>

__global__ void avg_pool3d_kernel(const float* __restrict__ x, float* __restrict__ out, int D, int H, int W, int OD, int OH, int OW) {
    int ow = blockIdx.x * 32 + threadIdx.x, oh = blockIdx.y * 8 + threadIdx.y;
    if (ow >= OW || oh >= OH) return;
    int od = blockIdx.z % OD, p = blockIdx.z / OD;
    const float* xp = x + (size_t)p * D * H * W;
    int d0 = max(od * 2 - 1, 0), d1 = min(od * 2 + 2, D);
    int h0 = max(oh * 2 - 1, 0), h1 = min(oh * 2 + 2, H);
    int w0 = max(ow * 2 - 1, 0), w1 = min(ow * 2 + 2, W);
    float sum = 0.0f;
    for (int d = d0; d < d1; d++)
        for (int h = h0; h < h1; h++)
            for (int w = w0; w < w1; w++) sum += xp[(d * H + h) * W + w];
    out[(((size_t)p * OD + od) * OH + oh) * OW + ow] = sum * (1.0f / 27.0f);
}

extern "C" void avgpool3d(const float* x, float* out, int P, int D, int H, int W, int OD, int OH, int OW, cudaStream_t stream) {
    avg_pool3d_kernel<<<dim3((OW + 31) / 32, (OH + 7) / 8, P * OD), dim3(32, 8), 0, stream>>>(x, out, D, H, W, OD, OH, OW);
}
