#include "base/error.hpp"

#include <algorithm>
#include <cctype>

#include "base/printable.hpp"

namespace tilewright {
namespace {

// The source line with a caret below; long lines are cut around the caret to fit one screen.
std::string caret_text(std::string_view excerpt, int column) {
    constexpr int kWidth = 100;
    if (excerpt.empty() || column <= 0) return "";
    int begin = std::max(0, column - 1 - kWidth / 2);
    if (static_cast<int>(excerpt.size()) <= kWidth) begin = 0;
    const std::string line = masked_line(excerpt.substr(std::min<std::size_t>(begin, excerpt.size()), kWidth));
    return "\n    " + line + "\n    " + std::string(std::max(0, column - 1 - begin), ' ') + "^";
}

// Names from files may be long; the statement about them stays in sight.
std::string shortened(const std::string& message) {
    constexpr std::size_t kMost = 1000;
    constexpr std::size_t kEnd = 300;
    if (message.size() <= kMost + kEnd) return message;
    return message.substr(0, kMost) + " ... " + message.substr(message.size() - kEnd);
}

std::string whole_text(ErrorCode code, const Location& where, const std::string& message, std::string_view excerpt) {
    return place_text(where) + "error: " + printable_line(shortened(message)) + " [" +
           std::string(error_code_name(code)) + "]" + caret_text(excerpt, where.column);
}

}  // namespace

std::string place_text(const Location& where) {
    if (where.file.empty()) return "";
    std::string text = printable_line(where.file);
    if (where.line > 0) text += ":" + std::to_string(where.line);
    if (where.line > 0 && where.column > 0) text += ":" + std::to_string(where.column);
    return text + ": ";
}

std::string_view error_code_name(ErrorCode code) {
    switch (code) {
        case ErrorCode::missing_file: return "missing-file";
        case ErrorCode::io: return "io";
        case ErrorCode::syntax: return "syntax";
        case ErrorCode::duplicate_key: return "duplicate-key";
        case ErrorCode::unknown_key: return "unknown-key";
        case ErrorCode::missing_key: return "missing-key";
        case ErrorCode::wrong_type: return "wrong-type";
        case ErrorCode::bad_value: return "bad-value";
        case ErrorCode::unknown_name: return "unknown-name";
        case ErrorCode::unknown_tensor: return "unknown-tensor";
        case ErrorCode::unknown_level: return "unknown-level";
        case ErrorCode::no_fanout: return "no-fanout";
        case ErrorCode::factor_product: return "factor-product";
        case ErrorCode::too_small: return "too-small";
        case ErrorCode::cyclic_inheritance: return "cyclic-inheritance";
        case ErrorCode::unsupported: return "unsupported";
        case ErrorCode::overflow: return "overflow";
        case ErrorCode::usage: return "usage";
    }
    return "error";
}

InputError::InputError(ErrorCode code, Location where, std::string message, std::string_view excerpt)
    : std::runtime_error(whole_text(code, where, message, excerpt)),
      code_(code),
      where_(std::move(where)),
      message_(std::move(message)) {}

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
    constexpr std::size_t kLongest = 200;  // beyond the edit distance of any slip
    if (name.size() > kLongest) return "";
    std::string best;
    std::size_t best_distance = name.size() + 1;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = letters_apart(name, candidate);
        const std::size_t letters = std::max(name.size(), candidate.size());
        if (distance * 3 <= letters && distance < best_distance) {
            best_distance = distance;
            best = candidate;
        }
    }
    return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
    const std::string near = nearest(name, candidates);
    return near.empty() ? "" : "; did you mean '" + near + "'?";
}

std::string list_words(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
        text += words[i];
    }
    return text;
}

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
