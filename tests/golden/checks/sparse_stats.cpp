#include "sparse_stats.hpp"

#include <algorithm>
#include <cctype>

namespace tilewright::golden {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Numbers in a line behind its first colon or equals sign.
int figures_in(const std::string& text) {
    const std::size_t begin = std::min(text.find_first_of(":="), text.size());
    int figures = 0;
    bool inside = false;
    for (std::size_t i = begin; i < text.size(); ++i) {
        const bool part = is_digit(text[i]) || (inside && (text[i] == '.' || text[i] == 'e'));
        const bool follows_letter = i > 0 && std::isalpha(static_cast<unsigned char>(text[i - 1])) != 0;
        if (part && !inside && !follows_letter && text[i - 1] != '^') ++figures;
        inside = part;
    }
    return figures;
}

}  // namespace

SparseComparison compare_sparse_stats(const std::vector<account::StatsLine>& ours,
                                      const std::vector<account::StatsLine>& printed, Differences& differences) {
    SparseComparison compared;
    for (std::size_t i = 0; i < std::max(ours.size(), printed.size()); ++i) {
        const int figures = i < printed.size() ? figures_in(printed[i].text) : 0;
        compared.figures += figures;
        const bool equal = i < ours.size() && i < printed.size() && ours[i] == printed[i];
        if (equal) compared.equal += figures;
        if (equal) continue;
        const auto text = [&](const std::vector<account::StatsLine>& lines) {
            return i < lines.size() ? lines[i].level + ": " + lines[i].text : std::string("nothing");
        };
        differences.text("line " + std::to_string(i + 1), text(ours), text(printed));
    }
    return compared;
}

}  // namespace tilewright::golden
