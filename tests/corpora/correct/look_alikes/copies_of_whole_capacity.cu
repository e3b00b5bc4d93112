#include "../../pair.cuh"

#include <algorithm>

struct Record {
  char kind;
  double value;
};

__global__ void make(Record* records, int* count, int n) {
  int i = threadIdx.x;
  if (i % 3 == 0 && i < n) records[atomicAdd(count, 1)] = Record{(char)i, 0.5 * i};
}

int main() {
  Device<Record> records(64);
  Device<int> count(std::vector<int>{0});
  make<<<1, 64>>>(records.data, count.data, 64);
  auto host = records.host();
  std::vector<Record> kept(host.begin(), host.begin() + count.host()[0]);
  std::sort(kept.begin(), kept.end(), [](const Record& a, const Record& b) { return a.value < b.value; });
  REQUIRE(kept.size() == 22 && kept[21].value == 31.5);
  return 0;
}
