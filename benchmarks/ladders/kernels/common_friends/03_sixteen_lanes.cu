// kernelwright: task=../../tasks/common_friends.py entry=common_friends args="friends, pair, out, pair.shape[0]"
// sixteen lanes a pair, three searches each, the second list in shared memory
#include <cuda_runtime.h>
#define L 48

__global__ void __launch_bounds__(256) cf(const int* __restrict__ friends, const int* __restrict__ pair, int* __restrict__ out, int n) {
    __shared__ int lists[16][L];
    int lane = threadIdx.x % 16, g = threadIdx.x / 16;
    int i = blockIdx.x * 16 + g;
    int c = 0;
    if (i < n) {
        int2 p = ((const int2*)pair)[i];
        for (int k = lane; k < L; k += 16) lists[g][k] = friends[p.y * L + k];
        __syncwarp(__activemask());
        for (int k = lane; k < L; k += 16) {
            int want = friends[p.x * L + k], lo = 0;
#pragma unroll
            for (int s = 32; s; s >>= 1)
                if (lo + s <= L && lists[g][lo + s - 1] < want) lo += s;
            c += lo < L && lists[g][lo] == want;
        }
    }
    for (int o = 8; o; o >>= 1) c += __shfl_down_sync(0xffffffff, c, o, 16);
    if (i < n && lane == 0) out[i] = c;
}
extern "C" void common_friends(const int* friends, const int* pair, int* out, int n, cudaStream_t stream) {
    cf<<<(n + 15) / 16, 256, 0, stream>>>(friends, pair, out, n);
}
