#pragma once
#include <mutex>
