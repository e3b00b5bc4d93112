#include "../../pair.cuh"

struct Node {
  int value;
  Node* next;
};

__global__ void sum(const Node* list, int* total) {
  for (auto* node = list; node; node = node->next) *total += node->value;
}

int main() {
  Node* nodes = nullptr;
  int* total = nullptr;
  cudaMallocManaged(&nodes, 8 * sizeof(Node));
  cudaMallocManaged(&total, sizeof(int));
  for (int round = 0; round < 3; ++round) {
    *total = 0;
    for (int i = 0; i < 8; ++i) nodes[i] = {i + round, i < 7 ? nodes + i + 1 : nullptr};
    sum<<<1, 1>>>(nodes, total);
    cudaDeviceSynchronize();
    REQUIRE(*total == 28 + 8 * round);
  }
  cudaFree(nodes);
  cudaFree(total);
  return 0;
}
