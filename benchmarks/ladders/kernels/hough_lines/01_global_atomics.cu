// kernelwright: task=../../tasks/hough_lines.py entry=hough args="points, turn, out, points.shape[0]"
// a thread a point goes through the angles, votes by atomics in global memory
#include <cuda_runtime.h>

__global__ void ho_point(const int* points, const int* turn, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = points[2 * i], y = points[2 * i + 1];
    for (int a = 0; a < 180; ++a) atomicAdd(&out[a * 4200 + ((x * turn[2 * a] + y * turn[2 * a + 1]) >> 12) + 2100], 1);
}
extern "C" void hough(const int* points, const int* turn, int* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, 180 * 4200 * sizeof(int), stream);
    ho_point<<<(n + 127) / 128, 128, 0, stream>>>(points, turn, out, n);
}
