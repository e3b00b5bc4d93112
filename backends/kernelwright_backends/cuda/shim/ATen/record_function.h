// Marks for PyTorch's profiler, of which there is none here.
#pragma once

#define RECORD_FUNCTION(...)
#define RECORD_USER_SCOPE(...)
#define RECORD_FUNCTION_WITH_SCOPE(...)
