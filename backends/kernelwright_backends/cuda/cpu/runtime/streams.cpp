// Everything is executed when it is asked for; what is kept here is who waited for it. On a device, work in a stream that
// nobody waits for goes on after the entry has returned, and after the clock has stopped.
#include <cstdint>
#include <iterator>
#include <map>

#include "activity.h"

namespace kw {
namespace {

struct Work {
  uint64_t newest = 0;
  const void* site = nullptr;
  bool blocking = true;
};
struct Point {
  void* stream = nullptr;
  uint64_t newest = 0;
};

std::map<uintptr_t, Work> waiting;  // by stream
std::map<void*, Point> recorded;    // by event
std::map<void*, bool> blocking_of;
uint64_t next_number = 1;
uintptr_t next_orphan = 3;  // no stream has such an address

// The caller's stream: the default one under each of its names.
bool is_callers(void* stream) { return uintptr_t(stream) <= 2; }

void finish_blocking() {
  for (auto it = waiting.begin(); it != waiting.end();) it = it->second.blocking ? waiting.erase(it) : std::next(it);
}

void finish(void* stream, uint64_t newest) {
  auto found = waiting.find(uintptr_t(stream));
  if (found != waiting.end() && found->second.newest <= newest) waiting.erase(found);
}

}  // namespace

void stream_created(void* stream, bool blocking) { blocking_of[stream] = blocking; }

void stream_destroyed(void* stream) {
  blocking_of.erase(stream);
  auto found = waiting.find(uintptr_t(stream));
  if (found == waiting.end()) return;
  waiting[next_orphan++ << 4 | 3] = found->second;
  waiting.erase(uintptr_t(stream));
}

void stream_given_work(void* stream, const void* site) {
  // What is put into the default stream waits for all streams that do not say otherwise.
  if (is_callers(stream)) return finish_blocking();
  auto kind = blocking_of.find(stream);
  waiting[uintptr_t(stream)] = {next_number++, site, kind == blocking_of.end() || kind->second};
}

void stream_waited_for(void* stream) {
  if (is_callers(stream)) return finish_blocking();
  waiting.erase(uintptr_t(stream));
}

void event_recorded(void* event, void* stream) {
  auto found = waiting.find(uintptr_t(stream));
  recorded[event] = {stream, found == waiting.end() ? 0 : found->second.newest};
  if (is_callers(stream)) finish_blocking();
}

void event_waited_for(void* event) {
  auto found = recorded.find(event);
  if (found != recorded.end()) finish(found->second.stream, found->second.newest);
}

void stream_waits(void* stream, void* event) {
  auto found = recorded.find(event);
  if (found == recorded.end() || is_callers(found->second.stream) || found->second.stream == stream) return;
  auto point = found->second;
  auto source = waiting.find(uintptr_t(point.stream));
  if (source == waiting.end() || source->second.newest > point.newest) return;
  auto work = source->second;
  waiting.erase(source);
  // Who waits for this stream from now on waits for that one too.
  if (!is_callers(stream)) stream_given_work(stream, work.site);
}

void device_waited_for() { waiting.clear(); }

const void* work_left_behind() { return waiting.empty() ? nullptr : waiting.begin()->second.site; }
void forget_work_left_behind() { waiting.clear(); }

}  // namespace kw
