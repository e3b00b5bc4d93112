// The driver interface is not executed; its header is included by habit.
#pragma once

#ifndef CUDA_VERSION
#define CUDA_VERSION 12080
#endif

#include "driver_types.h"
