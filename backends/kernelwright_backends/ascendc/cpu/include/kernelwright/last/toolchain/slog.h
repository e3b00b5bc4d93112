// Found only where neither the project nor CANN has it.
#pragma once

#include <kernelwright/ascendc/logging.h>

#ifndef dlog_error
#define dlog_error(...) (void)0
#define dlog_warn(...) (void)0
#define dlog_info(...) (void)0
#define dlog_debug(...) (void)0
#endif
