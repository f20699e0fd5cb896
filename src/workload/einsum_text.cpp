#include "workload/einsum_text.hpp"

#include <algorithm>
#include <charconv>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace tilewright {
namespace {

bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool continues_name(char c) { return starts_name(c) || is_digit(c); }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Walks the text from left to right; every mistake is reported at the place where it stands.
class Parser {
   public:
    Parser(std::string_view text, Einsum& einsum) : text_(text), einsum_(einsum) {}

    void formula() {
        std::vector<Tensor> results{tensor(true)};
        while (accept(',')) results.push_back(tensor(true));
        accept('+');
        if (!accept('=')) fail("expected '=' or '+='");
        add(tensor(false));
        while (accept('*')) add(tensor(false));
        if (!finished()) fail("expected '*' or the end of the formula");
        for (Tensor& result : results) add(std::move(result));
    }

    // The first dimension that no tensor uses, -1 when there is none.
    int unused_dimension() const {
        for (int d = 0; d < einsum_.dimension_count(); ++d)
            if (std::none_of(einsum_.tensors.begin(), einsum_.tensors.end(),
                             [d](const Tensor& tensor) { return is_relevant(tensor, d); }))
                return d;
        return -1;
    }

    [[noreturn]] void fail(const std::string& message, ErrorCode code = ErrorCode::syntax) const {
        fail_at(place_, message, code);
    }

    [[noreturn]] void fail_at(std::size_t place, const std::string& message, ErrorCode code) const {
        std::string line(text_);
        std::replace_if(line.begin(), line.end(), is_space, ' ');
        throw InputError(code, {"", 1, static_cast<int>(place) + 1}, message, line);
    }

   private:
    void skip_spaces() {
        while (place_ < text_.size() && is_space(text_[place_])) ++place_;
    }

    bool finished() {
        skip_spaces();
        return place_ == text_.size();
    }

    bool at(char c) {
        skip_spaces();
        return place_ < text_.size() && text_[place_] == c;
    }

    bool accept(char c) {
        if (!at(c)) return false;
        ++place_;
        return true;
    }

    std::string name(const std::string& what) {
        skip_spaces();
        if (place_ == text_.size() || !starts_name(text_[place_])) fail("expected " + what);
        const std::size_t begin = place_;
        while (place_ < text_.size() && continues_name(text_[place_])) ++place_;
        return std::string(text_.substr(begin, place_ - begin));
    }

    Tensor tensor(bool written) {
        Tensor tensor;
        tensor.written = written;
        skip_spaces();
        const std::size_t begin = place_;
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
            negative = text_[place_] == '-';
            ++place_;
            add_term(rank, negative);
        }
        return rank;
    }

    // "0" alone: an axis that is always at 0.
    bool accept_zero() {
        if (!at('0')) return false;
        const std::size_t begin = place_;
        ++place_;
        if (at(',') || at(']')) return true;
        place_ = begin;
        return false;
    }

    void add_term(Rank& rank, bool negative) {
        skip_spaces();
        const std::size_t begin = place_;
        Term term;
        if (place_ < text_.size() && is_digit(text_[place_])) {
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
        const char* begin = text_.data() + place_;
        const auto [end, problem] = std::from_chars(begin, text_.data() + text_.size(), value);
        if (problem != std::errc{}) fail("the coefficient does not fit in 64 bits", ErrorCode::overflow);
        place_ += static_cast<std::size_t>(end - begin);
        return value;
    }

    int dimension() {
        skip_spaces();
        const std::size_t begin = place_;
        const std::string wanted = name("the name of a dimension");
        const int found = find_dimension(einsum_, wanted);
        if (found >= 0) return found;
        std::vector<std::string> known;
        for (const Dimension& dimension : einsum_.dimensions) known.push_back(dimension.name);
        fail_at(begin, "no extent is given for dimension '" + wanted + "'" + did_you_mean(wanted, known),
                ErrorCode::unknown_name);
    }

    void add(Tensor tensor) { einsum_.tensors.push_back(std::move(tensor)); }

    std::string_view text_;
    Einsum& einsum_;
    std::size_t place_ = 0;
    std::vector<std::pair<std::string, std::size_t>> tensor_names_;
};

void check_sizes(const Parser& parser, const Einsum& einsum) {
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
    Parser parser(text, einsum);
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
