#pragma once

#include <ATen/Functions.h>
