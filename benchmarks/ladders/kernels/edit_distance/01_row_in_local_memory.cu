// kernelwright: task=../../tasks/edit_distance.py entry=edit_distance args="a, b, out, a.shape[0]"
// a thread a pair, a row of the table in local memory
#include <cuda_runtime.h>

__global__ void ed_local(const signed char* a, const signed char* b, int* out, int pairs) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pairs) return;
    int row[65];
    for (int j = 0; j <= 64; ++j) row[j] = j;
#pragma unroll 1
    for (int i = 1; i <= 64; ++i) {
        int diagonal = row[0];
        row[0] = i;
        signed char letter = a[p * 64 + i - 1];
#pragma unroll 1
        for (int j = 1; j <= 64; ++j) {
            int up = row[j];
            row[j] = min(min(up, row[j - 1]) + 1, diagonal + (letter != b[p * 64 + j - 1]));
            diagonal = up;
        }
    }
    out[p] = row[64];
}
extern "C" void edit_distance(const signed char* a, const signed char* b, int* out, int pairs, cudaStream_t stream) {
    ed_local<<<(pairs + 63) / 64, 64, 0, stream>>>(a, b, out, pairs);
}
