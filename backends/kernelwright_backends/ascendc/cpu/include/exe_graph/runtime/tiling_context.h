#pragma once
#include "../../kernelwright/ascendc/host.h"
