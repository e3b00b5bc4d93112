// kernelwright: task=../../tasks/nms_mask.py entry=nms_mask args="boxes, out, boxes.shape[0]"
// a block 64 rows and 64 columns, the columns in shared memory, a thread two words of a row
#include <cuda_runtime.h>

__global__ void nm_shared(const float4* boxes, int* out, int n) {
    __shared__ float4 column[64];
    __shared__ float size[64];
    int t = threadIdx.x, i = blockIdx.y * 64 + t, words = n / 32;
    float4 o = boxes[blockIdx.x * 64 + t], me = boxes[i];
    column[t] = o;
    size[t] = (o.z - o.x) * (o.w - o.y);
    __syncthreads();
    float area = (me.z - me.x) * (me.w - me.y);
    for (int h = 0; h < 2; ++h) {
        unsigned bits = 0;
        for (int b = 0; b < 32; ++b) {
            float4 c = column[h * 32 + b];
            float dx = fminf(me.z, c.z) - fmaxf(me.x, c.x), dy = fminf(me.w, c.w) - fmaxf(me.y, c.y);
            float both = fmaxf(dx, 0.f) * fmaxf(dy, 0.f);
            if (both > 0.5f * (area + size[h * 32 + b] - both)) bits |= 1u << b;
        }
        out[(size_t)i * words + blockIdx.x * 2 + h] = bits;
    }
}
extern "C" void nms_mask(const float* boxes, int* out, int n, cudaStream_t stream) {
    nm_shared<<<dim3(n / 64, n / 64), 64, 0, stream>>>((const float4*)boxes, out, n);
}
