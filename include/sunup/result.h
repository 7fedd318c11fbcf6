// Result<T> and Error, as the whole of Sunup uses them. Installed from src/base/result.h under this name.
#pragma once

#include "base/result.h"
