#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "device.h"

namespace kw {
namespace {

uint64_t random_state;

__host__ __device__ uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

__global__ void fill_kernel(unsigned char* data, size_t bytes, uint64_t pattern) {
  auto stride = size_t(gridDim.x) * blockDim.x, first = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  auto words = bytes / 8;
  for (auto i = first; i < words; i += stride) reinterpret_cast<uint64_t*>(data)[i] = pattern;
  for (auto i = words * 8 + first; i < bytes; i += stride) data[i] = (unsigned char)(pattern >> (i % 8 * 8));
}

__global__ void flush_kernel(uint4* data, size_t count, unsigned value) {
  for (auto i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x)
    data[i] = make_uint4(value, value, value, value);
}

__global__ void empty_kernel() {}

__global__ void spin_kernel(unsigned long long nanoseconds, unsigned long long* passed) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  auto clocks = clock64();
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - start < nanoseconds);
  passed[0] += (unsigned long long)(clock64() - clocks);
  passed[1] += now - start;
}

// An element as the type that holds every other: a double, or a 64-bit integer.
struct Value {
  double real;
  long long integer;
  bool is_real;
};

__device__ Value load(const void* from, int type) {
  switch (type) {
    case 0: return {0, *static_cast<const uint8_t*>(from), false};
    case 1: return {0, *static_cast<const int8_t*>(from), false};
    case 2: return {0, *static_cast<const int16_t*>(from), false};
    case 3: return {0, *static_cast<const int32_t*>(from), false};
    case 5: return {__half2float(*static_cast<const __half*>(from)), 0, true};
    case 6: return {*static_cast<const float*>(from), 0, true};
    case 7: return {*static_cast<const double*>(from), 0, true};
    case 11: return {0, *static_cast<const bool*>(from), false};
    case 15: return {__bfloat162float(*static_cast<const __nv_bfloat16*>(from)), 0, true};
    case 23: return {float(*static_cast<const __nv_fp8_e5m2*>(from)), 0, true};
    case 24: return {float(*static_cast<const __nv_fp8_e4m3*>(from)), 0, true};
    case 27: return {0, *static_cast<const uint16_t*>(from), false};
    case 28: return {0, *static_cast<const uint32_t*>(from), false};
    default: return {0, *static_cast<const long long*>(from), false};
  }
}

__device__ void store(void* to, int type, const Value& value) {
  auto integer = value.is_real ? (long long)value.real : value.integer;
  auto real = value.is_real ? value.real : double(value.integer);
  switch (type) {
    case 0: *static_cast<uint8_t*>(to) = uint8_t(integer); break;
    case 1: *static_cast<int8_t*>(to) = int8_t(integer); break;
    case 2: case 27: *static_cast<uint16_t*>(to) = uint16_t(integer); break;
    case 3: case 28: *static_cast<uint32_t*>(to) = uint32_t(integer); break;
    case 5: *static_cast<__half*>(to) = __double2half(real); break;
    case 6: *static_cast<float*>(to) = float(real); break;
    case 7: *static_cast<double*>(to) = real; break;
    case 11: *static_cast<bool*>(to) = value.is_real ? real != 0 : integer != 0; break;
    case 15: *static_cast<__nv_bfloat16*>(to) = __double2bfloat16(real); break;
    case 23: *static_cast<__nv_fp8_e5m2*>(to) = __nv_fp8_e5m2(float(real)); break;
    case 24: *static_cast<__nv_fp8_e4m3*>(to) = __nv_fp8_e4m3(float(real)); break;
    default: *static_cast<long long*>(to) = integer;
  }
}

