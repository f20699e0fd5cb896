// Costs of serving a language model, for people and machines (`tilewright llm`).
//
// Pure functions; thread-safe.
//
// The JSON of `tilewright llm` as values; fields in fields.hpp. Internal to report/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "llm/serving.hpp"
#include "report/llm/served.hpp"
#include "report/report.hpp"
#include "report/views/figures.hpp"

namespace tilewright::report {

struct ServingReport {
    Provenance provenance;
    std::string machine;
    std::string model;
    std::string latency;                  ///< rule of its times: "as built", "plain model"
    std::vector<llm::PhaseCosts> points;  ///< in the requested order
    std::optional<ServedReport> served;   ///< under load
    std::vector<std::string> notes;
    bool interrupted = false;  ///< searches were cut short
};

/// Tables: prefill, decode, room; notes. Fits 80 columns.
std::string serving_text(const ServingReport& report);

views::Headline serving_headline(const ServingReport& report);

/// "tilewright-llm/1"
std::string serving_json(const ServingReport& report);

/// One row for each point; without times and energies if a cost is missing.
std::string serving_csv(const ServingReport& report);

/// Tokens per second over batches, time per token over contexts, time to the first token over prompts: curves with at
/// least two values.
std::vector<views::Figure> serving_figures(const ServingReport& report);

}  // namespace tilewright::report

namespace tilewright::document {

/// A point with values derived from its costs.
struct ServedPoint {
    llm::PhaseCosts of;
};

/// "tilewright-llm/1"
struct Serving {
    report::Provenance provenance;
    std::string architecture;
    std::string network;
    std::string latency;
    std::vector<ServedPoint> points;
    std::optional<report::ServedReport> served;
    std::vector<std::string> notes;
    bool interrupted = false;
};

}  // namespace tilewright::document
