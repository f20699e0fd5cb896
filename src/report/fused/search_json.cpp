#include "report/fused/search_fields.hpp"
#include "report/json_parts.hpp"

namespace tilewright::report {

std::string fusion_json(const FusionReport& report) { return dumped(yaml::Writer::write(report)); }

}  // namespace tilewright::report
