#include "base/version.hpp"

namespace tilewright {

const char* version() { return TILEWRIGHT_VERSION; }

}  // namespace tilewright
