// kernelwright: task=../../tasks/avgpool3d.py entry=avgpool3d args="x, out, x.shape[0], x.shape[1], x.shape[2], x.shape[3], out.shape[1], out.shape[2], out.shape[3]"
// unrolled with selects: all 27 loads independent
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) avg_pool3d_kernel(const float* __restrict__ x, float* __restrict__ out, int D, int H, int W, int OD, int OH, int OW) {
    int ow = blockIdx.x * 32 + threadIdx.x, oh = blockIdx.y * 8 + threadIdx.y;
    if (ow >= OW || oh >= OH) return;
    int od = blockIdx.z % OD, p = blockIdx.z / OD;
    const float* xp = x + (size_t)p * D * H * W;
    float sum = 0.0f;
#pragma unroll
    for (int kd = 0; kd < 3; kd++)
#pragma unroll
        for (int kh = 0; kh < 3; kh++) {
            int d = od * 2 - 1 + kd, h = oh * 2 - 1 + kh, w = ow * 2 - 1;
            bool row = d >= 0 && d < D && h >= 0 && h < H;
            const float* r = xp + (d * H + h) * W + w;
            sum += row && w >= 0 ? r[0] : 0.0f;
            sum += row ? r[1] : 0.0f;
            sum += row && w + 2 < W ? r[2] : 0.0f;
        }
    out[(((size_t)p * OD + od) * OH + oh) * OW + ow] = sum * (1.0f / 27.0f);
}

extern "C" void avgpool3d(const float* x, float* out, int P, int D, int H, int W, int OD, int OH, int OW, cudaStream_t stream) {
    avg_pool3d_kernel<<<dim3((OW + 31) / 32, (OH + 7) / 8, P * OD), dim3(32, 8), 0, stream>>>(x, out, D, H, W, OD, OH, OW);
}
