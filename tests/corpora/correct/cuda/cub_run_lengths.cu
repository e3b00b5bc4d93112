// Runs that a block decodes: by their lengths and by their beginnings, window after window.
#include <cub/block/block_run_length_decode.cuh>

#include "../../check.cuh"

constexpr int threads = 32, runs = 2, decoded = 4, window = threads * decoded;

__global__ void decode(const char* values, const unsigned* lengths, char* out, unsigned* within, unsigned* count) {
  using Decode = cub::BlockRunLengthDecode<char, threads, runs, decoded>;
  __shared__ typename Decode::TempStorage storage;
  char value[runs];
  unsigned length[runs], total = 0;
  for (int i = 0; i < runs; ++i) {
    value[i] = values[threadIdx.x * runs + i];
    length[i] = lengths[threadIdx.x * runs + i];
  }
  Decode block(storage, value, length, total);
  if (threadIdx.x == 0) *count = total;
  for (unsigned from = 0; from < total; from += window) {
    char items[decoded];
    unsigned offsets[decoded];
    block.RunLengthDecode(items, offsets, from);
    for (int i = 0; i < decoded; ++i) {
      const unsigned at = from + threadIdx.x * decoded + i;
      if (at < total) out[at] = items[i], within[at] = offsets[i];
    }
  }
}

__global__ void decode_by_beginnings(const char* values, const int* begins, char* out, int total) {
  using Decode = cub::BlockRunLengthDecode<char, threads, 1, decoded, int>;
  char value[1] = {values[threadIdx.x]}, items[decoded];
  int begin[1] = {begins[threadIdx.x]};
  Decode block(value, begin);
  block.RunLengthDecode(items);
  for (int i = 0; i < decoded; ++i)
    if ((int)threadIdx.x * decoded + i < total) out[threadIdx.x * decoded + i] = items[i];
}

int main() {
  const int n = threads * runs;
  std::vector<char> values(n), expected;
  std::vector<unsigned> lengths(n), places;
  std::vector<int> begins(threads);
  for (int i = 0; i < n; ++i) {
    values[i] = char('a' + i % 26);
    lengths[i] = i % 5 == 3 ? 0 : i % 7 + 1;  // some are empty
    for (unsigned k = 0; k < lengths[i]; ++k) expected.push_back(values[i]), places.push_back(k);
  }
  Device<char> in(values), out((int)expected.size());
  Device<unsigned> of(lengths), within((int)expected.size()), count(1);
  decode<<<1, threads>>>(in.data, of.data, out.data, within.data, count.data);
  REQUIRE(count.host()[0] == expected.size());
  REQUIRE(out.host() == expected);
  REQUIRE(within.host() == places);

  for (int i = 0; i < threads; ++i) begins[i] = 3 * i;
  Device<int> first(begins);
  Device<char> all(3 * threads);
  decode_by_beginnings<<<1, threads>>>(in.data, first.data, all.data, 3 * threads);
  auto letters = all.host();
  for (int i = 0; i < 3 * threads; ++i) REQUIRE(letters[i] == values[i / 3]);
  return 0;
}
