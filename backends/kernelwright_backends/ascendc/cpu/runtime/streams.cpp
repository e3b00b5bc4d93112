// Streams that the host made itself: what it put into them and did not wait for goes on unseen when the entry returns.
#include "streams.h"

#include <unordered_map>

#include "../include/kernelwright/ascend_abi.h"

namespace kw {
namespace {

struct Stream {
  uint64_t issued = 0, waited = 0;
  Site site = 0;  // of the last that was put there
};
struct Mark {
  void* stream = nullptr;
  uint64_t issued = 0;
};
std::unordered_map<void*, Stream> streams;  // the caller's own is null and not among them
std::unordered_map<void*, Mark> events;
uintptr_t made = 0;
void* next_stream = nullptr;

}  // namespace

Site work_left_behind() {
  for (auto& [address, stream] : streams)
    if (stream.issued > stream.waited) return stream.site;
  return 0;
}

void put_into_stream(Site site) {
  auto found = streams.find(next_stream);
  next_stream = nullptr;
  if (found == streams.end()) return;
  ++found->second.issued;
  found->second.site = site;
}

void wait_for_streams() {
  for (auto& [address, stream] : streams) stream.waited = stream.issued;
}

}  // namespace kw

using namespace kw;

extern "C" {
void* kw_acl_new(void) { return reinterpret_cast<void*>((++made << 12) | 0x5a0); }
void* kw_acl_new_stream(void) {
  auto* stream = kw_acl_new();
  streams[stream];
  return stream;
}
void kw_acl_on_stream(void* stream) { next_stream = stream; }
void kw_acl_copy_on_stream(void* stream, kw_place place) {
  next_stream = stream;
  put_into_stream(site_of(place, "aclrtMemcpyAsync"));
}
void kw_acl_wait_stream(void* stream) {
  if (auto found = streams.find(stream); found != streams.end()) found->second.waited = found->second.issued;
}
void kw_acl_wait_device(void) { wait_for_streams(); }
void kw_acl_record(void* event, void* stream) {
  auto found = streams.find(stream);
  events[event] = {stream, found == streams.end() ? 0 : found->second.issued};
}
// By the host, or by a stream that it hands on.
void kw_acl_wait_event(void* event) {
  auto& mark = events[event];
  if (auto found = streams.find(mark.stream); found != streams.end() && found->second.waited < mark.issued)
    found->second.waited = mark.issued;
}
}
