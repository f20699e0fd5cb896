#include "verbs/evaluate/accelforge.hpp"

#include "report/accelforge/accelforge_report.hpp"

namespace tilewright::cli {

ExitStatus evaluate_accelforge(Inputs& inputs, const OutputOptions& output) {
    if (!output.csv.empty()) fail_usage("evaluate", "--csv is not for AccelForge's mappings; --json is");
    report::AccelforgeReport report = inputs.accelforge().evaluated("evaluate");
    prepare(output);
    report.provenance = provenance("evaluate", inputs.read());
    report.provenance.accounting = "accelforge";
    for (const std::string& failure : report.costs.failures) print_error("error: " + failure);
    if (!report.costs.failures.empty()) return ExitStatus::no_answer;
    write_text_and_json(report::accelforge_text(report), report::accelforge_json(report), output);
    return ExitStatus::done;
}

}  // namespace tilewright::cli
