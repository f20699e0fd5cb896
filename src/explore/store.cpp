#include "explore/store.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/numbers/hash.hpp"

namespace tilewright::explore {

void Counts::add(const Counts& other) {
    explored += other.explored;
    evaluated += other.evaluated;
    skipped += other.skipped;
    valid += other.valid;
    over_limit += other.over_limit;
    failed += other.failed;
}

std::vector<std::pair<std::string, std::string>> identity(const Specification& specification) {
    std::vector<std::pair<std::string, std::string>> all = specification.given;
    const std::vector<Knob>& knobs = specification.space.knobs();
    for (std::size_t i = 0; i < knobs.size(); ++i) {
        std::string values;
        for (const std::string& value : knobs[i].values) values += (values.empty() ? "" : ",") + value;
        all.emplace_back(fmt::format("knob {}: {}", i + 1, knobs[i].name), std::move(values));
    }
    std::string metrics;
    for (const Metric& metric : specification.metrics) metrics += (metrics.empty() ? "" : ",") + metric.name;
    all.emplace_back("metrics", std::move(metrics));
    std::string limits;
    for (const Condition& limit : specification.limits) limits += (limits.empty() ? "" : ",") + to_text(limit);
    all.emplace_back("limits", std::move(limits));
    std::string front;
    for (const std::size_t metric : specification.front_only)
        front += (front.empty() ? "" : ",") + specification.metrics[metric].name;
    if (!front.empty()) all.emplace_back("only the front of", std::move(front));
    return all;
}

namespace {

std::string shortened(const std::string& text) { return text.size() <= 60 ? text : text.substr(0, 57) + "..."; }

}  // namespace

std::string first_difference(const Specification& specification, std::map<std::string, std::string> theirs) {
    for (const auto& [key, value] : identity(specification)) {
        const auto found = theirs.find(key);
        if (found == theirs.end()) return fmt::format("without '{}' ({})", key, shortened(value));
        if (found->second != value)
            return fmt::format("its '{}' is {}, not {}", key, shortened(found->second), shortened(value));
        theirs.erase(found);
    }
    if (theirs.empty()) return "";
    return fmt::format("with '{}' ({})", theirs.begin()->first, shortened(theirs.begin()->second));
}

// Single points as soon as there are few: every cut costs three workers.
std::int64_t piece_points(const Chunk& chunk) {
    constexpr std::int64_t kPieces = 1024;
    return std::max<std::int64_t>((chunk.hi - chunk.lo) / kPieces, 1);
}

bool is_exhausted(const Chunk& chunk, std::int64_t attempts) {
    return attempts >= (chunk.hi - chunk.lo > 1 ? kMostAttempts : kMostAttemptsAlone);
}

Row poisoned(Point point) {
    return {
        point, Status::failed, {}, fmt::format("given up: {} workers died while they measured it", kMostAttemptsAlone)};
}

namespace {

class RowHasher {
   public:
    void add(const Row& row) {
        line_.clear();
        fmt::format_to(std::back_inserter(line_), "{}\t{}", row.point, static_cast<int>(row.status));
        for (const double value : row.values) fmt::format_to(std::back_inserter(line_), "\t{}", value);
        fmt::format_to(std::back_inserter(line_), "\t{}\n", row.message);
        hasher_.add({line_.data(), line_.size()});
    }
    std::string digest() const { return hasher_.digest(); }

   private:
    Hasher hasher_;
    fmt::memory_buffer line_;
};

}  // namespace

std::string hash_of_rows(Store& store) {
    RowHasher hasher;
    store.for_each_row([&](const Row& row) { hasher.add(row); });
    return hasher.digest();
}

std::string hash_of_rows(const std::vector<Row>& rows) {
    RowHasher hasher;
    for (const Row& row : rows) hasher.add(row);
    return hasher.digest();
}

std::vector<Row> rows_that_count(std::vector<Row> rows, const Specification& specification) {
    if (specification.front_only.empty()) return rows;
    rows = pareto_front(rows, specification.front_only, specification.metrics);
    std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.point < b.point; });
    return rows;
}

std::vector<Row> all_rows(Store& store) {
    std::vector<Row> rows;
    store.for_each_row([&](const Row& row) { rows.push_back(row); });
    return rows;
}

}  // namespace tilewright::explore
