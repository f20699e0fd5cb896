#include "report/accelforge/fields.hpp"
#include "report/json_parts.hpp"

namespace tilewright::report {

std::string accelforge_json(const AccelforgeReport& report) { return dumped(yaml::Writer::write(report)); }

}  // namespace tilewright::report
