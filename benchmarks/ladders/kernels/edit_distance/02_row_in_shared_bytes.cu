// kernelwright: task=../../tasks/edit_distance.py entry=edit_distance args="a, b, out, a.shape[0]"
// a thread a pair, the row as bytes in shared memory, letters of b two bits each in registers
#include <cuda_runtime.h>

__global__ void __launch_bounds__(64) ed_bytes(const signed char* __restrict__ a, const signed char* __restrict__ b, int* __restrict__ out, int pairs) {
    __shared__ unsigned char row[64][64];
    int t = threadIdx.x, p = blockIdx.x * 64 + t;
    if (p >= pairs) return;
    unsigned long long low = 0, high = 0;
    for (int j = 0; j < 32; ++j) {
        low |= (unsigned long long)b[p * 64 + j] << 2 * j;
        high |= (unsigned long long)b[p * 64 + 32 + j] << 2 * j;
    }
    for (int j = 0; j < 64; ++j) row[j][t] = j + 1;
    for (int i = 1; i <= 64; ++i) {
        int diagonal = i - 1, left = i, letter = a[p * 64 + i - 1];
#pragma unroll 8
        for (int j = 0; j < 64; ++j) {
            int up = row[j][t], other = (int)((j < 32 ? low >> 2 * j : high >> 2 * (j - 32)) & 3);
            left = min(min(up, left) + 1, diagonal + (letter != other));
            diagonal = up;
            row[j][t] = left;
        }
    }
    out[p] = row[63][t];
}
extern "C" void edit_distance(const signed char* a, const signed char* b, int* out, int pairs, cudaStream_t stream) {
    ed_bytes<<<(pairs + 63) / 64, 64, 0, stream>>>(a, b, out, pairs);
}
