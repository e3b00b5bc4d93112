// cuComplex.h in kernels and on the host, and cuda::std's names.
#include <cuComplex.h>
#include <cuda/std/functional>
#include <cuda/std/type_traits>
#include <nvtx3/nvToolsExt.h>

#include "../../check.cuh"

__global__ void iterate(cuFloatComplex* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  cuFloatComplex value = z[i];
  z[i] = cuCdivf(cuCaddf(cuCmulf(value, value), make_cuFloatComplex(1.0f, 0.0f)), make_cuComplex(0.0f, 2.0f));
}

static_assert(cuda::std::is_same_v<cuda::std::remove_cvref_t<const int&>, int>);

int main() {
  std::vector<cuFloatComplex> host = {make_cuFloatComplex(1, 2), make_cuFloatComplex(0, -3)};
  nvtxRangePush("work");
  Device<cuFloatComplex> z(host);
  iterate<<<1, 32>>>(z.data, 2);
  nvtxRangePop();
  auto o = z.host();
  REQUIRE(cuCrealf(o[0]) == 2.0f && cuCimagf(o[0]) == 1.0f);  // ((1 + 2i)^2 + 1) / 2i
  REQUIRE(o[1].x == 0.0f && o[1].y == 4.0f);
  REQUIRE(cuCabs(make_cuDoubleComplex(3, -4)) == 5.0 && cuConj(make_cuDoubleComplex(1, 1)).y == -1.0);
  REQUIRE(cuda::std::identity()(7) == 7 && cuda::std::plus<int>()(2, 3) == 5);
  return 0;
}
