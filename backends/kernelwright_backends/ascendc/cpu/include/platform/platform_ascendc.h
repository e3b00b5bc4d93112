#pragma once
#include "../kernelwright/ascendc/platform.h"
