#include "workload/einsum_text.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "base/scanner.hpp"

namespace tilewright {
namespace {

// Left-to-right parser; mistakes are reported at their place.
class FormulaParser {
   public:
    FormulaParser(std::string_view text, Einsum& einsum) : scanner_(text), einsum_(einsum) {}

    void formula() {
        std::vector<Tensor> results{tensor(true)};
        while (accept(',')) results.push_back(tensor(true));
        accept('+');
        if (!accept('=')) fail("expected '=' or '+='");
        add(tensor(false));
        while (accept('*')) add(tensor(false));
        if (!scanner_.finished()) fail("expected '*' or the end of the formula");
        for (Tensor& result : results) add(std::move(result));
    }

    // The first unused dimension, or -1.
    int unused_dimension() const {
        for (int d = 0; d < einsum_.dimension_count(); ++d)
            if (std::none_of(einsum_.tensors.begin(), einsum_.tensors.end(),
                             [d](const Tensor& tensor) { return is_relevant(tensor, d); }))
                return d;
        return -1;
    }

    [[noreturn]] void fail(const std::string& message, ErrorCode code = ErrorCode::syntax) const {
        fail_at(scanner_.place(), message, code);
    }

    [[noreturn]] void fail_at(std::size_t place, const std::string& message, ErrorCode code) const {
        std::string line(scanner_.text());
        for (char& c : line)
            if (kSpaces.find(c) != std::string_view::npos) c = ' ';
        throw InputError(code, {"", 1, static_cast<int>(place) + 1}, message, line);
    }

   private:
    bool at(char c) { return scanner_.at(c); }
    bool accept(char c) { return scanner_.accept(c); }
    // Past the spaces.
    std::size_t place() {
        scanner_.skip(kSpaces);
        return scanner_.place();
    }

    std::string name(const std::string& what) {
        scanner_.skip(kSpaces);
        const std::string_view found = scanner_.name();
        if (found.empty()) fail("expected " + what);
        return std::string(found);
    }

    Tensor tensor(bool written) {
        Tensor tensor;
        tensor.written = written;
        const std::size_t begin = place();
        tensor.name = name("the name of a tensor");
        tensor_names_.emplace_back(tensor.name, begin);
        check_last_tensor();
        if (!accept('[')) return tensor;
        if (accept(']')) return tensor;
        tensor.ranks.push_back(rank());
        while (accept(',')) tensor.ranks.push_back(rank());
        if (!accept(']')) fail("expected ',', '+', '-' or ']'");
        return tensor;
    }

    void check_last_tensor() const {
        const auto& [last, place] = tensor_names_.back();
        for (std::size_t i = 0; i + 1 < tensor_names_.size(); ++i)
            if (tensor_names_[i].first == last)
                fail_at(place, "tensor '" + last + "' appears twice; give the second one another name",
                        ErrorCode::bad_value);
        if (tensor_names_.size() > kMaxTensors)
            fail_at(place, "more than " + std::to_string(kMaxTensors) + " tensors are not supported",
                    ErrorCode::unsupported);
    }

    Rank rank() {
        Rank rank;
        if (accept_zero()) return rank;
        bool negative = accept('-');
        add_term(rank, negative);
        while (at('+') || at('-')) {
            negative = accept('-');
            if (!negative) accept('+');
            add_term(rank, negative);
        }
        return rank;
    }

    // "0" alone: a constant axis.
    bool accept_zero() {
        if (!at('0')) return false;
        const Scanner before = scanner_;
        accept('0');
        if (at(',') || at(']')) return true;
        scanner_ = before;
        return false;
    }

    void add_term(Rank& rank, bool negative) {
        const std::size_t begin = place();
        Term term;
        if (scanner_.at_digit()) {
            term.coefficient = number();
            if (term.coefficient == 0) fail_at(begin, "a coefficient of 0 is not allowed", ErrorCode::bad_value);
            if (!accept('*') && (at(',') || at(']') || at('+') || at('-')))
                fail_at(begin, "constant offsets are not supported: they do not change what is moved",
                        ErrorCode::unsupported);
        }
        if (negative) term.coefficient = -term.coefficient;
        term.dimension = dimension();
        for (const Term& other : rank.terms)
            if (other.dimension == term.dimension)
                fail_at(begin, "dimension '" + einsum_.dimensions[term.dimension].name + "' appears twice in one rank",
                        ErrorCode::bad_value);
        rank.terms.push_back(term);
    }

    std::int64_t number() {
        std::int64_t value = 0;
        if (scanner_.number(value) != std::errc{}) fail("the coefficient does not fit in 64 bits", ErrorCode::overflow);
        return value;
    }

    int dimension() {
        const std::size_t begin = place();
        const std::string wanted = name("the name of a dimension");
        const int found = find_dimension(einsum_, wanted);
        if (found >= 0) return found;
        std::vector<std::string> known;
        for (const Dimension& dimension : einsum_.dimensions) known.push_back(dimension.name);
        fail_at(begin, "no extent is given for dimension '" + wanted + "'" + did_you_mean(wanted, known),
                ErrorCode::unknown_name);
    }

    void add(Tensor tensor) { einsum_.tensors.push_back(std::move(tensor)); }

    Scanner scanner_;
    Einsum& einsum_;
    std::vector<std::pair<std::string, std::size_t>> tensor_names_;
};

void check_sizes(const FormulaParser& parser, const Einsum& einsum) {
    try {
        (void)operation_count(einsum);
        for (int t = 0; t < einsum.tensor_count(); ++t) (void)tensor_words(einsum, t);
    } catch (const OverflowError&) {
        parser.fail_at(0, "the layer is too large to count in 64 bits", ErrorCode::overflow);
    }
}

}  // namespace

Einsum parse_einsum(std::string_view text, const std::vector<std::pair<std::string, std::int64_t>>& extents) {
    Einsum einsum;
    for (const auto& [name, extent] : extents) einsum.dimensions.push_back({name, extent});
    FormulaParser parser(text, einsum);
    parser.formula();
    if (const int d = parser.unused_dimension(); d >= 0)
        parser.fail_at(0, "dimension '" + einsum.dimensions[d].name + "' has an extent but no tensor uses it",
                       ErrorCode::bad_value);
    if (const std::string problem = problem_with(einsum); !problem.empty())
        parser.fail_at(0, problem, ErrorCode::bad_value);
    check_sizes(parser, einsum);
    return einsum;
}

}  // namespace tilewright
