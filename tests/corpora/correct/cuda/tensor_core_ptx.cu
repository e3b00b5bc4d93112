#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "../../check.cuh"

// One warp: C (16 x 8) = A (16 x 16) B (16 x 8), both by ldmatrix from shared memory.
template <typename T>
__global__ void product(const T* a, const T* b, float* c) {
  __shared__ alignas(16) T left[16][16], right[16][8];
  int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32) left[i / 16][i % 16] = a[i];
  for (int i = lane; i < 128; i += 32) right[i / 8][i % 8] = b[i];
  __syncthreads();
  uint32_t ra[4], rb[2];
  uint32_t at = (uint32_t)__cvta_generic_to_shared(&left[lane % 16][lane / 16 * 8]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3]) : "r"(at));
  at = (uint32_t)__cvta_generic_to_shared(&right[lane % 16][0]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(rb[0]), "=r"(rb[1]) : "r"(at));
  float d[4] = {1, 1, 1, 1};
  if constexpr (sizeof(T) == 2 && std::is_same_v<T, __half>)
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  else
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  int g = lane / 4, t = lane % 4;
  *(float2*)&c[g * 8 + 2 * t] = make_float2(d[0], d[1]);
  *(float2*)&c[(g + 8) * 8 + 2 * t] = make_float2(d[2], d[3]);
}

// The same with registers filled by hand.
__global__ void tf32_product(const float* a, const float* b, float* c) {
  int g = threadIdx.x / 4, t = threadIdx.x % 4;
  uint32_t ra[4], rb[2];
  for (int i = 0; i < 4; ++i)
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(ra[i]) : "f"(a[(g + 8 * (i & 1)) * 8 + t + 4 * (i >> 1)]));
  for (int i = 0; i < 2; ++i) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rb[i]) : "f"(b[(t + 4 * i) * 8 + g]));
  float d[4];
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %10, %10, %10};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]), "f"(0.0f));
  for (int i = 0; i < 4; ++i) c[(g + 8 * (i >> 1)) * 8 + 2 * t + (i & 1)] = d[i];
}

__global__ void int8_product(const signed char* a, const signed char* b, int* c) {
  int g = threadIdx.x / 4, t = threadIdx.x % 4;
  uint32_t ra[4], rb[2];
  for (int i = 0; i < 4; ++i) ra[i] = *(const uint32_t*)&a[(g + 8 * (i & 1)) * 32 + 4 * t + 16 * (i >> 1)];
  for (int i = 0; i < 2; ++i) rb[i] = *(const uint32_t*)&b[g * 32 + 4 * t + 16 * i];  // columns one after another
  int d[4] = {0, 0, 0, 0};
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  for (int i = 0; i < 4; ++i) c[(g + 8 * (i >> 1)) * 8 + 2 * t + (i & 1)] = d[i];
}

template <typename T>
int check_half() {
  std::vector<T> a(256), b(128);
  for (int i = 0; i < 256; ++i) a[i] = T((float)(i * 7 % 23) - 11);
  for (int i = 0; i < 128; ++i) b[i] = T((float)(i * 5 % 19) * 0.25f);
  Device<T> da(a), db(b);
  Device<float> dc(128);
  product<T><<<1, 32>>>(da.data, db.data, dc.data);
  auto c = dc.host();
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      float sum = 1;
      for (int k = 0; k < 16; ++k) sum += (float)a[i * 16 + k] * (float)b[k * 8 + j];
      REQUIRE(c[i * 8 + j] == sum);
    }
  return 0;
}

int main() {
  REQUIRE(check_half<__half>() == 0);
  REQUIRE(check_half<__nv_bfloat16>() == 0);
  auto a = ramp(128), b = ramp(64);
  Device<float> da(a), db(b), dc(128);
  tf32_product<<<1, 32>>>(da.data, db.data, dc.data);
  auto c = dc.host();
  for (int i = 0; i < 128; ++i) {
    float sum = 0;
    for (int k = 0; k < 8; ++k) sum += a[i / 8 * 8 + k] * b[k * 8 + i % 8];
    REQUIRE(c[i] == sum);
  }
  std::vector<signed char> x(512), y(256);
  for (int i = 0; i < 512; ++i) x[i] = (signed char)(i * 37);
  for (int i = 0; i < 256; ++i) y[i] = (signed char)(i * 91 + 3);
  Device<signed char> dx(x), dy(y);
  Device<int> dz(128);
  int8_product<<<1, 32>>>(dx.data, dy.data, dz.data);
  auto z = dz.host();
  for (int i = 0; i < 128; ++i) {
    int sum = 0;
    for (int k = 0; k < 32; ++k) sum += x[i / 8 * 32 + k] * y[i % 8 * 32 + k];
    REQUIRE(z[i] == sum);
  }
  return 0;
}
