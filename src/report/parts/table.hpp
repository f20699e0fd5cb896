// A plain text table: a header, a rule, rows; columns as wide as their widest cell.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/evaluation.hpp"
#include "workload/einsum.hpp"

namespace tilewright::report {

class Table {
   public:
    Table() = default;
    /// One letter per column in `alignment`: 'l' or 'r'. Requires as many letters as names.
    Table(std::vector<std::string> names, std::string alignment);

    /// A row with fewer cells than columns is padded with empty ones.
    void add(std::vector<std::string> row);
    /// A rule before the next row (for totals).
    void rule();
    bool empty() const { return rows_.empty(); }

    const std::vector<std::string>& names() const { return names_; }
    const std::string& alignment() const { return alignment_; }
    /// As wide as the names; an empty one is a rule.
    const std::vector<std::vector<std::string>>& rows() const { return rows_; }

    /// Every line starts with `indent` spaces, ends without trailing ones, and with a newline.
    std::string text(int indent = 2) const;

   private:
    std::vector<std::string> names_;
    std::string alignment_;
    std::vector<std::vector<std::string>> rows_;  ///< an empty one is a rule
};

// One cell of a CSV file (RFC 4180).

/// Quoted if it has a comma, a quote or a line break. Spreadsheets run text starting with '=', '+', '-' or '@' as a
/// formula: it gets an apostrophe, their mark of text, as names come from foreign files.
std::string csv_cell(const std::string& text);

/// Reads back exactly; nothing gives an empty cell.
std::string csv_number(const std::optional<double>& value);

// One mapping under several accountings, side by side, line by line.

/// Name of an accounting ("exact") and its evaluation.
using NamedEvaluation = std::pair<std::string, Evaluation>;

/// Totals, then every differing count, with its difference from the first. Requires at least one evaluation, all of the
/// same einsum and architecture.
std::string comparison_text(const Einsum& einsum, const std::vector<NamedEvaluation>& evaluations);

}  // namespace tilewright::report
