// kernelwright: task=../../tasks/edit_distance.py entry=edit_distance args="a, b, out, a.shape[0]"
// a warp a pair, two columns a lane, the left neighbour's value by a shuffle
#include <cuda_runtime.h>

__global__ void ed_warp(const signed char* __restrict__ a, const signed char* __restrict__ b, int* __restrict__ out, int pairs) {
    int p = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (p >= pairs) return;
    const signed char* mine = a + p * 64;
    char2 other = ((const char2*)(b + p * 64))[lane];
    int first = 2 * lane + 1, second = 2 * lane + 2, before = 2 * lane;
    for (int s = 1; s < 96; ++s) {
        int left = __shfl_up_sync(~0u, second, 1), i = s - lane;
        if (lane == 0) left = i;
        if (i >= 1 && i <= 64) {
            signed char letter = mine[i - 1];
            int up = first;
            first = min(min(up, left) + 1, before + (letter != other.x));
            second = min(min(second, first) + 1, up + (letter != other.y));
            before = left;
        }
    }
    if (lane == 31) out[p] = second;
}
extern "C" void edit_distance(const signed char* a, const signed char* b, int* out, int pairs, cudaStream_t stream) {
    ed_warp<<<(pairs + 3) / 4, 128, 0, stream>>>(a, b, out, pairs);
}
