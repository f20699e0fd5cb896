// A server under load, the best of its layouts, requests one by one: parts of the report of `tilewright llm`.
//
// Pure functions; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "llm/server/best.hpp"
#include "llm/server/requests.hpp"
#include "report/parts/table.hpp"

namespace tilewright::report {

/// Requests of a file, simulated.
struct TraceReport {
    llm::Deployment deployment;
    std::vector<llm::Request> requests;
    llm::Simulated simulated;
    std::vector<llm::RequestTimes> measured;  ///< of the file; empty: not in it
    std::int64_t blocks = 0;                  ///< of the cache, of each rank; 0: endless
};

/// A title and a table.
using TitledTable = std::pair<std::string, Table>;

struct ServedReport {
    std::string engine;                  ///< "vllm", with what was changed
    std::vector<llm::ServedCase> cases;  ///< as asked, or the best first
    std::optional<llm::BestCounts> searched;
    std::string limits;  ///< of the search: "tpot<30ms"
    std::optional<TraceReport> trace;
};

/// "tp4", "tp2 pp2 x4"; groups that prefill before a "+": "tp2 x2 + tp4".
std::string layout_text(const llm::Layout& layout);
std::string deployment_text(const llm::Deployment& deployment);

/// Of a quantity over all requests, seconds. Quantiles are of the sorted values, between two by interpolation.
struct Distribution {
    double mean = 0.0;
    double median = 0.0;
    double nine_of_ten = 0.0;
    double worst_of_hundred = 0.0;  ///< the 99th percentile
};
Distribution distribution_of(std::vector<double> seconds);

/// Time to the first token, per token (of requests of several) and to the last, of each request.
struct RequestDelays {
    std::vector<double> first;
    std::vector<double> token;
    std::vector<double> last;
};
RequestDelays delays_of(const std::vector<llm::Request>& requests, const std::vector<llm::RequestTimes>& times);

/// Tables of the cases and of the trace, in that order.
std::vector<TitledTable> served_tables(const ServedReport& report);

/// A sentence about the space, and about what was measured.
std::vector<std::string> served_sentences(const ServedReport& report);

/// A row for each request of the trace, else for each case.
std::string served_csv(const ServedReport& report);

}  // namespace tilewright::report
