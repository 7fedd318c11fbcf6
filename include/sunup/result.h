// Result<T> and Error, as used in all of Sunup. Installed from src/base/result.h under this name.
#pragma once

#include "base/result.h"
