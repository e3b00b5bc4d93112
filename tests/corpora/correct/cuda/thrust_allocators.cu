// Vectors whose memory a user's own allocator gives, and universal ones, which the host reads by their addresses.
// A project may have macros of these names.
#define device_free(memory) project::free_(memory)
#define device_malloc(size) project::malloc_(size)

#include <thrust/device_malloc_allocator.h>
#include <thrust/device_vector.h>
#include <thrust/universal_vector.h>

#include "../../check.cuh"

template <class T>
struct Managed {
  using value_type = T;
  int* alive;
  explicit Managed(int* count) : alive(count) {}
  template <class U>
  Managed(const Managed<U>& other) : alive(other.alive) {}
  T* allocate(std::size_t n) {
    void* made = nullptr;
    cudaMallocManaged(&made, n * sizeof(T));
    ++*alive;
    return static_cast<T*>(made);
  }
  void deallocate(T* memory, std::size_t) {
    cudaFree(memory);
    --*alive;
  }
};
template <class T>
struct Uninitialized : thrust::device_malloc_allocator<T> {
  __host__ __device__ void construct(T*) {}
};

__global__ void square(int* x) { x[threadIdx.x] *= x[threadIdx.x]; }

int main() {
  int alive = 0;
  {
    Managed<int> allocator(&alive);
    thrust::device_vector<int, Managed<int>> x(32, 3, allocator), y(x);
    REQUIRE(alive == 2);
    int* here = thrust::raw_pointer_cast(x.data());
    square<<<1, 32>>>(here);
    cudaDeviceSynchronize();
    REQUIRE(here[31] == 9 && y[31] == 3);
  }
  REQUIRE(alive == 0);
  thrust::device_vector<int, Uninitialized<int>> z(16);
  z[3] = 5;
  thrust::universal_vector<int> u(z.begin() + 3, z.begin() + 4);
  int* everywhere = thrust::raw_pointer_cast(u.data());
  square<<<1, 1>>>(everywhere);
  cudaDeviceSynchronize();
  REQUIRE(everywhere[0] == 25);
  return 0;
}
