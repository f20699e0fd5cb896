// Which rules the exact cost model counts by: results that are kept on disk belong to one version of it.
#pragma once

namespace tilewright {

/// Goes up whenever the same mapping may get other numbers than before. version_test.cpp pins a digest of some
/// evaluations: when it fails, the model changed, and both have to follow.
inline constexpr int kModelVersion = 4;

}  // namespace tilewright
