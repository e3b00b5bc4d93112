#include "activity.h"

#include <cmath>
#include <cstring>
#include <unordered_map>

#include "element_types.h"
#include "heap.h"

namespace kw {

Activity activity;
bool perturb_host_reads = false;
bool integers_count = false;

namespace {

struct Loan {
  uint64_t own = 0, given = 0;
  size_t size = 0;
};
std::unordered_map<uintptr_t, Loan> lent;

// Between a half and one and a half, each fourth time less than nothing: neither an order of numbers nor their signs survive.
double factor() {
  static uint64_t state = 0;
  state += 0x9e3779b97f4a7c15;
  auto drawn = (state ^ state >> 29) * 0xbf58476d1ce4e5b9;
  return (drawn & 3 ? 1 : -1) * (0.5 + double(drawn >> 40) / double(1 << 24));
}

// Of about the same size, now and then of the other sign, finite if it was.
void perturb(void* at, const ElementType& type) {
  static const auto* wide = element_type(std::string("float64"));
  double value = 0;
  if (!type.nan) {
    *static_cast<unsigned char*>(at) ^= 1;
    return;
  }
  convert_element(*wide, &value, type, at);
  if (!std::isfinite(value)) return;
  value *= factor();
  convert_element(type, at, *wide, &value);
}

// Scratch memory has no element type: what reads like ordinary numbers is taken for float32. Counts and indices read like
// denormal ones and stay.
void perturb_untyped(void* at) {
  float value = 0;
  memcpy(&value, at, sizeof value);
  auto size = std::fabs(value);
  if (!(size > 1e-30f && size < 1e30f)) return;
  value *= float(factor());
  memcpy(at, &value, sizeof value);
}

void count(size_t size, const void* site) {
  activity.read_by_host += size;
  if (size <= activity.most_read) return;
  activity.most_read = size;
  activity.read_site = site;
}

}  // namespace

void host_was_given(uintptr_t from, void* copy, size_t size, const void* site) {
  const ElementType* type = nullptr;
  if (in_heap(from)) {
    auto* source = allocation_at(from);
    if (!source) return;
    type = source->type;
    if (source->is_output && !activity.poison_site && !(*shadow_of(from) & kInitialised)) activity.poison_site = site;
  }
  if (type && !type->nan && !integers_count) return;
  count(size, site);
  if (!perturb_host_reads) return;
  if (type) {
    for (size_t i = 0; i + type->size <= size; i += type->size) perturb((char*)copy + i, *type);
  } else {
    for (size_t i = 0; i + 4 <= size; i += 4) perturb_untyped((char*)copy + i);
  }
}

void host_looks(uintptr_t address, size_t size, const void* site) {
  count(size, site);
  if (!perturb_host_reads || !(size == 4 || (size == 8 && integers_count))) return;
  auto [entry, is_new] = lent.try_emplace(address);
  if (!is_new) return;
  auto& loan = entry->second;
  loan.size = size;
  memcpy(&loan.own, (const void*)address, size);
  if (integers_count)
    *(unsigned char*)address ^= 1;
  else
    perturb_untyped((void*)address);
  memcpy(&loan.given, (const void*)address, size);
}

void host_keeps(uintptr_t address, size_t size) {
  if (size == 1) lent.erase(address);
  else std::erase_if(lent, [&](auto& loan) { return loan.first - address < size; });
}

void take_back() {
  for (auto& [address, loan] : lent)
    if (memcmp((const void*)address, &loan.given, loan.size) == 0) memcpy((void*)address, &loan.own, loan.size);
  lent.clear();
}

}  // namespace kw
