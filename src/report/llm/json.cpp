#include "report/json_parts.hpp"
#include "report/llm/fields.hpp"

namespace tilewright::report {

std::string serving_json(const ServingReport& report) {
    document::Serving serving{report.provenance, report.machine,    report.model, report.latency, {},
                              report.notes,      report.interrupted};
    for (const llm::PhaseCosts& costs : report.points) serving.points.push_back({costs});
    return dumped(yaml::Writer::write(serving));
}

}  // namespace tilewright::report
