#include "timeloop/mapping/loop_text.hpp"

#include <algorithm>

#include "base/scanner.hpp"
#include "timeloop/files/sections.hpp"

namespace tilewright::timeloop {
namespace {

using yaml::Node;

// Reads one text of a node from left to right.
class LoopScanner {
   public:
    LoopScanner(const Node& node, const Einsum& einsum) : node_(node), einsum_(einsum), scanner_(node.text()) {}

    // Skips separators; false at the end.
    bool next() {
        scanner_.skip(" \t\n\r,");
        return !scanner_.at_end();
    }

    // "C=4", "C4", "C 4": the dimension and everything up to its number.
    int factor_dimension() {
        const std::string_view word = scanner_.name_here();
        if (word.empty()) fail("expected a factor like C=4");
        if (behind(word.size()).at('=')) {
            const int dimension = known(word);
            scanner_.name();
            scanner_.skip(" \t\n\r=");
            return dimension;
        }
        int best = -1;
        for (int d = 0; d < einsum_.dimension_count(); ++d) {
            const std::string& name = einsum_.dimensions[d].name;
            if (starts_with(name) && digit_follows(name.size()) && (best < 0 || longer(d, best))) best = d;
        }
        if (best < 0) refuse_word(word);
        scanner_ = behind(einsum_.dimensions[best].name.size());
        scanner_.skip(kSpaces);
        return best;
    }

    std::int64_t number() {
        std::int64_t value = 0;
        const bool negative = !scanner_.at_digit();
        const std::size_t begin = scanner_.place();
        const std::errc problem = scanner_.number(value);
        if (problem == std::errc::result_out_of_range)
            node_.fail(ErrorCode::overflow,
                       "a factor in '" + std::string(scanner_.text()) + "' does not fit in 64 bits");
        if (problem == std::errc{} && !negative) return value;
        scanner_.seek(begin);
        fail("expected a number");
    }

    // The ",3" of an imperfect factor.
    bool remainder_follows() {
        const std::string_view rest = scanner_.rest();
        if (rest.size() < 2 || rest[0] != ',' || !is_digit(rest[1])) return false;
        scanner_ = behind(1);
        return true;
    }

    // A dimension of a permutation: the whole word, else its longest prefix among the names.
    int permuted_dimension() {
        const std::string_view word = scanner_.name_here();
        if (word.empty()) fail("expected the name of a dimension");
        int best = find_dimension(einsum_, word);
        for (int d = 0; best < 0 && d < einsum_.dimension_count(); ++d)
            if (starts_with(einsum_.dimensions[d].name)) best = d;
        if (best < 0) known(word);
        for (int d = 0; d < einsum_.dimension_count(); ++d)
            if (starts_with(einsum_.dimensions[d].name) && longer(d, best)) best = d;
        scanner_ = behind(einsum_.dimensions[best].name.size());
        return best;
    }

   private:
    bool starts_with(const std::string& name) const { return scanner_.rest().starts_with(name); }
    bool longer(int a, int b) const { return einsum_.dimensions[a].name.size() > einsum_.dimensions[b].name.size(); }

    Scanner behind(std::size_t characters) const {
        Scanner scanner = scanner_;
        scanner.seek(scanner.place() + characters);
        return scanner;
    }

    bool digit_follows(std::size_t characters) const {
        Scanner scanner = behind(characters);
        return !scanner.finished() && scanner.at_digit();
    }

    int known(std::string_view word) const {
        const int d = find_dimension(einsum_, word);
        if (d < 0)
            node_.fail(ErrorCode::unknown_name, "the problem has no dimension '" + std::string(word) + "'" +
                                                    did_you_mean(word, names_of(einsum_.dimensions)));
        return d;
    }

    // A word without '=' and not a dimension with a number.
    [[noreturn]] void refuse_word(std::string_view word) const {
        const std::string_view letters = word.substr(0, std::min(word.find_first_of("0123456789"), word.size()));
        if (find_dimension(einsum_, word) >= 0) fail("expected '=' and a number after '" + std::string(word) + "'");
        known(letters);
        fail("expected a number after '" + std::string(letters) + "'");
    }

    [[noreturn]] void fail(const std::string& message) const {
        node_.fail(ErrorCode::bad_value, message + ", found '" + std::string(scanner_.rest()) + "' in '" +
                                             std::string(scanner_.text()) + "'");
    }

    const Node& node_;
    const Einsum& einsum_;
    Scanner scanner_;
};

// A text as it is, a list item by item, nothing as nothing.
std::vector<Node> texts_of(const Node& node) {
    if (node.is_scalar()) return {node};
    return node.items();
}

Factor read_factor(LoopScanner& scanner, const Node& node, const Dimension& dimension) {
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
        LoopScanner scanner(text, einsum);
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
        LoopScanner scanner(text, einsum);
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
