#include "../../pair.cuh"

struct Item {
  int key, value;
};

__global__ void make(Item* items) {
  items[threadIdx.x].key = threadIdx.x;
#ifndef DEFECT
  items[threadIdx.x].value = 2 * threadIdx.x;
#endif
}

__global__ void use(const Item* items, int* y) {
  y[threadIdx.x] = items[threadIdx.x].value;  // expect: INIT_UNINITIALISED_READ
}

int main() {
  Device<Item> items(32);
  Device<int> y(32);
  make<<<1, 32>>>(items.data);
  use<<<1, 32>>>(items.data, y.data);
  return 0;
}
