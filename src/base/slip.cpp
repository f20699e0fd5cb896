#include "base/slip.hpp"

#include <algorithm>
#include <cctype>

#include "base/error.hpp"

namespace tilewright {
namespace {

std::string folded(std::string_view name) {
    std::string text(name);
    for (char& c : text) c = c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

// With two neighbours swapped ("widht") as one step.
std::size_t distance(const std::string& a, const std::string& b) {
    std::vector<std::size_t> before(b.size() + 1);  // two rows up
    std::vector<std::size_t> above(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::swap(before, above);
        std::swap(above, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t changed = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({changed, above[j] + 1, row[j - 1] + 1});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
    }
    return row[b.size()];
}

}  // namespace

std::size_t letters_apart(std::string_view a, std::string_view b) { return distance(folded(a), folded(b)); }

bool may_be_slip(std::string_view name, const std::vector<std::string>& known) {
    constexpr std::size_t kMost = 2;
    const std::string near = nearest(name, known);
    return !near.empty() && letters_apart(name, near) <= kMost;
}

}  // namespace tilewright
