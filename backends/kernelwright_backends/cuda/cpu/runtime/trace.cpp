#include "trace.h"

#include <time.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "access.h"
#include "cache_model.h"
#include "candidate.h"
#include "clocks.h"
#include "digest.h"
#include "findings.h"
#include "heap.h"
#include "launch.h"
#include "lines.h"
#include "repeats.h"
#include "requests.h"
#include "sharing.h"
#include "site_counts.h"
#include "trace_samples.h"
#include "undo.h"
#include "warp_state.h"
#include "whole_launches.h"

namespace kw {

bool tracing = false;

namespace {

constexpr uint64_t kLoggedPerBlock = 4 << 20;   // accesses kept of one block; what goes on longer repeats itself
constexpr uint64_t kResidentBudget = 3 << 20;   // accesses spent on further blocks of one SM
constexpr uint64_t kPartnerBudget = 1 << 20;    // and on blocks that may share data with the first
constexpr uint64_t kTotalBudget = 48 << 20;     // then launches are taken to be as earlier ones of the same kernel
constexpr double kSeconds = 10;                 // of the processor, for the blocks of all launches
constexpr uint64_t kHeavyBlock = 8 << 20;       // accesses: of such blocks two are executed, and no more
constexpr unsigned kTracesOfOneKernel = 3;
constexpr unsigned kTracesOfOtherArguments = 48;  // of one kernel and grid, in a part of the budget and of the time
constexpr uint64_t kBudgetOfOtherArguments = 12 << 20;
constexpr double kSecondsOfOtherArguments = 3;
constexpr uint64_t kHeldOfL2 = 8;  // the part of the L2 up to which it keeps an allocation whole
constexpr unsigned kGatheredBytes = 16;         // a lane has in flight of what indices lead to: registers are few
constexpr size_t kBulkDone = 64 << 20;         // bytes of a copy or fill, up to which it is made as well as counted
constexpr uint64_t kProbeBudget = 1 << 20;      // accesses spent on blocks far away, to learn whether they do as much
constexpr unsigned kProbes = 4, kFurtherProbes = 32, kMostProbes = 256;
constexpr double kMuchMore = 4;                 // as many times the work, and a block is of another kind
constexpr double kHeavier = 1.3;                // likewise, and its warps are looked at by themselves
constexpr double kAlike = 0.02;                 // blocks whose work differs by no more are alike
constexpr unsigned kMaxThreads = 1024, kMaxWarps = 32;
constexpr uint64_t kL1Worth = 64 << 10;         // below, all resident blocks fit together

TraceChip limits;
std::set<std::string> kernels_apart;
std::string failure;

// A program goes on with what its kernels computed: what sampled blocks stored is undone, and the launch executed whole.
bool whole = false;
constexpr double kSecondsOfProgram = 4;
WholeLaunches whole_launches;  // of an entry, as long as they are small
uint64_t blocks_run = 0;
constexpr size_t kMostOperations = 512;  // of a program that are kept, in order
double spent = 0, begun = 0;             // processor time: of the launches traced before; when that of this one began
std::map<const void*, bool> untraceable;  // kernels whose blocks cannot be executed alone

Undo undo;

// ---- sites and basic blocks ---------------------------------------------------------------------------------------------

std::unordered_map<const void*, uint32_t> sites;
std::vector<const void*> site_addresses;
struct {
  const void* site = nullptr;
  uint32_t number = 0;
} recent[1024];

uint32_t number_of(const void* site) {
  auto& entry = recent[(uintptr_t(site) ^ uintptr_t(site) >> 10) % 1024];
  if (entry.site != site) {
    auto [found, made] = sites.try_emplace(site, uint32_t(sites.size()));
    if (made) site_addresses.push_back(site);
    entry = {site, found->second};
  }
  return entry.number;
}

using Executions = std::array<uint32_t, kMaxThreads>;  // of one basic block, by thread
std::vector<std::pair<uintptr_t, std::unique_ptr<Executions>>> basic_blocks;
std::vector<uint16_t> basic_block_at;  // number + 1 by offset in the object

[[gnu::noinline]] uint16_t add_basic_block(uintptr_t offset) {
  constexpr uintptr_t kLargestObject = 16 << 20;
  if (offset >= kLargestObject || basic_blocks.size() >= 65000) return 0;
  if (offset >= basic_block_at.size()) basic_block_at.resize(offset + 4096);
  basic_blocks.emplace_back(offset, std::make_unique<Executions>());
  return basic_block_at[offset] = uint16_t(basic_blocks.size());
}

// ---- what one block did -------------------------------------------------------------------------------------------------

struct Stream {
  std::vector<LinePart> parts;
  std::vector<Step> steps;
  uint32_t turns = 1;
};
struct Hot {
  std::unordered_map<uint64_t, uint32_t> lanes, requests;  // by address
  struct Line {
    uint32_t sectors = 0, lanes = 0;
  };
  std::unordered_map<uint64_t, Line> lines;  // by line: operations on sectors, and of lanes
};

enum class Mode { off, full, footprint };
Mode mode = Mode::off;
std::vector<LaneAccess> logs[kMaxThreads];
std::array<WarpState, kMaxWarps> warps;
WarpMerger merger;
std::vector<LinePart> scratch;
Counts counts;
Critical critical;
bool asynchronous = false;
SiteTable by_site;
BarrierUse barrier_use;
Stream* stream = nullptr;
SectorSet* footprint = nullptr;
Hot* hot = nullptr;
std::array<uint32_t, kMaxThreads> worked;  // basic blocks that each thread of the block at hand executed
std::array<uint32_t, kMaxThreads> noted;  // accesses of each thread whose sectors were kept
uint64_t seen = 0, logged = 0, log_limit = 0, all_seen = 0;
unsigned stuck = 0;

bool stores_order = true;  // whether a store orders the loads of the kernel at hand

constexpr unsigned kMultipliedAtOnce[] = {2048, 1024, 2048, 256};  // by one instruction of a warp, by elements

// Without its namespaces and template arguments.
std::string plain_name(const std::string& kernel) {
  auto name = kernel.substr(0, kernel.find('<'));
  auto scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

// Indices of an input: what they lead to is loaded when they are there.
bool holds_indices(int64_t number) { return number >= 0 && allocation(size_t(number)).indices; }

double seconds_traced() { return spent + processor_time() - begun - whole_launches.seconds(); }

void check_time() {
  auto most = whole ? kSecondsOfProgram : kSeconds;
  if (seconds_traced() < most) return;
  failure = std::string("executing sampled blocks of ") + launch->config->kernel + " takes more than " +
            std::to_string(int(most)) + " s";
  abort_launch();
}

// Whether a load of shared memory goes on where one of the latest ended, within eight or sixteen bytes that begin at the
// same place for all lanes: the compiler makes one load of them where it can tell that they do.
bool joins_latest(const WarpRequest& request, WarpState& warp) {
  auto first = request.address[0], last = request.address[request.lanes - 1];
  uint64_t odd = 0;  // bits in which the lanes' addresses differ
  for (unsigned i = 1; i < request.lanes; ++i) odd |= request.address[i] ^ first;
  const WarpState::Latest* before = nullptr;
  for (auto& latest : warp.latest)
    if (latest.order == warp.order && latest.lanes == request.lanes && latest.size == request.size &&
        first == latest.first + request.size && last == latest.last + request.size)
      before = &latest;
  // A loop of one such load is repeated in place four times; of others each has to lie at one place in all rounds.
  const auto begun_by = before ? before->begun_by : request.first_site;
  const bool repeated = before && before->site == request.first_site;
  auto& place = by_site[repeated ? begun_by : request.first_site].place;
  if (!repeated) place = place == SiteCounts::kNowhere || place == first % 16 ? first % 16 : SiteCounts::kAnywhere;
  bool joins = false;
  for (unsigned widest : {16u, 8u}) {
    if (odd % widest || request.size >= widest || first % widest == 0) continue;
    joins = before && place != SiteCounts::kAnywhere;
    break;
  }
  // Of a load of sixteen bytes the registers of all lanes take two passes.
  unsigned in_pass = joins ? before->in_pass + request.size : request.size;
  bool passes_again = joins && in_pass > 8;
  if (passes_again) {
    in_pass = request.size;
    if (request.lanes > 16 && !before->passed_often) counts.shared_wavefronts += 1, warp.own.shared_wavefronts += 1;
  }
  bool passed_often = joins && before->passed_often;  // of others it is counted next
  warp.latest[warp.next_latest++ % warp.latest.size()] = {first, last, request.size, request.lanes, warp.order, request.first_site, begun_by, in_pass, passed_often};
  return joins;
}

// Lanes that ask for one word get it at once; different words take turns.
void take_constants(const WarpRequest& request) {
  uint64_t words[32];
  for (unsigned i = 0; i < request.lanes; ++i) words[i] = request.address[i] / 4;
  std::sort(words, words + request.lanes);
  ++counts.constant_requests;
  auto end = std::unique(words, words + request.lanes);
  counts.constant_words += uint64_t(end - words);
  for (auto* word = words; word < end; ++word) counts.constant_lines += word == words || *word / 16 != word[-1] / 16;
}

void take_request(const WarpRequest& request, WarpState& warp) {
  auto number = unsigned(&warp - warps.data());
  if (!request.shared && !in_heap(request.address[0]) && section_of(request.address[0]) == Section::constant)
    return take_constants(request);
  auto& site = by_site.at(request, number);
  if (request.shared) {
    if (request.asynchronous) {
      // Sixteen bytes of each lane pass by the registers.
      auto waves = wavefronts_of(request);
      if (request.size < 16) counts.shared_wavefronts += waves;
      return site.add_shared(request, waves);
    }
    if (request.how != How::load) {
      ++warp.order;
      warp.shared_run = false;
      warp.use();  // loads of global memory may be made before stores to shared memory
      if (request.how == How::atomic)
        warp.part();
      else
        warp.stage();
    } else {
      ++warp.shared_since;
      if (request.size < 16 && joins_latest(request, warp)) return;
    }
    auto waves = wavefronts_of(request);
    if (request.how == How::load && request.size < 16) warp.newest().passed_often = waves > 1;
    site.add_shared(request, waves);
    if (request.how == How::atomic) {
      ++counts.shared_atomic_requests;
      counts.shared_atomic_wavefronts += waves;
      if (request.real) counts.shared_atomic_real_wavefronts += waves;
      return;
    }
    ++(request.how == How::load ? counts.shared_load_requests : counts.shared_store_requests);
    if (request.how == How::load) {
      ++warp.own.shared_loads;
      warp.own.shared_wavefronts += waves;
      warp.own.shared_runs += !warp.shared_run;
      warp.shared_run = true;
    }
    counts.shared_lanes += request.lanes;
    counts.shared_wavefronts += waves;
    counts.shared_ideal += std::max(1u, request.size * request.lanes / 128);
    return;
  }
  lines_of(request, scratch);
  site.add_global(request, scratch);
  if (site.allocation == SiteCounts::kUnknown) site.allocation = allocation_of(request.address[0]);
  uint64_t sectors = 0, partial = 0;
  for (auto& part : scratch) {
    sectors += unsigned(std::popcount(part.sectors));
    for (unsigned s = 0; s < 4; ++s) partial += (part.sectors >> s & 1) && part.bytes[s] < kSectorBytes;
    footprint->add(part, request.how);
  }
  switch (request.how) {
    case How::load:
      ++counts.load_requests;
      counts.load_lanes += request.lanes;
      counts.load_sectors += sectors;
      counts.load_lines += scratch.size();
      counts.load_bytes += uint64_t(request.size) * request.lanes;
      if (request.asynchronous) {
        ++counts.asynchronous_requests;
        break;
      }
      // What comes back fills the lanes' registers with 128 bytes a clock, also where all asked for the same.
      counts.load_wavefronts += std::max(wavefronts_of(request), request.size * request.lanes / 128);
      warp.shared_since = 0;
      ++warp.own.loads;
      warp.own.lines += scratch.size();
      warp.own.runs += !warp.run;
      if (holds_indices(site.allocation)) {
        warp.follow(request, allocation(size_t(site.allocation)).start);
        warp.gathered += !warp.gathered;
        if (warp.index_run % kLoadsInFlight == 0) warp.add_rolled();
        if (warp.index_run++ % kLoadsInFlight == 0) warp.add_batch();
      } else if (!warp.index_run) {
        warp.roll(request.first_site, request.size);
        if (warp.run++ % kLoadsInFlight == 0) warp.add_batch();
      } else if (warp.gathered + request.size > kGatheredBytes + 1 || !warp.run++) {
        warp.gathered = request.size + 1;
        warp.add_rolled();
        warp.add_batch();
      } else {
        warp.gathered += request.size;
      }
      break;
    case How::store:
      ++counts.store_requests;
      counts.store_lanes += request.lanes;
      counts.store_sectors += sectors;
      counts.store_lines += scratch.size();
      counts.store_bytes += uint64_t(request.size) * request.lanes;
      counts.partial_sectors += partial;
      warp.use();
      if (stores_order) warp.part();
      break;
    case How::atomic: {
      ++counts.atomic_requests;
      counts.atomic_lanes += request.lanes;
      if (request.real) counts.atomic_real_lanes += request.lanes;
      counts.atomic_sectors += sectors;
      uint64_t places[32];
      std::copy_n(request.address, request.lanes, places);
      std::sort(places, places + request.lanes);
      counts.atomic_words += uint64_t(std::unique(places, places + request.lanes) - places);
      warp.use();
      warp.part();
      uint64_t last = 0;
      for (unsigned i = 0; i < request.lanes; ++i) {
        ++hot->lanes[request.address[i]];
        ++hot->lines[request.address[i] / kLineBytes].lanes;
        if (request.address[i] != last) ++hot->requests[request.address[i]];
        last = request.address[i];
      }
      for (auto& part : scratch) hot->lines[part.line].sectors += unsigned(std::popcount(part.sectors));
      break;
    }
  }
  warp.waiting.push_back({uint32_t(stream->parts.size()), request.first_site, uint8_t(scratch.size()), uint8_t(number), request.how});
  stream->parts.insert(stream->parts.end(), scratch.begin(), scratch.end());
}

void flush_warp(unsigned warp, unsigned members) {
  std::vector<LaneAccess>* lanes[32] = {};
  bool any = false;
  for (unsigned rest = members; rest; rest &= rest - 1) {
    auto lane = unsigned(std::countr_zero(rest));
    lanes[lane] = &logs[warp * 32 + lane];
    any |= !lanes[lane]->empty();
  }
  if (!any) return;
  auto& state = warps[warp];
  merger.merge(lanes, 32, [&](const WarpRequest& request) { take_request(request, state); });
  for (auto* log : lanes)
    if (log) log->clear();
}

// The warps of a block take turns, request by request.
void take_turns() {
  for (size_t turn = 0, some = 1; some; ++turn, ++stream->turns) {
    some = 0;
    for (auto& warp : warps)
      if (turn < warp.waiting.size()) {
        stream->steps.push_back(warp.waiting[turn]);
        stream->steps.back().turn = stream->turns;
        some = 1;
      }
  }
  for (auto& warp : warps) warp.waiting.clear();
}

// ---- one launch -----------------------------------------------------------------------------------------------------------

std::vector<Sample> samples;
std::vector<TracedOperation> operations;

// ---- streams ------------------------------------------------------------------------------------------------------------

// What has to end before the next operation of a stream may begin, or before an event has happened.
using Front = std::vector<uint32_t>;
std::map<const void*, Front> fronts, events;
std::map<const void*, bool> not_blocking;  // streams that the default one does not wait for
const void* bulk_stream = nullptr;

bool is_default(const void* stream) { return uintptr_t(stream) <= 1; }
void join(Front& into, const Front& other) {
  for (auto number : other)
    if (std::find(into.begin(), into.end(), number) == into.end()) into.push_back(number);
}

void add_operation(TracedOperation operation, const void* stream) {
  if (operation.sample >= 0) ++samples[size_t(operation.sample)].times;
  if (whole && operations.size() >= kMostOperations) return;
  if (is_default(stream)) stream = nullptr;
  auto number = uint32_t(operations.size());
  auto front = fronts[stream];
  if (!stream) {
    for (auto& [other, its] : fronts)
      if (!not_blocking.count(other)) join(front, its);
  } else if (!not_blocking.count(stream)) {
    join(front, fronts[nullptr]);
  }
  operation.after = front;
  operations.push_back(std::move(operation));
  fronts[stream] = {number};
}
using Key = std::tuple<const void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, uint64_t>;
struct Traces {
  unsigned count = 0;
  size_t latest = 0;                      // sample
  std::map<uint64_t, size_t> by_arguments{};  // sample by the hash of what the kernel was given
};
std::map<Key, Traces> traced;
std::map<const void*, size_t> latest;                       // of a kernel, whatever its grid

void count_basic_blocks(Sample& sample, unsigned threads) {
  for (auto& [offset, executions] : basic_blocks) {
    uint64_t by_warps = 0, by_lanes = 0, most = 0;
    for (unsigned first = 0; first < threads; first += 32) {
      uint32_t largest = 0;
      for (unsigned t = first; t < std::min(threads, first + 32); ++t) {
        largest = std::max(largest, (*executions)[t]);
        by_lanes += (*executions)[t];
      }
      by_warps += largest;
      most = std::max<uint64_t>(most, largest);
    }
    if (!by_lanes) continue;
    auto& total = sample.executed[offset];
    total.warp += by_warps;
    total.lane += by_lanes;
    total.most = std::max(total.most, most);
  }
}

// Executes one block of the grid and keeps what it did.
bool run_block(Launch& what, uint64_t number, Mode how, SectorSet& touched, Hot& met) {
  footprint = &touched;
  hot = &met;
  auto threads = what.config->block.x * what.config->block.y * what.config->block.z;
  for (unsigned t = 0; t < threads; ++t) logs[t].clear();
  for (auto& warp : warps) {
    warp.waiting.clear();
    warp.part();
    warp.unused = warp.shared_since = 0;
    warp.own = {};
    warp.latest.fill({});
    warp.indices.fill({});
    for (auto& of : warp.rolls) {
      of.repeated.clear();
      of.batch = of.in_flight = of.unused = 0;
    }
    warp.shared_run = false;
    warp.asked.clear();
    warp.progress = 0;
    warp.asking = false;
  }
  for (auto& [offset, executions] : basic_blocks) std::fill_n(executions->begin(), threads, 0);
  log_limit = std::max<uint64_t>(256, kLoggedPerBlock / threads);
  stuck = 0;
  std::fill_n(noted.begin(), threads, 0);
  std::fill_n(worked.begin(), threads, 0);
  ++blocks_run;
  mode = how;
  barrier_use.begin_block();
  bool ended = run_grid(what, 1, &number);
  barrier_use.end_block();
  if (ended && how == Mode::full) {
    for (unsigned w = 0; w * 32 < threads; ++w) {
      flush_warp(w, ~0u);
      critical.raise(warps[w].own);
    }
    take_turns();
    by_site.end_block();
    note_repeats(stream->parts, stream->steps, by_site);
  }
  mode = Mode::off;
  return ended;
}

uint64_t resident_blocks(const kw_launch_config& config, uint64_t shared_static) {
  auto threads = uint64_t(config.block.x) * config.block.y * config.block.z;
  auto rounded = (threads + 31) / 32 * 32;
  auto by_threads = limits.threads_per_processor / rounded;
  auto by_registers = limits.registers_per_processor / (rounded * 32);
  auto by_shared = limits.shared_per_processor / (shared_static + config.shared_bytes + 1024);
  return std::max<uint64_t>(1, std::min({by_threads, by_registers, by_shared, limits.blocks_per_processor}));
}

// Shared memory takes its part of the L1 in steps.
uint64_t l1_left(uint64_t shared) {
  for (uint64_t step : {0, 8, 16, 32, 64, 100, 132, 164, 196, 228})
    if (shared <= step << 10) return limits.l1_bytes - std::min(limits.l1_bytes / 8 * 7, step << 10);
  return limits.l1_bytes / 8;
}

void play(Caches& caches, const Stream& of, const Step& step) {
  auto& site = by_site[step.site];
  // The sampled blocks have a part of the L2; what all blocks read of a small allocation lies in it once.
  auto held = site.allocation >= 0 && allocation(size_t(site.allocation)).size <= limits.l2_bytes / kHeldOfL2;
  for (unsigned p = 0; p < step.parts; ++p) {
    auto missed = caches.play(of.parts[step.first + p], step.how, step.turn, held);
    site.misses += missed.l1;
    site.capacity_misses += missed.capacity;
    site.repeated_misses += missed.l1 * step.repeated / 255.0;
  }
}

// What the warps of the block at hand did, by their busiest lanes.
double work_of_block(unsigned threads) {
  double sum = 0;
  for (unsigned begin = 0; begin < threads; begin += 32)
    sum += *std::max_element(worked.begin() + begin, worked.begin() + std::min(threads, begin + 32));
  return sum;
}

// Whether blocks elsewhere in the grid do as much as the sampled ones, which did `work` on average, and as those at its ends, of
// which the first often has what is frequent: a few all over it, more if these differ, and many if few blocks do most. Where half of
// the work is done by blocks that do much more than the sampled ones, one of these comes into `instead`; where the sampled ones store
// nothing, what does as little counts for none. The block that does most comes into `heaviest`.
bool compare_work(Launch& what, Sample& sample, double work, const std::array<double, 2>& at_ends, uint64_t cost, std::optional<uint64_t>& instead,
                  uint64_t& heaviest) {
  auto threads = what.config->block.x * what.config->block.y * what.config->block.z;
  auto total = uint64_t(what.config->grid.x) * what.config->grid.y * what.config->grid.z;
  if (work <= 0 || total < 2 * kProbes) return true;
  auto stop = all_seen + kProbeBudget;
  double least = std::min({work, at_ends[0], at_ends[1]}), most = std::max({work, at_ends[0], at_ends[1]}), sum = 0;
  heaviest = at_ends[0] >= at_ends[1] ? 0 : total - 1;
  std::vector<std::pair<double, uint64_t>> found;
  for (auto probes : {kProbes, kFurtherProbes, kMostProbes}) {
    while (found.size() < probes && all_seen + cost < stop) {
      auto begun_at = all_seen;
      // Not at even distances, which may be the same place of every row.
      auto at = (double(found.size()) + 0.5) * 0.6180339887498949;
      auto number = uint64_t((at - std::floor(at)) * double(total));
      SectorSet unused;
      Hot none;
      if (!run_block(what, number, Mode::footprint, unused, none)) return false;
      auto its = work_of_block(threads);
      least = std::min(least, its);
      if (its > most) {
        most = its;
        heaviest = number;
      }
      sum += its;
      cost = std::max(cost, all_seen - begun_at);
      found.emplace_back(its, number);
    }
    if (found.size() < kProbes || most - least <= kAlike * most) return true;
    if (found.size() < probes || most <= kMuchMore * sum / double(found.size())) break;
  }
  sample.elsewhere = sum / double(found.size()) / work;
  sample.heaviest = most / work;
  if (!counts.store_requests && !counts.atomic_requests) {
    if (at_ends[0] > kMuchMore * work) found.emplace_back(at_ends[0], 0);
    if (at_ends[1] > kMuchMore * work) found.emplace_back(at_ends[1], total - 1);
    std::erase_if(found, [&](auto& one) { return one.first <= kMuchMore * work; });
  }
  if (found.empty()) return true;
  // The block up to which half of the work is done.
  std::sort(found.begin(), found.end());
  sum = 0;
  for (auto& one : found) sum += one.first;
  auto half = found.begin();
  for (double done = half->first; done < sum / 2; done += (++half)->first) {}
  if (half->first > kMuchMore * work) instead = half->second;
  return true;
}

// How many of the grid's blocks meet block `first` at its hottest line, if blocks far away do: those in line with it along the
// axes of the grid on which a block half of it away does. On a single axis, the share of a few.
bool count_meeting(Launch& what, Sample& sample, uint64_t first, const std::function<bool(const Hot&)>& meets) {
  const auto& grid = what.config->grid;
  auto total = uint64_t(grid.x) * grid.y * grid.z;
  bool met = false;
  auto look = [&](uint64_t number) {
    SectorSet unused;
    Hot far;
    if (!run_block(what, number, Mode::footprint, unused, far)) return false;
    met = meets(far);
    return true;
  };
  uint64_t meeting = 1;
  if (std::max({uint64_t(grid.x), uint64_t(grid.y), uint64_t(grid.z)}) == total) {
    uint64_t looked = 0, seen_there = 0;
    for (auto number : {total / 10, total / 2, total - 1 - total / 10}) {
      if (number == first) continue;
      if (!look(number)) return false;
      ++looked;
      seen_there += met;
    }
    if (seen_there) meeting = total * seen_there / looked;
  } else {
    uint64_t stride = 1;
    for (uint64_t extent : {grid.x, grid.y, grid.z}) {
      auto own = first / stride % extent;
      if (extent > 1) {
        if (!look(first + ((own + extent / 2) % extent - own) * stride)) return false;
        if (met) meeting *= extent;
      }
      stride *= extent;
    }
  }
  sample.hot_spread = meeting > 1;
  sample.hot_blocks = meeting;
  return true;
}

// Executes block `first` of the grid, those beside it, and a few elsewhere, and keeps what they did. `instead` is a block that
// stands for them better.
bool trace_around(Launch& what, Sample& sample, uint64_t first, std::optional<uint64_t>& instead) {
  const auto& grid = what.config->grid;
  auto threads = what.config->block.x * what.config->block.y * what.config->block.z;
  auto total = uint64_t(grid.x) * grid.y * grid.z;
  counts = {};
  critical = {};
  by_site.clear();
  Hot first_hot;
  SectorSet first_set;
  std::vector<Stream> streams(1);
  stream = &streams[0];
  seen = logged = 0;
  barrier_use.begin();
  if (!run_block(what, first, Mode::full, first_set, first_hot)) return false;
  barrier_use.rest_if_settled();
  count_basic_blocks(sample, threads);
  auto work = work_of_block(threads), busiest = work;
  sample.shared_static = what.shared_touched;
  sample.resident = resident_blocks(*what.config, sample.shared_static);
  sample.sampled = 1;
  auto cost = std::max<uint64_t>(1, seen);
  auto lines = first_set.lines().size();

  // The blocks that share an SM with it, where together they may not fit into its L1.
  auto resident = std::min(sample.resident, (total + limits.processors - 1) / limits.processors);
  if (resident > 1 && lines * kLineBytes * resident > kL1Worth) {
    auto stop = all_seen + kResidentBudget;
    for (uint64_t k = 1; k < resident && all_seen + cost < stop; ++k) {
      auto number = (first + k * limits.processors) % total;
      streams.emplace_back();
      stream = &streams.back();
      SectorSet own_set;
      Hot own_hot;
      if (!run_block(what, number, Mode::full, own_set, own_hot)) return false;
      count_basic_blocks(sample, threads);
      auto its = work_of_block(threads);
      work += its;
      busiest = std::max(busiest, its);
      ++sample.sampled;
    }
  }
  if (work > 0) sample.busiest = busiest * sample.sampled / work;
  sample.unlogged = logged ? double(seen) / double(logged) : 1;
  sample.counts = counts;
  sample.critical = critical;

  auto share = double(sample.sampled) / double(resident);
  auto busy = std::min<uint64_t>(limits.processors, total);
  sample.l1_bytes = l1_left(sample.resident * (sample.shared_static + what.config->shared_bytes));
  Caches caches(uint64_t(double(sample.l1_bytes) * share), uint64_t(double(limits.l2_bytes / busy) * share));
  size_t longest = 0;
  for (auto& of : streams) longest = std::max(longest, of.steps.size());
  for (size_t turn = 0; turn < longest; ++turn)
    for (auto& of : streams)
      if (turn < of.steps.size())
        play(caches, of, of.steps[turn]);
  sample.traffic = caches.traffic();
  sample.sites = by_site.reached();
  for (auto& site : sample.sites) site.site = site_addresses[site.number];
  streams.clear();

  // Blocks that may touch the same data: neighbours, the next rows and planes of the grid, and ever farther ones.
  std::vector<uint64_t> wanted{1, grid.x, uint64_t(grid.x) * grid.y};
  for (uint64_t d = 2; d <= 4096; d *= 2) wanted.push_back(d);
  std::vector<SectorSet> partners;
  partners.reserve(wanted.size());
  auto stop = all_seen + kPartnerBudget;
  bool heavy = cost > kHeavyBlock;
  std::vector<Hot> partner_hot(wanted.size() + 2);
  for (auto distance : wanted) {
    if (distance >= total || std::count(sample.distances.begin(), sample.distances.end(), distance)) continue;
    if (sample.distances.size() >= (heavy ? 1 : 3) && all_seen + cost > stop) break;
    if (distance > first && first + distance >= total) continue;
    auto& touched = partners.emplace_back();
    auto& met = partner_hot[sample.distances.size()];
    if (distance <= first && !run_block(what, first - distance, Mode::footprint, touched, met)) return false;
    // Pairs of blocks may share: near by, the block behind counts as well as the one before.
    bool near = (sample.distances.size() < 3 && !heavy) || distance > first;
    if (near && first + distance < total && !run_block(what, first + distance, Mode::footprint, touched, met)) return false;
    sample.distances.push_back(distance);
  }
  note_sharing(sample, first_set, partners);
  note_reach(sample, first_set);
  std::array<double, 2> at_ends;
  at_ends.fill(work / double(sample.sampled));
  sample.ends_seen = !heavy;
  // An index that overflows does so at the end of the grid.
  for (auto number : {uint64_t(0), total - 1}) {
    if (heavy || number == first) continue;
    SectorSet reached;
    Hot none;
    if (!run_block(what, number, Mode::footprint, reached, none)) return false;
    note_reach(sample, reached);
    at_ends[number > 0] = work_of_block(threads);
  }

  uint64_t heaviest = first;
  if (!heavy && !compare_work(what, sample, work / double(sample.sampled), at_ends, cost, instead, heaviest)) return false;
  // How much it does may hang on what an earlier launch was to store, of which only sampled blocks were executed.
  bool as_on_device = whole_launches.all() || operations.empty();
  if (as_on_device && sample.heaviest > kHeavier * sample.busiest && critical.rolled_batches > 0 && double(cost) * sample.heaviest < kResidentBudget) {
    critical = {};
    streams.emplace_back();
    stream = &streams.back();
    SectorSet its_set;
    Hot its_hot;
    if (!run_block(what, heaviest, Mode::full, its_set, its_hot)) return false;
    sample.heaviest_waits = critical.rolled_batches / sample.critical.rolled_batches;
  }

  if (first_hot.lanes.empty()) return true;
  auto larger = [](auto& a, auto& b) { return a.second < b.second || (a.second == b.second && a.first > b.first); };
  auto top = *std::max_element(first_hot.lanes.begin(), first_hot.lanes.end(), larger);
  sample.hottest_lanes = top.second;
  sample.hottest_requests = std::max_element(first_hot.requests.begin(), first_hot.requests.end(), larger)->second;
  for (auto& [line, operations] : first_hot.lines)
    if (std::pair(operations.sectors, operations.lanes) > std::pair(sample.hot_line_sectors, sample.hot_line_lanes)) {
      sample.hot_line_sectors = operations.sectors;
      sample.hot_line_lanes = operations.lanes;
    }
  auto meets = [&](const Hot& other) {
    return std::any_of(other.lanes.begin(), other.lanes.end(), [&](auto& one) { return one.first / kLineBytes == top.first / kLineBytes; });
  };
  if (!heavy && !count_meeting(what, sample, first, meets)) return false;
  for (size_t p = 0; p < sample.distances.size() && !sample.hot_spread; ++p)
    if (meets(partner_hot[p])) sample.hot_blocks = std::max(sample.hot_blocks, sample.distances[p] + 1);
  return true;
}

bool trace_blocks(Launch& what, Sample& sample) {
  const auto& grid = what.config->grid;
  auto begun_as = sample;
  std::optional<uint64_t> instead;
  if (!trace_around(what, sample, uint64_t(grid.x) * grid.y * grid.z * 2 / 5, instead)) return false;
  if (!instead) return true;
  sample = begun_as;
  return trace_around(what, sample, *instead, instead);
}

}  // namespace

void start_tracing(const TraceChip& chip, bool program, std::set<std::string> apart) {
  tracing = true;
  kernels_apart = std::move(apart);
  whole = program;
  limits = chip;
}
const std::string& trace_failure() { return failure; }

void trace_access(uintptr_t address, size_t size, How how, bool shared, bool real, const void* site) {
  if (undo.on && !shared && how != How::load) undo.keep(address, size);
  barrier_use.access(current->number, address, size, how, !shared);
  if (mode == Mode::off) {
    static uint64_t uncounted = 0;
    if (!(++uncounted & 0xfffff)) whole_launches.check_time();
    return;
  }
  if (!shared && in_heap(address)) {  // else a device variable
    static uintptr_t start = 1, length = 0;
    if (address - start >= length || address - start + size > length) {
      auto* found = allocation_at(address);
      if (!found || found->is_freed || address + size > found->start + found->size) {
        if (whole) abort_launch();  // a block that needs what others store before it
        report_global(address, size, 0, how != How::load, site);
        set_device_error(700);
        abort_launch();
      }
      start = found->start;
      length = found->size;
    }
  }
  ++seen;
  if (current->lane == 0) ++warps[current->number / 32].progress;
  if (!(++all_seen & 0xfffff)) check_time();
  if (mode == Mode::footprint) {
    if (!shared && !in_heap(address) && section_of(address) == Section::constant) return;
    // As many of a thread as are logged of the block it is compared with.
    if (shared || noted[current->number]++ >= log_limit) return;
    LinePart part{address / kLineBytes, uint8_t(1u << (address / kSectorBytes % 4)), {}, 0};
    footprint->add(part, how);
    if (how == How::atomic) ++hot->lanes[address];
    return;
  }
  auto& log = logs[current->number];
  if (log.size() >= log_limit) return;
  ++logged;
  log.push_back({address, number_of(site), uint8_t(std::min<size_t>(size, 64)), how, shared, real, asynchronous});
}

void trace_barrier(const Block& in, const void* site) {
  barrier_use.pass(site);
  if (mode != Mode::full) return;
  for (unsigned w = 0; w < in.warps.size(); ++w) {
    if (!in.warps[w].live) continue;
    ++counts.barriers;
    ++warps[w].own.barriers;
  }
  for (unsigned w = 0; w < in.warps.size(); ++w) {
    flush_warp(w, ~0u);
    warps[w].part();
    warps[w].shared_run = false;
    ++warps[w].order;
  }
  take_turns();
}

void trace_signal() { barrier_use.signal(current->number); }
void trace_other_order() { barrier_use.give_up(); }

void trace_asynchronous(bool begins) {
  barrier_use.give_up();  // the copy is made at once here, on the device at some time until it is waited for
  asynchronous = begins;
  if (begins && mode == Mode::full && current->lane == 0) {
    auto& warp = warps[current->number / 32];
    auto group = current->copies.open_group;
    if (warp.asked.size() <= group) warp.asked.resize(group + 1);
    warp.asked[group] = warp.progress + 1;
  }
}

// What the first lane did since it asked, at about a dozen clocks each, is time that need not be waited.
void trace_wait_for_copies(unsigned newest_left) {
  constexpr double kAccessesOfLatency = 64;
  if (mode != Mode::full || current->lane) return;
  auto& warp = warps[current->number / 32];
  auto open = current->copies.open_group;
  if (open <= newest_left && newest_left) return;
  uint64_t latest = 0;
  for (size_t group = 0; group < warp.asked.size() && group < open - newest_left + (newest_left ? 0 : 1); ++group) {
    latest = std::max(latest, warp.asked[group]);
    warp.asked[group] = 0;
  }
  if (!latest) return;
  auto waited = std::max(0.0, 1 - double(warp.progress + 1 - latest) / kAccessesOfLatency);
  warp.own.batches += waited;
  for (auto& of : warp.rolls) *of.batches += waited;
}

void trace_new_stream(const void* stream, bool blocking) {
  if (!blocking) not_blocking[stream] = true;
}
void trace_use_stream(const void* stream) { bulk_stream = stream; }
void trace_event(const void* event, const void* stream) { events[event] = fronts[is_default(stream) ? nullptr : stream]; }
void trace_wait_for_event(const void* stream, const void* event) {
  join(fronts[is_default(stream) ? nullptr : stream], events[event]);
}
void trace_host_waits() {
  whole_launches.catch_up();
  Front all;
  for (auto& [stream, front] : fronts) join(all, front);
  for (auto& [stream, front] : fronts) front = all;
  fronts[nullptr] = all;
}

void trace_collective(Thread* first, unsigned members, int kind, const std::function<void()>& compute) {
  auto& sample = first[std::countr_zero(members)];
  auto matrix = kind == KW_COMBINE ? sample.matrix : uint8_t(0);
  if (!matrix || matrix == KW_MATRIX_MOVE || whole) {
    auto counting = std::exchange(mode, Mode::off);  // what it takes here is not what it takes on the device
    compute();
    mode = counting;
  }
  for (unsigned rest = matrix ? members : 0; rest; rest &= rest - 1) first[std::countr_zero(rest)].matrix = 0;
  if (mode != Mode::full) return;
  static unsigned met = 0;
  if (!(++met & 0xffff)) check_time();
  auto number = first->number / 32u;
  flush_warp(number, members);
  auto& warp = warps[number];
  if (kind == KW_SYNCWARP) {
    warp.shared_run = false;
    return;
  }
  if (matrix) {
    warp.part();
    if (matrix == KW_MATRIX_MOVE) return;
    const auto instructions = std::max(1u, unsigned(sample.multiply_adds) / kMultipliedAtOnce[matrix - KW_PRODUCT_16]);
    counts.products += instructions;
    warp.own.products += instructions;
    counts.multiply_adds[matrix - KW_PRODUCT_16] += sample.multiply_adds;
    warp.own.multiply_adds += sample.multiply_adds;
    return;
  }
  bool votes = kind >= KW_BALLOT && kind < KW_COMBINE;
  if (kind == KW_MATCH_ANY || kind == KW_MATCH_ALL) ++counts.matches;
  else if (votes) ++counts.votes;
  else counts.shuffles += kind == KW_COMBINE ? unsigned(std::bit_width(unsigned(std::popcount(members)) - 1)) : 1;
  ++warp.own.shuffles;
  warp.use();
  // What a vote says may end the loop.
  if (votes) warp.part();
  else warp.part_round();
}

void trace_stuck() {
  constexpr unsigned kPatience = 8;
  if (++stuck < kPatience) return;
  failure = std::string("the blocks of ") + launch->config->kernel + " wait for each other, and only some of them are executed";
  abort_launch();
}

static bool trace_sampled(Launch& what, const void* function) {
  const auto &grid = what.config->grid, &block = what.config->block;
  Key key{function, grid.x, grid.y, grid.z, block.x, block.y, block.z, what.config->shared_bytes};
  auto& known = traced[key];
  auto arguments = digest_of(what.argument, what.argument_bytes);
  auto again = known.by_arguments.find(arguments);
  bool is_new = again == known.by_arguments.end();
  auto same_kernel = latest.find(function);
  bool over_budget = all_seen > kTotalBudget;
  // What a kernel does may depend on its arguments: the stage of a transform, the place of a pivot.
  bool worth = is_new && known.count < kTracesOfOtherArguments && all_seen < kBudgetOfOtherArguments &&
               seconds_traced() < kSecondsOfOtherArguments;
  if ((known.count >= kTracesOfOneKernel && !worth) || (over_budget && known.count)) {
    add_operation({int64_t(is_new ? known.latest : again->second)}, what.config->stream);
    return true;
  }
  auto as_before = [&] {
    auto copied = samples[same_kernel->second];
    copied.grid = grid;
    copied.launched_at = what.config->site;
    copied.times = 0;
    samples.push_back(copied);
  };
  if (over_budget && same_kernel != latest.end()) {
    as_before();
  } else {
    Sample sample;
    sample.kernel = what.config->kernel;
    stores_order = !kernels_apart.count(plain_name(sample.kernel));
    sample.grid = grid;
    sample.block = block;
    sample.launched_at = what.config->site;
    sample.shared_dynamic = what.config->shared_bytes;
    if (trace_blocks(what, sample)) {
      sample.barriers = barrier_use.summary();
      samples.push_back(std::move(sample));
    } else if (!whole && !whole_launches.all() && same_kernel != latest.end()) {
      // It met what sampled blocks alone left of the launches before.
      set_device_error(0);
      failure.clear();
      what.aborted = false;
      as_before();
    } else {
      if (failure.empty()) failure = "a block of " + sample.kernel + " could not be executed";
      return false;
    }
  }
  ++known.count;
  known.latest = known.by_arguments[arguments] = samples.size() - 1;
  latest[function] = samples.size() - 1;
  add_operation({int64_t(samples.size() - 1)}, what.config->stream);
  return true;
}

static bool trace_small(Launch& what, const void* function) {
  whole_launches.catch_up();
  if (!whole_launches.all()) return trace_sampled(what, function);
  undo.on = true;
  auto begun_at = processor_time();
  auto run_before = blocks_run;
  bool ended = trace_sampled(what, function);
  if (!ended || !whole_launches.add(what, function, blocks_run - run_before, processor_time() - begun_at)) {
    undo.forget();
    return ended;
  }
  undo.put_back();
  // What the body reads of the host besides its argument may be gone later.
  if (!what.config->repeatable) whole_launches.catch_up();
  return true;
}

// Sampled blocks first, of which nothing is left behind, then all of them uncounted.
bool trace_launch(Launch& what, const void* function) {
  if (!whole) return whole_launches.all() ? trace_small(what, function) : trace_sampled(what, function);
  if (!untraceable[function] && spent < kSecondsOfProgram) {
    begun = processor_time();
    undo.on = true;
    if (!trace_sampled(what, function)) {
      untraceable[function] = true;
      failure.clear();
      set_device_error(0);
    }
    undo.put_back();
    spent += processor_time() - begun;
  }
  what.aborted = false;
  bool ended = !time_is_up() && run_grid(what, resident_on_chip(what));
  if (time_is_up()) crash_host("the time is up");  // what was traced so far is told
  return ended;
}

bool trace_bulk(const char* kind, const void* target, size_t size) {
  whole_launches.catch_up();
  add_operation({-1, kind, size, allocation_of(uintptr_t(target))}, bulk_stream);
  return size > kBulkDone && !whole;
}

void write_trace(JsonWriter& answer) {
  answer.key("trace").open('{').field("failure", failure).key("allocations").open('[');
  for (size_t i = 0; i < allocation_count(); ++i) {
    answer.open('{').field("name", allocation(i).name).field("bytes", allocation(i).size).close('}');
  }
  answer.close(']').key("samples").open('[');
  for (auto& sample : samples) write(answer, sample);
  answer.close(']').key("operations").open('[');
  for (auto& operation : operations) write(answer, operation);
  answer.close(']').close('}');
}

}  // namespace kw

// What g++ -fsanitize-coverage=trace-pc calls in every basic block.
extern "C" void __sanitizer_cov_trace_pc() {
  using namespace kw;
  if (mode == Mode::off || !current) return;
  ++worked[current->number];
  if (mode != Mode::full) return;
  auto offset = uintptr_t(__builtin_return_address(0)) - object_base;
  uint16_t number = offset < basic_block_at.size() ? basic_block_at[offset] : 0;
  if (!number && !(number = add_basic_block(offset))) return;
  ++(*basic_blocks[number - 1].second)[current->number];
}
