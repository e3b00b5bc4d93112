// Structures with padding and with members that nobody sets go through shared memory as a whole; only what was set is looked at.
#include "../../pair.cuh"

struct Item {
  char tag;
  double value;
  int spare;
  short kind;
};

__global__ void swapped(Item* items) {
  __shared__ Item kept[32];
  const int i = threadIdx.x;
  kept[i].value = i;
  kept[i].kind = short(i & 1);
  __syncthreads();
  Item other = kept[i ^ 1];
  items[i] = other;
}

__global__ void sum(const Item* items, double* out) {
  double total = 0;
  for (int i = 0; i < 32; ++i)
    if (items[i].kind) total += items[i].value;
  *out = total;
}

int main() {
  Device<Item> items(32);
  Device<double> out(1);
  swapped<<<1, 32>>>(items.data);
  sum<<<1, 1>>>(items.data, out.data);
  REQUIRE(out.host()[0] == 256.0);
  return 0;
}
