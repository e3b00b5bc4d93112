// kernelwright: task=../../tasks/nms_mask.py entry=nms_mask args="boxes, out, boxes.shape[0]"
// a lane a column, a warp walks through 32 rows and votes
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) nm_ballot(const float4* __restrict__ boxes, int* __restrict__ out, int n) {
    __shared__ float4 row[32];
    __shared__ float size[32];
    int lane = threadIdx.x % 32, w = blockIdx.x * 8 + threadIdx.x / 32, words = n / 32, first = blockIdx.y * 32;
    float4 c = boxes[w * 32 + lane];
    float area = (c.z - c.x) * (c.w - c.y);
    if (threadIdx.x < 32) {
        float4 o = boxes[first + lane];
        row[lane] = o;
        size[lane] = (o.z - o.x) * (o.w - o.y);
    }
    __syncthreads();
    unsigned mine = 0;
#pragma unroll 8
    for (int r = 0; r < 32; ++r) {
        float4 me = row[r];
        float dx = fminf(me.z, c.z) - fmaxf(me.x, c.x), dy = fminf(me.w, c.w) - fmaxf(me.y, c.y);
        float both = fmaxf(dx, 0.f) * fmaxf(dy, 0.f);
        unsigned bits = __ballot_sync(~0u, both > 0.5f * (area + size[r] - both));
        if (lane == r) mine = bits;
    }
    out[(size_t)(first + lane) * words + w] = mine;
}
extern "C" void nms_mask(const float* boxes, int* out, int n, cudaStream_t stream) {
    nm_ballot<<<dim3(n / 256, n / 32), 256, 0, stream>>>((const float4*)boxes, out, n);
}
