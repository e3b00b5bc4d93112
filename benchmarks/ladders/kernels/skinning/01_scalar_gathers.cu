// kernelwright: task=../../tasks/skinning.py entry=skinning args="pos, bone, weight, mats, out, pos.shape[0]"
// a thread a vertex, twelve floats of every matrix one by one from global memory
#include <cuda_runtime.h>

__global__ void sk_scalar(const float* pos, const int* bone, const float* weight, const float* mats, float* out, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    for (int r = 0; r < 3; ++r) {
        float s = 0.f;
        for (int k = 0; k < 4; ++k) {
            const float* m = mats + bone[v * 4 + k] * 12 + r * 4;
            s += weight[v * 4 + k] * (m[0] * pos[v * 3] + m[1] * pos[v * 3 + 1] + m[2] * pos[v * 3 + 2] + m[3]);
        }
        out[v * 3 + r] = s;
    }
}
extern "C" void skinning(const float* pos, const int* bone, const float* weight, const float* mats, float* out, int n, cudaStream_t stream) {
    sk_scalar<<<(n + 255) / 256, 256, 0, stream>>>(pos, bone, weight, mats, out, n);
}
