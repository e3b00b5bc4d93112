#include "../../pair.cuh"

// What a turn of the inner loop reads, an earlier turn of the outer one has stored: in the first there is none.
__global__ void largest_four(const float* x, int* places, int n) {
  if (threadIdx.x) return;
  int taken[4];
  int last, turns = 0;
  for (int j = 0; j < 4; ++j) {
    int at = -1;
    for (int c = 0; c < n; ++c) {
      bool used = j > 0 && last == c;
      for (int p = 0; p < j; ++p) used |= taken[p] == c;
      if (!used && (at < 0 || x[c] > x[at])) at = c;
    }
    places[j] = taken[j] = last = at;
    ++turns;
  }
  places[4] = turns;
}

int main() {
  Device<float> x(ramp<float>(32));
  Device<int> places(5);
  largest_four<<<1, 32>>>(x.data, places.data, 32);
  auto found = places.host();
  REQUIRE(found[0] == 16 && found[1] == 15 && found[2] == 14 && found[3] == 31 && found[4] == 4);
  return 0;
}
