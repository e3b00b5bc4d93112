// kernelwright: task=../../tasks/crc32_rows.py entry=crc32 args="x, out, x.shape[0]"
// a look-up a byte in a table the block builds, bytes read one by one
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) cr_table(const unsigned char* __restrict__ x, int* __restrict__ out, int rows) {
    __shared__ unsigned table[256];
    for (int i = threadIdx.x; i < 256; i += 128) {
        unsigned v = i;
        for (int k = 0; k < 8; ++k) v = v & 1 ? v >> 1 ^ 0xEDB88320u : v >> 1;
        table[i] = v;
    }
    __syncthreads();
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    unsigned crc = ~0u;
    for (int i = 0; i < 1024; ++i) crc = table[(crc ^ x[(size_t)r * 1024 + i]) & 255] ^ crc >> 8;
    out[r] = ~crc;
}
extern "C" void crc32(const unsigned char* x, int* out, int rows, cudaStream_t stream) {
    cr_table<<<(rows + 127) / 128, 128, 0, stream>>>(x, out, rows);
}
