// kernelwright: task=../../tasks/common_friends.py entry=common_friends args="friends, pair, out, pair.shape[0]"
// a warp a pair: one and a half entries a lane held against all 48 broadcast by shuffles; no divergence
#include <cuda_runtime.h>
#define L 48

__global__ void __launch_bounds__(256) cf(const int* __restrict__ friends, const int* __restrict__ pair, int* __restrict__ out, int n) {
    int lane = threadIdx.x % 32, i = blockIdx.x * 8 + threadIdx.x / 32;
    if (i >= n) return;
    int2 p = __ldg((const int2*)pair + i);
    const int* a = friends + p.x * L;
    const int* b = friends + p.y * L;
    int a0 = a[lane], b0 = b[lane];
    int a1 = lane < 16 ? a[32 + lane] : 0, b1 = lane < 16 ? b[32 + lane] : 0;
    bool hit0 = false, hit1 = false;
#pragma unroll
    for (int k = 0; k < 32; k++) {
        int v = __shfl_sync(0xffffffff, b0, k);
        hit0 |= v == a0;
        hit1 |= v == a1;
    }
#pragma unroll
    for (int k = 0; k < 16; k++) {
        int v = __shfl_sync(0xffffffff, b1, k);
        hit0 |= v == a0;
        hit1 |= v == a1;
    }
    int c = __popc(__ballot_sync(0xffffffff, hit0)) + __popc(__ballot_sync(0xffffffff, hit1 && lane < 16));
    if (lane == 0) out[i] = c;
}
extern "C" void common_friends(const int* friends, const int* pair, int* out, int n, cudaStream_t stream) {
    cf<<<(n + 7) / 8, 256, 0, stream>>>(friends, pair, out, n);
}
