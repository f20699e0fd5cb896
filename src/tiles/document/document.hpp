// The document of an answer or a table: what `tilewright tiles --json` prints, schema tiles-1. Values and pure
// functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tiles/search/ask.hpp"
#include "tiles/search/table.hpp"

namespace tilewright::yaml {
class Archive;
}

namespace tilewright::tiles {

using NamedNumbers = std::vector<std::pair<std::string, std::int64_t>>;
using NamedReals = std::vector<std::pair<std::string, double>>;

struct PointDocument {
    NamedNumbers values;
    std::optional<double> time_us;
    std::vector<double> scores;
    double loss = 0.0;  ///< over the best, in the first of the scores
};

struct IntervalDocument {
    std::int64_t from = 0;
    std::int64_t to = 0;
    NamedNumbers values;
    double worst_loss = 0.0;
};

struct TableDocument {
    std::string axis;
    double loss = 0.0;
    bool complete = true;
    std::vector<IntervalDocument> intervals;
};

struct AnswerDocument {
    PointDocument best;
    std::string claim;
    double within = 0.0;
    NamedNumbers lets;
    NamedReals parts;
    std::vector<PointDocument> runners_up;
};

struct TilesDocument {
    std::string kernel;
    std::string machine;
    std::vector<std::string> objective;
    NamedNumbers given;
    std::optional<AnswerDocument> answer;
    std::int64_t legal = 0;
    std::int64_t tried = 0;
    bool complete = true;
    std::vector<std::string> conflicts;
    std::optional<TableDocument> table;
    std::string left_out;
    std::optional<double> median_error;
    std::int64_t measured_rows = 0;
};

void fields(yaml::Archive& archive, PointDocument& of);
void fields(yaml::Archive& archive, IntervalDocument& of);
void fields(yaml::Archive& archive, TableDocument& of);
void fields(yaml::Archive& archive, AnswerDocument& of);
void fields(yaml::Archive& archive, TilesDocument& of);

/// What is asked, and on what.
struct Asked {
    const Problem& problem;
    std::span<const std::int64_t> given;
    const std::vector<Measure>& measures;
};

TilesDocument document_of(const Asked& asked, const Answer& answer, const std::vector<std::string>& conflicts);
TilesDocument document_of(const Asked& asked, const Table& table, std::size_t axis, double loss);

std::string json_text(const TilesDocument& document);
/// For people.
std::string text_of(const TilesDocument& document);

}  // namespace tilewright::tiles
