// kernelwright: task=../../tasks/edge_softmax.py entry=edge_softmax args="e, start, out, start.shape[0] - 1"
// a thread a node and head, three passes over its edges
#include <cuda_runtime.h>

__global__ void e1_node(const float* e, const int* start, float* out, int nodes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, node = i / 4, head = i % 4;
    if (node >= nodes) return;
    float top = -1e30f, sum = 0.f;
    for (int k = start[node]; k < start[node + 1]; ++k) top = fmaxf(top, e[k * 4 + head]);
    for (int k = start[node]; k < start[node + 1]; ++k) sum += expf(e[k * 4 + head] - top);
    for (int k = start[node]; k < start[node + 1]; ++k) out[k * 4 + head] = expf(e[k * 4 + head] - top) / sum;
}
extern "C" void edge_softmax(const float* e, const int* start, float* out, int nodes, cudaStream_t stream) {
    e1_node<<<(nodes * 4 + 255) / 256, 256, 0, stream>>>(e, start, out, nodes);
}
