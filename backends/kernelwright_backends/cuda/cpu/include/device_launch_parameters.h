// The built-in variables of kernels.
#pragma once

#include "kernelwright/device.h"
