// The device as launches see it: its last error, what ends the candidate, how many blocks it holds.
#pragma once

#include <cstdint>

struct kw_launch_config;

namespace kw {

// CUDA's error numbers. A device error is sticky, a refused launch is reported once.
void set_device_error(int error);
void set_launch_error(int error);
int take_error();
int peek_error();
int sync_error();
struct Record;
// A call or launch failed; whether somebody asks for the error decides what that is worth.
void note_unchecked(Record& finding);
void note_errors_seen();

// The host asked for the error of a refused launch of `kernel` and launches it in another way: it knew what it did.
void launches_otherwise(const char* kernel);

// Ends the call of the entry (not the driver) with this explanation.
[[noreturn]] void crash_host(const char* why);

struct Launch;
// How many blocks of a launch may be alive at once on the device, and here.
unsigned blocks_on_chip(const kw_launch_config& config);
unsigned resident_on_chip(const Launch& what);

}  // namespace kw
