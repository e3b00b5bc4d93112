// An algorithm reads more than its vector holds; a functor follows an index out of its array.
#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>

struct Pick {
  const float* table;
  __device__ float operator()(int i) const {
    return table[i];  // expect: MEM_OUT_OF_BOUNDS
  }
};

int main() {
  thrust::device_vector<float> x(100, 1.0f), y(101);
  thrust::counting_iterator<int> first(0);
  thrust::transform(first, first + 101, y.begin(), Pick{thrust::raw_pointer_cast(x.data())});
  thrust::reduce(x.begin(), x.begin() + 101);  // expect: MEM_OUT_OF_BOUNDS
  return 0;
}
