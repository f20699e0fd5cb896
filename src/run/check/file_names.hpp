// How `map -o` calls what lies beside each other.
#pragma once

namespace tilewright {

inline constexpr const char* kMappingFile = "mapping.yaml";
inline constexpr const char* kFusedFile = "mapping.fused";
inline constexpr const char* kPlanFile = "plan.txt";
inline constexpr const char* kCertificateFile = "certificate.json";

}  // namespace tilewright
