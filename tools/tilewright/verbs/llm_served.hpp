// Options of a server under load: `tilewright llm --load`, `--best`, `--trace`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "llm/server/best.hpp"
#include "options/options.hpp"
#include "report/llm/served.hpp"
#include "report/report.hpp"

namespace tilewright::cli {

struct ServedOptions {
    std::vector<std::string> loads;
    std::optional<std::int64_t> output;
    std::vector<std::string> layouts;
    std::optional<std::int64_t> devices;
    std::vector<std::string> arithmetic;
    std::vector<std::string> engine;
    std::vector<std::string> limits;
    std::string trace;

    void declare(Options& options);
    bool asked() const { return !loads.empty() || !limits.empty() || !trace.empty(); }
};

/// What the options ask of a model.
struct ServedQuestion {
    llm::Engine engine;
    llm::ServedWords words;
    std::vector<llm::Deployment> deployments;
    std::vector<std::optional<std::int64_t>> loads;  ///< empty: as many as fit
    std::vector<std::int64_t> prompts;
    std::int64_t output = 256;
    llm::ServiceLimits limits;
    std::vector<llm::Request> requests;  ///< of a trace
    std::vector<llm::RequestTimes> measured;
};

/// `sizes`: empty for a model of another kind, served in tensor parallel groups. `kernels`: the machine has kernels of
/// engines; else the engine is "none" unless said. `tensor`: --tensor-parallel. Usage errors and InputError.
ServedQuestion served_question(const ServedOptions& options, const std::optional<DecoderSizes>& sizes, bool kernels,
                               const std::vector<std::int64_t>& tensor, const std::vector<std::int64_t>& prompts,
                               const std::vector<std::string>& bits, std::vector<report::Input>& read);

/// Most requests, tokens of a step and context of what is asked.
struct AskedRange {
    std::int64_t requests = 1;
    std::int64_t tokens = 1;
    std::int64_t context = 1;
};
AskedRange range_of(const ServedQuestion& question);

report::ServedReport answer(const ServedQuestion& question, const ServedOptions& options, const llm::ServerOf& server);

}  // namespace tilewright::cli
