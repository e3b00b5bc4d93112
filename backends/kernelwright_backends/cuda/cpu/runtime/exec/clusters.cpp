#include "clusters.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "async_copies.h"
#include "block.h"
#include "check/findings.h"
#include "check/global_races.h"
#include "launch.h"
#include "host/runtime/address_layout.h"
#include "check/sampling.h"
#include "shared_memory.h"
#include "trace/trace.h"

namespace kw {
namespace {

// A launch that says nothing of clusters: each block is one.
Cluster& cluster_of(Block& of) {
  if (!of.cluster) {
    of.cluster = std::make_shared<Cluster>();
    of.cluster->blocks = {&of};
    of.cluster->arenas = {of.arena};
    of.cluster->live = of.live();
  }
  return *of.cluster;
}

// All have arrived: what anybody in the cluster did is known to everybody in it.
void complete(Cluster& cluster) {
  settle_pending_store();
  cluster.arrived = 0;
  ++cluster.phase;
  auto all = std::make_shared<Knowledge>();
  KnowledgePtr known;
  for (auto* each : cluster.blocks) {
    if (!each) continue;
    each->new_interval();
    all->entries.push_back({uint32_t(each->number), 0, true, each->epoch, 0, 0});
    known = merged(known, each->known);
  }
  std::sort(all->entries.begin(), all->entries.end(), [](const Known& a, const Known& b) { return a.key() < b.key(); });
  known = merged(known, std::shared_ptr<const Knowledge>(all));
  for (auto* each : cluster.blocks) {
    if (!each) continue;
    if (cluster.blocks.size() > 1) each->known = known;
    each->release_from_cluster();
  }
}

void tell_of_ended(const Visit& visit) {
  auto& finding = report(Kind::out_of_bounds, visit.site);
  finding.thread = visit.thread_index;
  finding.block = visit.block_index;
  finding.write = visit.write;
  finding.address = visit.address;
  finding.size = visit.size;
  finding.space = "shared";
  finding.message = "of the shared memory of a block that may have ended; synchronise the cluster between this access and the end of that block";
}

// The last thread of the block is over: is it certain that nobody of the cluster still uses its shared memory?
void end_visits(const Cluster& cluster) {
  if (only_bounds || tracing) return;
  for (auto visit = cluster.visits.lower_bound({block->cluster_rank, 0}); visit != cluster.visits.end() && visit->first.first == block->cluster_rank; ++visit)
    if (!happened_before(visit->second.stamp, visit->second.thread, *current)) tell_of_ended(visit->second);
}

}  // namespace

unsigned cluster_blocks(const kw_launch_config& config) {
  return std::max(config.cluster.x, 1u) * std::max(config.cluster.y, 1u) * std::max(config.cluster.z, 1u);
}

uint64_t block_in_cluster(const kw_launch_config& config, uint64_t cluster, unsigned rank) {
  const auto &size = config.cluster, &grid = config.grid;
  const auto across = grid.x / size.x, down = grid.y / size.y;
  const auto x = cluster % across * size.x + rank % size.x;
  const auto y = cluster / across % down * size.y + rank / size.x % size.y;
  const auto z = cluster / across / down * size.z + rank / size.x / size.y;
  return (z * grid.y + y) * grid.x + x;
}

void thread_left_cluster(Thread& thread) {
  if (!block->cluster) return;
  auto& cluster = *block->cluster;
  if (!block->live()) end_visits(cluster);
  --cluster.live;
  if (thread.arrived_at_cluster && thread.cluster_phase == cluster.phase) --cluster.arrived;
  if (cluster.arrived && cluster.arrived == cluster.live) complete(cluster);
}

void block_left_cluster(Block& of) {
  if (!of.cluster) return;
  of.cluster->blocks[of.cluster_rank] = nullptr;
  of.cluster = nullptr;
}

bool cluster_access(uintptr_t address, size_t size, How how, bool is_volatile, uint16_t number, const void* site) {
  if (!block->cluster) return false;
  auto& cluster = *block->cluster;
  auto at = std::find_if(cluster.arenas.begin(), cluster.arenas.end(), [&](auto arena) { return address - arena < kArenaSize; });
  if (at == cluster.arenas.end()) return false;
  auto* owner = cluster.blocks[size_t(at - cluster.arenas.begin())];
  const Visit visit{stamp_of(*current), current->number, current->index, block->index, site, address, size, how != How::load};
  if (!owner) {
    tell_of_ended(visit);
    set_device_error(700);
    abort_launch();
  }
  cluster.visits[{owner->cluster_rank, block->cluster_rank}] = visit;
  if (is_looked_at()) global_race_access(address, size, how, is_volatile, number, site);
  others_shared_access(*owner, address, size, how, site);
  return true;
}

}  // namespace kw

using namespace kw;

extern "C" {

void kw_cluster_arrive(const void* site) {
  if (!current) return;
  auto& me = *current;
  auto& cluster = cluster_of(*block);
  if (me.arrived_at_cluster && me.cluster_phase == cluster.phase) {
    auto& finding = report(Kind::deadlock, site);
    finding.message = "a thread arrives at the cluster barrier twice without waiting at it in between";
    abort_launch();
  }
  me.arrived_at_cluster = true;
  me.cluster_phase = cluster.phase;
  if (tracing) trace_other_order();
  if (++cluster.arrived == cluster.live) complete(cluster);
}

void kw_cluster_wait(const void* site) {
  if (!current) return;
  auto& me = *current;
  if (!me.arrived_at_cluster) {
    auto& finding = report(Kind::deadlock, site);
    finding.message = "a thread waits at the cluster barrier without having arrived at it";
    abort_launch();
  }
  me.arrived_at_cluster = false;
  if (cluster_of(*block).phase != me.cluster_phase) return;
  me.site = site;
  me.mask = 0;
  block->arrive_at_cluster(me);
  wait_for_others();
}

kw_extent kw_cluster_size(void) { return block && block->cluster ? block->cluster->size : kw_extent{1, 1, 1}; }
unsigned kw_cluster_rank(void) { return block ? block->cluster_rank : 0; }

void* kw_map_shared(const void* address, unsigned rank) {
  if (!current || tracing) return (void*)address;  // a sampled block is alone
  const auto& arenas = cluster_of(*block).arenas;
  // Of a block that is not there: in an arena that no block ever has.
  const auto there = rank < arenas.size() ? arenas[rank] : kArenas + (kMaxArenas - 1) * kArenaSize;
  for (auto arena : arenas)
    if (uintptr_t(address) - arena < kArenaSize) return (void*)(uintptr_t(address) - arena + there);
  return (void*)address;
}

unsigned kw_shared_rank(const void* address) {
  if (!block || !block->cluster) return 0;
  auto& arenas = block->cluster->arenas;
  auto at = std::find_if(arenas.begin(), arenas.end(), [&](auto arena) { return uintptr_t(address) - arena < kArenaSize; });
  return unsigned(at - arenas.begin());
}
}
