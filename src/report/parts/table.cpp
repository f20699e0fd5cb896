#include "report/parts/table.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <functional>
#include <utility>

#include "base/numbers/number_text.hpp"

namespace tilewright::report {
namespace {

// Characters, not bytes: layer names may be UTF-8.
std::size_t width_of(const std::string& cell) {
    return static_cast<std::size_t>(
        std::count_if(cell.begin(), cell.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

void append_line(std::string& out, std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
}

}  // namespace

Table::Table(std::vector<std::string> names, std::string alignment)
    : names_(std::move(names)), alignment_(std::move(alignment)) {}

void Table::add(std::vector<std::string> row) {
    row.resize(names_.size());
    rows_.push_back(std::move(row));
}

void Table::rule() { rows_.emplace_back(); }

std::string Table::text(int indent) const {
    if (names_.empty()) return "";
    std::vector<std::size_t> widths;
    widths.reserve(names_.size());
    for (const std::string& name : names_) widths.push_back(width_of(name));
    for (const auto& row : rows_)
        for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));

    const std::string margin(indent, ' ');
    const auto line = [&](const std::vector<std::string>& cells) {
        std::string text = margin;
        for (std::size_t c = 0; c < cells.size(); ++c) {
            const std::string padding(widths[c] - width_of(cells[c]), ' ');
            if (c > 0) text += "  ";
            text += alignment_[c] == 'r' ? padding + cells[c] : cells[c] + padding;
        }
        return text;
    };
    std::size_t total = 2 * (names_.size() - 1);
    for (const std::size_t width : widths) total += width;
    constexpr std::size_t kLongestRule = 120;  // a cell of prose may be much wider than a terminal
    const std::string dashes = margin + std::string(std::min(total, kLongestRule), '-');

    std::string out;
    append_line(out, line(names_));
    append_line(out, dashes);
    for (const auto& row : rows_) append_line(out, row.empty() ? dashes : line(row));
    return out;
}

std::string csv_cell(const std::string& text) {
    constexpr const char* kFormula = "=+-@\t";
    const bool formula = text.find_first_of(kFormula) == 0;
    if (!formula && text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = formula ? "\"'" : "\"";
    for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + "\"";
}

std::string csv_number(const std::optional<double>& value) { return value ? fmt::format("{}", *value) : ""; }

namespace {

using Figure = std::function<double(const Evaluation&)>;

std::string difference_text(double first, double other) {
    if (first == other) return "same";
    if (first == 0.0) return "from 0";
    return fmt::format("{:+.3g} %", 100.0 * (other - first) / first);
}

class Comparison {
   public:
    explicit Comparison(const std::vector<NamedEvaluation>& evaluations)
        : evaluations_(evaluations), table_(header(evaluations), alignment(evaluations)) {}

    void add(const std::string& name, const Figure& figure) {
        std::vector<std::string> row{name};
        const double first = figure(evaluations_.front().second);
        for (std::size_t i = 0; i < evaluations_.size(); ++i) {
            const double value = figure(evaluations_[i].second);
            row.push_back(count_text(value));
            if (i > 0) row.push_back(difference_text(first, value));
        }
        table_.add(std::move(row));
    }

    void add_if_different(const std::string& name, const Figure& figure) {
        const double first = figure(evaluations_.front().second);
        const auto differs = [&](const NamedEvaluation& other) { return figure(other.second) != first; };
        if (std::any_of(evaluations_.begin(), evaluations_.end(), differs)) add(name, figure);
    }

    void rule() { table_.rule(); }
    std::string text() const { return table_.text(); }

   private:
    static std::vector<std::string> header(const std::vector<NamedEvaluation>& evaluations) {
        std::vector<std::string> names{""};
        for (std::size_t i = 0; i < evaluations.size(); ++i) {
            names.push_back(evaluations[i].first);
            if (i > 0) names.emplace_back("difference");
        }
        return names;
    }

    static std::string alignment(const std::vector<NamedEvaluation>& evaluations) {
        return "l" + std::string(2 * evaluations.size() - 1, 'r');
    }

    const std::vector<NamedEvaluation>& evaluations_;
    Table table_;
};

void add_tensor(Comparison& comparison, const std::string& name, std::size_t memory, std::size_t tensor) {
    const auto traffic = [=](double TensorTraffic::* field) {
        return [=](const Evaluation& evaluation) { return evaluation.memories[memory].tensors[tensor].*field; };
    };
    const auto link = [=](double LinkTraffic::* field) {
        return [=](const Evaluation& evaluation) {
            const auto& links = evaluation.memories[memory].link;
            return tensor < links.size() ? links[tensor].*field : 0.0;
        };
    };
    comparison.add_if_different(name + " tile words", [=](const Evaluation& evaluation) {
        return static_cast<double>(evaluation.memories[memory].tensors[tensor].tile_words);
    });
    comparison.add_if_different(name + " reads", traffic(&TensorTraffic::reads));
    comparison.add_if_different(name + " fills", traffic(&TensorTraffic::fills));
    comparison.add_if_different(name + " updates", traffic(&TensorTraffic::updates));
    comparison.add_if_different(name + " link words", link(&LinkTraffic::words));
    comparison.add_if_different(name + " link transfers", link(&LinkTraffic::link_transfers));
    comparison.add_if_different(name + " energy (pJ)", traffic(&TensorTraffic::energy_pj));
}

}  // namespace

std::string comparison_text(const Einsum& einsum, const std::vector<NamedEvaluation>& evaluations) {
    Comparison comparison(evaluations);
    comparison.add("energy (pJ)", [](const Evaluation& e) { return e.energy_pj; });
    comparison.add("cycles", [](const Evaluation& e) { return static_cast<double>(e.cycles); });
    comparison.add("compute cycles", [](const Evaluation& e) { return static_cast<double>(e.compute_cycles); });
    comparison.add("multiply-accumulates", [](const Evaluation& e) { return static_cast<double>(e.computes); });
    comparison.add("utilization (%)", [](const Evaluation& e) { return 100.0 * e.utilization; });
    comparison.rule();
    const Evaluation& first = evaluations.front().second;
    for (std::size_t m = 0; m < first.memories.size(); ++m)
        for (std::size_t t = 0; t < first.memories[m].tensors.size(); ++t)
            if (first.memories[m].tensors[t].kept)
                add_tensor(comparison, first.memories[m].name + " " + einsum.tensors[t].name, m, t);
    return comparison.text();
}

}  // namespace tilewright::report
