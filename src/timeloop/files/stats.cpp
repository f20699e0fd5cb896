#include "timeloop/files/stats.hpp"

#include <charconv>
#include <cmath>

#include "base/error.hpp"

namespace tilewright::timeloop {
namespace {

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

class StatsReader {
   public:
    explicit StatsReader(const std::string& file) : file_(file) {}

    account::PrintedStats run(std::string_view text) {
        while (!text.empty()) {
            const std::size_t end = text.find('\n');
            ++number_;
            take(text.substr(0, end));
            text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        }
        if (stats_.levels.empty() || !stats_.cycles)
            throw InputError(ErrorCode::syntax, {file_},
                             "this is no output of Timeloop: expected levels ('=== DRAM ===') and 'Summary Stats'");
        return std::move(stats_);
    }

   private:
    enum class Part { other, level, statistics, summary };

    void take(std::string_view line) {
        const std::string_view words = trimmed(line);
        if (words.starts_with("=== ") && words.ends_with(" ===") && words.size() > 8 && !in_networks_) {
            stats_.levels.push_back({std::string(words.substr(4, words.size() - 8)), {}, {}});
            part_ = Part::level;
        } else if (words == "STATS" && part_ == Part::level) {
            part_ = Part::statistics;
        } else if (words == "Networks") {
            in_networks_ = true;
            part_ = Part::other;
        } else if (words == "Summary Stats") {
            part_ = Part::summary;
        } else if (part_ == Part::statistics) {
            take_statistic(line, words);
        } else if (part_ == Part::summary) {
            take_summary(words);
        }
    }

    // "    Outputs:" begins a tensor; deeper lines belong to it.
    void take_statistic(std::string_view line, std::string_view words) {
        constexpr std::string_view kIndent = "    ";
        account::PrintedLevel& level = stats_.levels.back();
        const bool is_inner = line.starts_with("        ");
        if (line.starts_with(kIndent) && !is_inner && words.ends_with(':'))
            level.tensors.push_back({std::string(words.substr(0, words.size() - 1)), {}, {}, {}, {}});
        const std::size_t colon = words.find(':');
        if (colon == std::string_view::npos || colon + 1 == words.size()) return;
        const std::string_view key = trimmed(words.substr(0, colon));
        const std::string_view value = words.substr(colon + 1);
        if (!is_inner) {
            if (key == "Energy (total)" && level.tensors.empty()) level.energy_pj = number(value, key);
            return;
        }
        if (level.tensors.empty()) return;
        account::PrintedTensor& tensor = level.tensors.back();
        if (key == "Scalar reads (per-instance)") tensor.reads = number(value, key);
        if (key == "Scalar fills (per-instance)") tensor.fills = number(value, key);
        if (key == "Scalar updates (per-instance)") tensor.updates = number(value, key);
        if (key == "Energy (total)") tensor.energy_pj = number(value, key);
    }

    void take_summary(std::string_view words) {
        if (words.starts_with("Cycles:")) stats_.cycles = number(words.substr(7), "Cycles");
        if (words.starts_with("Energy:")) stats_.energy_uj = number(words.substr(7), "Energy");
    }

    // With or without a unit.
    double number(std::string_view text, std::string_view key) const {
        text = trimmed(text);
        double value = 0.0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool ends = end == text.data() + text.size() || *end == ' ';
        if (error != std::errc{} || !ends || !std::isfinite(value))
            throw InputError(ErrorCode::bad_value, {file_, number_, 1},
                             "'" + std::string(key) + "' is no number: '" + std::string(text) + "'");
        return value;
    }

    const std::string& file_;
    account::PrintedStats stats_;
    Part part_ = Part::other;
    bool in_networks_ = false;
    int number_ = 0;
};

}  // namespace

account::PrintedStats read_stats(std::string_view text, const std::string& file) { return StatsReader(file).run(text); }

}  // namespace tilewright::timeloop
