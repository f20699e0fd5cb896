#include "frontend/timeloop/mapping/loop_text.hpp"

#include <algorithm>
#include <charconv>

#include "frontend/timeloop/files/names.hpp"

namespace tilewright::timeloop {
namespace {

using yaml::Node;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Reads one text of a node from left to right.
class Scanner {
   public:
    Scanner(const Node& node, const Einsum& einsum) : node_(node), text_(node.text()), einsum_(einsum) {}

    // Skips what separates entries; false at the end.
    bool next() {
        while (place_ < text_.size() && (is_space(text_[place_]) || text_[place_] == ',')) ++place_;
        return place_ < text_.size();
    }

    // "C=4", "C4", "C 4": the dimension and everything up to its number.
    int factor_dimension() {
        const std::string_view word = word_here();
        if (word.empty()) fail("expected a factor like C=4");
        if (is_before(place_ + word.size(), '=')) {
            const int dimension = known(word);
            place_ += word.size();
            while (place_ < text_.size() && (is_space(text_[place_]) || text_[place_] == '=')) ++place_;
            return dimension;
        }
        int best = -1;
        for (int d = 0; d < einsum_.dimension_count(); ++d) {
            const std::string& name = einsum_.dimensions[d].name;
            if (starts_with(name) && digit_follows(place_ + name.size()) && (best < 0 || longer(d, best))) best = d;
        }
        if (best < 0) refuse_word(word);
        place_ += einsum_.dimensions[best].name.size();
        skip_spaces();
        return best;
    }

    std::int64_t number() {
        std::int64_t value = 0;
        const auto [end, problem] = std::from_chars(text_.data() + place_, text_.data() + text_.size(), value);
        if (problem == std::errc::result_out_of_range)
            node_.fail(ErrorCode::overflow, "a factor in '" + std::string(text_) + "' does not fit in 64 bits");
        if (problem != std::errc{} || place_ == text_.size() || !is_digit(text_[place_])) fail("expected a number");
        place_ = static_cast<std::size_t>(end - text_.data());
        return value;
    }

    // The ",3" of an imperfect factor.
    bool remainder_follows() {
        if (place_ + 1 >= text_.size() || text_[place_] != ',' || !is_digit(text_[place_ + 1])) return false;
        ++place_;
        return true;
    }

    // A dimension of a permutation: a whole word if it is one, else the longest name that the word starts with.
    int permuted_dimension() {
        const std::string_view word = word_here();
        if (word.empty()) fail("expected the name of a dimension");
        int best = find_dimension(einsum_, word);
        for (int d = 0; best < 0 && d < einsum_.dimension_count(); ++d)
            if (starts_with(einsum_.dimensions[d].name)) best = d;
        if (best < 0) known(word);
        for (int d = 0; d < einsum_.dimension_count(); ++d)
            if (starts_with(einsum_.dimensions[d].name) && longer(d, best)) best = d;
        place_ += einsum_.dimensions[best].name.size();
        return best;
    }

   private:
    void skip_spaces() {
        while (place_ < text_.size() && is_space(text_[place_])) ++place_;
    }

    std::string_view word_here() const {
        std::size_t end = place_;
        if (end < text_.size() && is_letter(text_[end]))
            while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
        return text_.substr(place_, end - place_);
    }

    bool starts_with(const std::string& name) const { return text_.substr(place_, name.size()) == name; }
    bool longer(int a, int b) const { return einsum_.dimensions[a].name.size() > einsum_.dimensions[b].name.size(); }

    bool is_before(std::size_t place, char c) const {
        while (place < text_.size() && is_space(text_[place])) ++place;
        return place < text_.size() && text_[place] == c;
    }

    bool digit_follows(std::size_t place) const {
        while (place < text_.size() && is_space(text_[place])) ++place;
        return place < text_.size() && is_digit(text_[place]);
    }

    int known(std::string_view word) const {
        const int d = find_dimension(einsum_, word);
        if (d < 0)
            node_.fail(ErrorCode::unknown_name, "the problem has no dimension '" + std::string(word) + "'" +
                                                    did_you_mean(word, names_of(einsum_.dimensions)));
        return d;
    }

    // A word without '=' that is no dimension with a number behind it.
    [[noreturn]] void refuse_word(std::string_view word) const {
        const std::string_view letters = word.substr(0, std::min(word.find_first_of("0123456789"), word.size()));
        if (find_dimension(einsum_, word) >= 0) fail("expected '=' and a number after '" + std::string(word) + "'");
        known(letters);
        fail("expected a number after '" + std::string(letters) + "'");
    }

    [[noreturn]] void fail(const std::string& message) const {
        node_.fail(ErrorCode::bad_value,
                   message + ", found '" + std::string(text_.substr(place_)) + "' in '" + std::string(text_) + "'");
    }

    const Node& node_;
    std::string_view text_;
    const Einsum& einsum_;
    std::size_t place_ = 0;
};

// A text is taken as it is, a list item by item, nothing as nothing.
std::vector<Node> texts_of(const Node& node) {
    if (node.is_scalar()) return {node};
    return node.items();
}

Factor read_factor(Scanner& scanner, const Node& node, const Dimension& dimension) {
    Factor factor;
    factor.extent = scanner.number();
    if (factor.extent == 0) factor.extent = dimension.extent;
    factor.remainder = factor.extent;
    if (!scanner.remainder_follows()) return factor;
    factor.has_remainder = true;
    factor.remainder = scanner.number();
    if (factor.remainder < 1 || factor.remainder > factor.extent)
        node.fail(ErrorCode::bad_value, "the remainder of " + dimension.name + "=" + std::to_string(factor.extent) +
                                            "," + std::to_string(factor.remainder) + " has to be from 1 to " +
                                            std::to_string(factor.extent));
    return factor;
}

}  // namespace

std::vector<std::optional<Factor>> read_factors(const Node& node, const Einsum& einsum) {
    std::vector<std::optional<Factor>> factors(einsum.dimensions.size());
    for (const Node& text : texts_of(node)) {
        Scanner scanner(text, einsum);
        while (scanner.next()) {
            const int d = scanner.factor_dimension();
            if (factors[d])
                text.fail(ErrorCode::duplicate_key, "dimension '" + einsum.dimensions[d].name + "' has two factors");
            factors[d] = read_factor(scanner, text, einsum.dimensions[d]);
        }
    }
    return factors;
}

std::vector<int> read_permutation(const Node& node, const Einsum& einsum) {
    std::vector<int> permutation;
    for (const Node& text : texts_of(node)) {
        Scanner scanner(text, einsum);
        while (scanner.next()) {
            const int d = scanner.permuted_dimension();
            if (std::find(permutation.begin(), permutation.end(), d) != permutation.end())
                text.fail(ErrorCode::duplicate_key,
                          "dimension '" + einsum.dimensions[d].name + "' appears twice in the permutation");
            permutation.push_back(d);
        }
    }
    return permutation;
}

}  // namespace tilewright::timeloop