__global__ void random_kernel(char* data, size_t elements, int type, unsigned size, int64_t below, uint64_t seed) {
  for (auto i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < elements; i += size_t(gridDim.x) * blockDim.x) {
    auto bits = mixed(seed + i * 0x9e3779b97f4a7c15);
    // The sum of four uniform numbers, of unit variance: near enough to what randn gives.
    double real = -2.0;
    for (int part = 0; part < 4; ++part) real += double(bits >> (part * 16) & 0xffff) / 65536.0;
    bool floating = type == 5 || type == 6 || type == 7 || type == 15 || type == 23 || type == 24;
    store(data + i * size, type, floating ? Value{real * 1.7320508, 0, true} : Value{0, (long long)(bits % (uint64_t)below), false});
  }
}

__global__ void copy_kernel(kw_tensor to, kw_tensor from, unsigned to_size, unsigned from_size, size_t elements) {
  for (auto i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < elements; i += size_t(gridDim.x) * blockDim.x) {
    int64_t at_to = 0, at_from = 0;
    auto rest = i;
    for (int d = to.dim; d-- > 0;) {
      auto index = int64_t(rest % size_t(to.size[d]));
      rest /= size_t(to.size[d]);
      at_to += index * to.stride[d];
      at_from += index * from.stride[d];
    }
    auto* written = static_cast<char*>(to.data) + at_to * to_size;
    auto* read = static_cast<const char*>(from.data) + at_from * from_size;
    if (to.dtype == from.dtype && to_size == 8) *reinterpret_cast<uint64_t*>(written) = *reinterpret_cast<const uint64_t*>(read);
    else if (to.dtype == from.dtype && to_size == 4) *reinterpret_cast<uint32_t*>(written) = *reinterpret_cast<const uint32_t*>(read);
    else if (to.dtype == from.dtype && to_size == 2) *reinterpret_cast<uint16_t*>(written) = *reinterpret_cast<const uint16_t*>(read);
    else if (to.dtype == from.dtype && to_size == 1) *written = *read;
    else store(written, to.dtype, load(read, from.dtype));
  }
}

unsigned blocks_for(size_t count) { return unsigned(std::max<size_t>(1, std::min<size_t>((count + 255) / 256, 8192))); }

Memory memory_kind = Memory::guarded;
std::vector<Buffer*> live;
std::multimap<size_t, char*> pool;  // by size, of the candidate's own

uint64_t guard_pattern() {
  uint64_t pattern = 0;
  for (int part = 0; part < 4; ++part) pattern = pattern << 16 | 0x7fc0 | (random_bits() & 0x3f);
  return pattern;
}

}  // namespace

