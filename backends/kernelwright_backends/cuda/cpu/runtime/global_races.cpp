#include "global_races.h"

#include <sys/mman.h>

#include <cstring>
#include <map>
#include <vector>

#include "findings.h"
#include "heap.h"
#include "layout.h"

namespace kw {
namespace {

// The last plain store to four bytes of the heap. An epoch of an earlier launch is no store at all.
struct Cell {
  uint32_t epoch;
  uint16_t thread, site;
};
static_assert(sizeof(Cell) == 8);

inline Cell& cell_of(uintptr_t address) { return ((Cell*)kGlobalCells)[(address - kHeap) / 4]; }

struct Suspicion {
  Extent thread, block, other_thread;
  const void* site;
  const void* other_site;
  uintptr_t address;
  size_t size;
  uint64_t count;
};

uint32_t first_epoch = 0;
std::vector<uint32_t> owners;  // number of the block of each epoch from first_epoch on
std::map<std::pair<const void*, uint16_t>, Suspicion> suspicions;
bool synchronised = false;

struct Pending {
  size_t size = 0;
  uintptr_t address;
  unsigned char before[16];
  Cell other;
  const void* site;
  Extent thread, block;
} pending;

Extent unflatten(uint32_t number, const kw_extent& size) {
  return {number % size.x, number / size.x % size.y, number / size.x / size.y};
}

}  // namespace

bool reserve_global_cells() {
  return mmap((void*)kGlobalCells, kHeapSize * 2, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) != MAP_FAILED;
}

void begin_global_races(uint32_t next_epoch) {
  first_epoch = next_epoch;
  owners.clear();
  suspicions.clear();
  synchronised = false;
  pending.size = 0;
}

void order_everything(uint32_t next_epoch) {
  settle_pending_global_store();
  first_epoch = next_epoch;
  owners.clear();
}

void note_interval(const Block& of) {
  auto at = of.epoch - first_epoch;
  if (owners.size() <= at) owners.resize(at + 1);
  owners[at] = uint32_t(of.number);
}

void note_synchronisation() { synchronised = true; }

void global_store(uintptr_t address, size_t size, uint16_t site_number, const void* site) {
  if (pending.size) settle_pending_global_store();
  if (synchronised || size < 4 || address % 4 || size > sizeof pending.before) return;
  auto& me = *current;
  Cell mine{block->epoch, me.number, site_number};
  for (size_t i = 0; i < size; i += 4) {
    auto& cell = cell_of(address + i);
    if (cell.epoch >= first_epoch) {
      bool same_block = cell.epoch == block->epoch || owners[cell.epoch - first_epoch] == block->number;
      bool ordered = same_block && (cell.epoch != block->epoch || cell.thread / 32 == me.number / 32);
      if (!ordered && !pending.size) {
        pending.size = size;
        pending.address = address;
        memcpy(pending.before, (const void*)address, size);
        pending.other = cell;
        pending.site = site;
        pending.thread = me.index;
        pending.block = block->index;
      }
    }
    cell = mine;
  }
}

void settle_pending_global_store() {
  if (!pending.size) return;
  auto size = pending.size;
  pending.size = 0;
  if (memcmp(pending.before, (const void*)pending.address, size) == 0) return;
  auto [entry, is_new] = suspicions.try_emplace({pending.site, pending.other.site});
  if (is_new)
    entry->second = {pending.thread, pending.block, unflatten(pending.other.thread, launch->config->block), pending.site,
                     pending.other.site ? site_at(pending.other.site).address : nullptr, pending.address, size, 0};
  ++entry->second.count;
}

void end_global_races(const Launch& launch) {
  if (synchronised || launch.aborted) return;
  for (auto& [key, suspicion] : suspicions) {
    auto& finding = report(Kind::race_global, suspicion.site);
    finding.count = suspicion.count;
    finding.on_device = true;
    finding.kernel = launch.config->kernel;
    finding.thread = suspicion.thread;
    finding.block = suspicion.block;
    finding.other_thread = suspicion.other_thread;
    finding.other_site = suspicion.other_site;
    finding.write = finding.other_write = true;
    finding.address = suspicion.address;
    finding.size = suspicion.size;
    finding.space = "global";
    if (auto* found = allocation_at(suspicion.address)) {
      finding.object = found->name;
      finding.object_site = found->site;
      finding.offset = int64_t(suspicion.address - found->start);
      finding.object_size = found->size;
    }
  }
}

}  // namespace kw
