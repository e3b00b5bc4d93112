#include "device_allocator.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>

#include "check/access.h"
#include "exec/block.h"
#include "check/findings.h"
#include "check/global_races.h"
#include "check/managed.h"
#include "probes/observations.h"
#include "exec/launch_memoisation.h"
#include "probes/result_digest.h"
#include "trace/trace.h"
#include "check/unwritten.h"

namespace kw {
namespace {

constexpr size_t kGap = 64 << 10;
constexpr size_t kAlignment = 256;
constexpr size_t kFarGap = size_t(3) << 30;
constexpr size_t kSegment = size_t(2) << 20;  // what a device's memory is handed out in: the first of it begins at one
std::deque<Allocation> allocations;  // by address
uintptr_t next_free = kHeap + kGap;
std::deque<Site> sites;
std::map<std::pair<Source, const void*>, uint16_t> numbers;

bool reserve(uintptr_t address, size_t size) {
  return mmap((void*)address, size, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) != MAP_FAILED;
}

// Whole buffers at a time: loops that the compiler makes vectors of.
[[gnu::optimize("O3")]] void set_states(uint8_t* shadow, size_t size, uint8_t flags) {
  for (size_t i = 0; i < size; ++i) shadow[i] |= flags;
}
[[gnu::optimize("O3")]] void set_writers(uint16_t* first, const uint16_t* end, uint16_t number) {
  for (; first < end; ++first) *first = number;
}
[[gnu::optimize("O3")]] void copy_states(uint8_t* to, const uint8_t* from, size_t size, uint8_t flags) {
  for (size_t i = 0; i < size; ++i) to[i] = uint8_t((to[i] & ~flags) | (from[i] & flags));
}
// Where it is never stored, `number` did.
[[gnu::optimize("O3")]] void copy_writers(uint16_t* to, const uint16_t* from, size_t count, uint16_t number) {
  for (size_t i = 0; i < count; ++i) to[i] = from[i] ? from[i] : number;
}
// What all of them have.
[[gnu::optimize("O3")]] uint8_t all_states(const uint8_t* shadow, size_t size) {
  uint8_t states = 0xff;
  for (size_t i = 0; i < size; ++i) states &= shadow[i];
  return states;
}

constexpr size_t kLarge = size_t(1) << 20;  // from here on pages are worth a system call
// Pages that lie within a range hold zeros again, and take no memory.
void give_back(uintptr_t address, size_t size) {
  constexpr uintptr_t kPage = 4096;
  auto first = (address + kPage - 1) / kPage * kPage, last = (address + size) / kPage * kPage;
  if (first < last) madvise((void*)first, last - first, MADV_DONTNEED);
}

// The host stores into managed memory element by element, from one place.
uint16_t number_of(Source source, const void* site) {
  static Source last_source = Source::device;
  static const void* last_site = nullptr;
  static uint16_t last = 0;
  if (!last || source != last_source || site != last_site) {
    last = site_number(source, site);
    last_source = source;
    last_site = site;
  }
  return last;
}

}  // namespace

bool reserve_heap() {
  return reserve(kHeap, kHeapSize) && reserve(kHeapShadow, kHeapSize) && reserve(kHeapWriters, kHeapSize);
}

uint16_t site_number(Source source, const void* address, size_t size) {
  auto [entry, is_new] = numbers.try_emplace({source, address}, 0);
  if (is_new && sites.size() < 65535) {
    sites.push_back({source, address, launch ? launch->config->kernel : "", size});
    entry->second = uint16_t(sites.size());
  }
  return entry->second;
}
const Site& site_at(uint16_t number) { return sites[number - 1u]; }
size_t site_count() { return sites.size(); }

void* heap_allocate(size_t size, const void* site, bool managed, Spacing spacing) {
  if (size > kHeapSize / 4) return nullptr;
  // The pages of a traced tensor are mapped to those of its pool.
  auto alignment = tracing ? size_t(4096) : kAlignment;
  // Gaps grow with what they follow, so that an index that is off by a row or a plane still meets nobody else's memory.
  auto gap = std::max(kGap, (size / 2 + alignment - 1) / alignment * alignment);
  if (spacing == Spacing::close) gap = 0;
  if (spacing == Spacing::far && next_free + size + gap + kFarGap <= kHeap + kHeapSize / 2) gap += kFarGap;
  if (spacing == Spacing::far) next_free = (next_free + kSegment - 1) / kSegment * kSegment;
  if (next_free + size + gap > kHeap + kHeapSize) return nullptr;
  Allocation made;
  made.start = next_free;
  made.size = size;
  made.site = site;
  made.managed = managed;
  allocations.push_back(made);
  if (!tracing || managed) memset(shadow_of(made.start), kAllocated | (managed ? kManaged | kInitialised : 0), size);
  next_free += (size + alignment - 1) / alignment * alignment + gap;
  return (void*)made.start;
}

void* heap_revive(void* address, size_t size) {
  auto* found = in_heap(uintptr_t(address)) ? allocation_at(uintptr_t(address)) : nullptr;
  if (tracing || !found || found->start != uintptr_t(address) || !found->is_freed || found->size != size) return nullptr;
  found->is_freed = false;
  found->freed = nullptr;
  memset(shadow_of(found->start), kAllocated, size);
  note_changed(found->start, size);
  memset(writer_of(found->start), 0, size + (size & 1));
  return address;
}

// Did a kernel or a copy read of it?
static bool taken(const Allocation& made) {
  auto* shadow = shadow_of(made.start);
  return made.copied_out || std::any_of(shadow, shadow + made.size, [](uint8_t state) { return state & kLoaded; });
}

bool heap_free(void* address, const void* site, bool pinned) {
  if (!address) return true;
  auto* found = in_heap(uintptr_t(address)) ? allocation_at(uintptr_t(address)) : nullptr;
  if (!found || found->start != uintptr_t(address) || found->is_freed) {
    auto& finding = report(Kind::invalid_free, site);
    finding.address = uint64_t(address);
    if (found && found->start == uintptr_t(address)) {
      finding.message = "the memory was freed before; free it once";
      finding.freed_site = found->freed;
      finding.object_site = found->site;
    } else if (found && uintptr_t(address) < found->start + found->size) {
      finding.message = "the pointer is inside an allocation; free the pointer that cudaMalloc returned";
      finding.object_site = found->site;
      finding.offset = int64_t(uintptr_t(address) - found->start);
    } else {
      finding.message = "no allocation begins at this pointer; free only what cudaMalloc returned";
    }
    return false;
  }
  if (found->is_pinned != pinned && (found->is_pinned || !found->managed)) {
    auto& finding = report(Kind::invalid_free, site);
    finding.address = uint64_t(address);
    finding.object_site = found->site;
    finding.message = pinned ? "cudaFreeHost is given device memory; use cudaFree" : "cudaFree is given pinned host memory; use cudaFreeHost";
    return false;
  }
  // A result that is never taken: what stands in it counts all the same.
  if (site && !found->managed && found->size <= (size_t(64) << 20) && !taken(*found)) find_unwritten_locals(found->start, found->size);
  if (found->managed && !found->is_pinned) observe_output(found->start, found->size);
  if (digesting) digest_heap(found->start, found->size);
  found->is_freed = true;
  found->freed = site;
  note_changed(found->start, found->size);
  if (tracing) return true;
  if (found->size < kLarge) {
    memset(shadow_of(found->start), kFreed, found->size);
    return true;
  }
  give_back(found->start, found->size);
  give_back(uintptr_t(shadow_of(found->start)), found->size);
  give_back(uintptr_t(writer_of(found->start)), found->size);
  forget_cells(found->start, found->size);
  return true;
}

// The first allocation that begins behind an address.
static auto first_behind(uintptr_t address) {
  return std::upper_bound(allocations.begin(), allocations.end(), address,
                          [](uintptr_t wanted, const Allocation& a) { return wanted < a.start; });
}
Allocation* allocation_at(uintptr_t address) {
  auto next = first_behind(address);
  return next == allocations.begin() ? nullptr : &*(next - 1);
}
Allocation* following_allocation(uintptr_t address) {
  auto next = first_behind(address);
  return next == allocations.end() ? nullptr : &*next;
}
size_t allocation_count() { return allocations.size(); }
Allocation& allocation(size_t number) { return allocations[number]; }
int64_t allocation_of(uintptr_t address) {
  auto next = first_behind(address);
  if (next == allocations.begin() || address >= (next - 1)->start + (next - 1)->size) return -1;
  return next - allocations.begin() - 1;
}

void mark_written(uintptr_t address, size_t size, Source source, const void* site) {
  if (!in_heap(address) || !size || tracing) return;
  note_changed(address, size);
  set_states(shadow_of(address), size, kInitialised);
  auto number = number_of(source, site);
  set_writers(writer_of(address), writer_of(address + size - 1) + 1, number);
}

void mark_copied(uintptr_t to, uintptr_t from, size_t size, const void* site, Source how) {
  if (!in_heap(from) || tracing) return;
  settle_managed(from, size);
  auto* source = shadow_of(from);
  set_states(source, size, kLoaded);
  if (!in_heap(to)) return note_variables_changed();
  note_changed(to, size);
  copy_states(shadow_of(to), source, size, kInitialised);
  // A copy of what this run computed is its writer's work still; what the driver put there has none.
  auto number = site_number(how, site);
  copy_writers(writer_of(to), writer_of(from), (size + 1) / 2, number);
}

bool all_initialised(uintptr_t address, size_t size) { return all_states(shadow_of(address), size) & kInitialised; }

bool check_range(uintptr_t address, size_t size, bool write, const void* site) {
  if (!in_heap(address) || tracing) return true;
  auto* shadow = shadow_of(address);
  if (all_states(shadow, size) & kAllocated) return true;
  for (size_t i = 0; i < size; ++i)
    if (!(shadow[i] & kAllocated)) {
      report_global(address, size, i, write, site);
      return false;
    }
  return true;
}

bool was_freed(uintptr_t address) {
  if (*shadow_of(address) & kFreed) return true;
  auto* found = allocation_at(address);
  return found && found->is_freed && address - found->start < found->size;
}

}  // namespace kw
