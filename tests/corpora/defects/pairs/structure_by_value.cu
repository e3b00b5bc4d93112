// A structure is read as a part of the call that it goes to by value.
#include "../../pair.cuh"

struct Row {
  float v[6];
};

__device__ __noinline__ float weighted(Row row, int shift) {
  float sum = 0;
  for (int i = 0; i < 6; ++i) sum += row.v[i] * row.v[(i + shift) % 6];
  return sum;
}

__global__ void neighbours(const Row* rows, float* out, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  out[i] = weighted(rows[i], 1);
#ifdef DEFECT
  out[i] += weighted(rows[i + 1], 2);  // expect: MEM_OUT_OF_BOUNDS
#else
  out[i] += weighted(rows[i + 1 < n ? i + 1 : 0], 2);
#endif
}

int main() {
  Device<Row> rows(std::vector<Row>(48, Row{{1, 2, 3, 4, 5, 6}}));
  Device<float> out(48);
  neighbours<<<1, 64>>>(rows.data, out.data, 48);
  REQUIRE(out.host()[0] == 76 + 67);
  return 0;
}
