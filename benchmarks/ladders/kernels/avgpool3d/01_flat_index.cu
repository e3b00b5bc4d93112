// kernelwright: task=../../tasks/avgpool3d.py entry=avgpool3d args="x, out, x.shape[0], x.shape[1], x.shape[2], x.shape[3], out.shape[1], out.shape[2], out.shape[3]"
// a thread an output, indices by division, 27 tests
#include <cuda_runtime.h>

__global__ void avg_pool3d_kernel(const float* x, float* out, int P, int D, int H, int W, int OD, int OH, int OW) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= P * OD * OH * OW) return;
    int ow = idx % OW;
    int oh = (idx / OW) % OH;
    int od = (idx / (OW * OH)) % OD;
    int p = idx / (OW * OH * OD);
    float sum = 0.0f;
    for (int kd = 0; kd < 3; kd++)
        for (int kh = 0; kh < 3; kh++)
            for (int kw = 0; kw < 3; kw++) {
                int d = od * 2 - 1 + kd, h = oh * 2 - 1 + kh, w = ow * 2 - 1 + kw;
                if (d >= 0 && d < D && h >= 0 && h < H && w >= 0 && w < W) sum += x[((p * D + d) * H + h) * W + w];
            }
    out[idx] = sum / 27.0f;
}

extern "C" void avgpool3d(const float* x, float* out, int P, int D, int H, int W, int OD, int OH, int OW, cudaStream_t stream) {
    int n = P * OD * OH * OW;
    avg_pool3d_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, out, P, D, H, W, OD, OH, OW);
}