void require(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

void seed_random(const std::string& nonce) {
  for (unsigned char c : nonce) random_state = random_state * 131 + c;
}
uint64_t random_bits() { return mixed(random_state += 0x9e3779b97f4a7c15); }

uint64_t poison_pattern(const ElementType& type) {
  if (!type.nan || type.size == 8) {
    auto pattern = random_bits();
    return type.nan ? (pattern & ((type.nan & -type.nan) - 1)) | type.nan : pattern;
  }
  uint64_t pattern = 0;
  auto width = type.size * 8;
  auto free = (type.nan & -type.nan) - 1;
  for (unsigned at = 0; at < 64; at += width) pattern |= ((random_bits() & free) | type.nan) << at;
  return pattern;
}

void fill_device(void* data, size_t bytes, uint64_t pattern) {
  if (bytes) fill_kernel<<<blocks_for(bytes / 8), 256>>>(static_cast<unsigned char*>(data), bytes, pattern);
}
void fill_random(void* data, size_t elements, const ElementType& type, int64_t below, uint64_t seed) {
  if (elements)
    random_kernel<<<blocks_for(elements), 256>>>(static_cast<char*>(data), elements, type.code, type.size,
                                                 std::max<int64_t>(below, 1), seed);
}
void copy_elements(const kw_tensor& to, const kw_tensor& from, cudaStream_t stream) {
  auto *target = element_type(to.dtype), *source = element_type(from.dtype);
  if (!target || !source) throw std::runtime_error("a copy between element types that this target does not have");
  size_t elements = 1;
  for (int d = 0; d < to.dim; ++d) elements *= size_t(to.size[d]);
  if (elements) copy_kernel<<<blocks_for(elements), 256, 0, stream>>>(to, from, target->size, source->size, elements);
}
void flush_cache(void* buffer, size_t bytes, unsigned value) {
  flush_kernel<<<1056, 256>>>(static_cast<uint4*>(buffer), bytes / 16, value);
}
void spin(double microseconds, unsigned long long* passed) {
  spin_kernel<<<1, 1>>>((unsigned long long)(microseconds * 1000.0), passed);
}
void launch_empty() { empty_kernel<<<1, 32>>>(); }

void use_memory(Memory kind) { memory_kind = kind; }

Buffer* allocate(size_t bytes, const std::string& name, bool task) {
  auto buffer = new Buffer;
  buffer->name = name;
  buffer->task = task;
  buffer->bytes = bytes;
  buffer->rounded = (std::max<size_t>(bytes, 1) + 255) / 256 * 256;
  auto guard = memory_kind == Memory::guarded ? Buffer::kGuard : 0;
  auto kept = memory_kind == Memory::pooled && !task ? pool.find(buffer->rounded) : pool.end();
  if (kept != pool.end()) {
    buffer->base = kept->second;
    pool.erase(kept);
  } else if (cudaMalloc(reinterpret_cast<void**>(&buffer->base),
                        memory_kind == Memory::exact ? std::max<size_t>(bytes, 1) : buffer->rounded + 2 * guard) != cudaSuccess) {
    cudaGetLastError();
    delete buffer;
    throw std::runtime_error("the device's memory does not suffice for " + std::to_string(bytes) + " bytes more");
  }
  buffer->data = buffer->base + guard;
  if (guard) {
    buffer->pattern = guard_pattern();
    // Between the last byte and the guard too: what is rounded up belongs to nobody.
    fill_device(buffer->base, buffer->rounded + 2 * guard, buffer->pattern);
  }
  live.push_back(buffer);
  return buffer;
}

void release(Buffer* buffer) {
  live.erase(std::find(live.begin(), live.end(), buffer));
  if (memory_kind == Memory::pooled && !buffer->task) pool.emplace(buffer->rounded, buffer->base);
  else cudaFree(buffer->base);
  delete buffer;
}

void release_dropped(const std::set<const Buffer*>& kept) {
  for (auto* buffer : std::vector<Buffer*>(live))
    if ((buffer->task || buffer->dropped) && !kept.count(buffer)) release(buffer);
}

Buffer* buffer_at(const void* address) {
  for (auto* buffer : live)
    if (address >= buffer->data && address < buffer->data + std::max<size_t>(buffer->bytes, 1)) return buffer;
  return nullptr;
}
const std::vector<Buffer*>& buffers() { return live; }

bool find_breach(const Buffer& buffer, int64_t* offset) {
  if (!buffer.pattern) return false;
  std::vector<char> seen(Buffer::kGuard + 256);
  auto whole = [&](const char* from, size_t bytes, bool last) {
    if (cudaMemcpy(seen.data(), from, bytes, cudaMemcpyDeviceToHost) != cudaSuccess) return true;
    auto phase = size_t(from - buffer.base);
    auto changed = [&](size_t i) { return seen[i] != char(buffer.pattern >> ((phase + i) % 8 * 8)); };
    size_t worst = bytes;
    for (size_t i = 0; i < bytes; ++i)
      if (changed(i)) {
        worst = i;
        if (!last) break;  // the first byte past the end; the last stretch before the start
      }
    if (worst == bytes) return true;
    while (last && worst > 0 && changed(worst - 1)) --worst;
    *offset = from + worst - buffer.data;
    return false;
  };
  auto* end = buffer.data + buffer.bytes;
  return !whole(end, size_t(buffer.base + buffer.rounded + 2 * Buffer::kGuard - end), false) ||
         !whole(buffer.base, Buffer::kGuard, true);
}

}  // namespace kw
