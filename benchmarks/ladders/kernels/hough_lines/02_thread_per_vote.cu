// kernelwright: task=../../tasks/hough_lines.py entry=hough args="points, turn, out, points.shape[0]"
// a thread a vote: the angles of a point side by side in a warp
#include <cuda_runtime.h>

__global__ void ho_vote(const int2* points, const int2* turn, int* out, int votes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= votes) return;
    int2 p = points[i / 180], t = turn[i % 180];
    atomicAdd(&out[i % 180 * 4200 + ((p.x * t.x + p.y * t.y) >> 12) + 2100], 1);
}
extern "C" void hough(const int* points, const int* turn, int* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, 180 * 4200 * sizeof(int), stream);
    ho_vote<<<(n * 180 + 255) / 256, 256, 0, stream>>>((const int2*)points, (const int2*)turn, out, n * 180);
}
