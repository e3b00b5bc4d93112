// kernelwright: task=../../tasks/unpack_bits.py entry=unpack args="x, base, out, x.shape[0]"
// a thread a frame: loads 44 and stores 128 bytes apart
#include <cuda_runtime.h>

__global__ void u1_frame(const int* x, const int* base, int* out, int frames) {
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= frames) return;
    for (int k = 0; k < 32; ++k) {
        int word = k * 11 / 32, shift = k * 11 % 32;
        unsigned v = (unsigned)x[g * 11 + word] >> shift;
        if (shift > 21) v |= (unsigned)x[g * 11 + word + 1] << (32 - shift);
        out[g * 32 + k] = base[g] + (int)(v & 2047);
    }
}
extern "C" void unpack(const int* x, const int* base, int* out, int frames, cudaStream_t stream) {
    u1_frame<<<(frames + 127) / 128, 128, 0, stream>>>(x, base, out, frames);
}
