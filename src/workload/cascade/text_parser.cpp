// From the text of a cascade to its statements.

#include <algorithm>
#include <array>
#include <map>

#include "base/numbers/checked.hpp"
#include "base/scanner.hpp"
#include "workload/cascade/text_syntax.hpp"

namespace tilewright::cascade_text {
namespace {

constexpr int kDeepest = 100;  // parentheses

class Parser {
   public:
    explicit Parser(const Source& source) : source_(source), scanner_(source.text()) {}

    std::vector<Statement> statements() {
        std::vector<Statement> all;
        while (!scanner_.finished())
            if (!scanner_.accept(';')) all.push_back(statement());
        return all;
    }

   private:
    [[noreturn]] void fail(const std::string& message, ErrorCode code = ErrorCode::syntax) const {
        source_.fail(scanner_.place(), code, message);
    }

    void expect(char c, const std::string& expected) {
        if (!scanner_.accept(c)) fail("expected " + expected);
    }

    std::size_t place() {
        scanner_.skip(kSpaces);
        return scanner_.place();
    }

    Word word(const std::string& what) {
        const std::size_t begin = place();
        const std::string_view found = scanner_.name();
        if (found.empty()) fail("expected " + what);
        return {std::string(found), begin};
    }

    // The next name, without advancing.
    std::string_view next_name() {
        scanner_.skip(kSpaces);
        return scanner_.name_here();
    }

    std::int64_t number() {
        std::int64_t value = 0;
        if (!scanner_.at_digit()) fail("expected a number");
        if (scanner_.number(value) != std::errc{}) fail("the number does not fit in 64 bits", ErrorCode::overflow);
        return value;
    }

    std::int64_t extent() {
        const std::size_t begin = place();
        const std::int64_t value = number();
        if (value < 1) source_.fail(begin, ErrorCode::bad_value, "expected a number of at least 1, found 0");
        return value;
    }

    // A keyword only before a name: a tensor may be called "input".
    bool accept_keyword(std::string_view keyword) {
        if (next_name() != keyword) return false;
        const Scanner before = scanner_;
        scanner_.name();
        if (!next_name().empty()) return true;
        scanner_ = before;
        return false;
    }

    Statement statement() {
        if (scanner_.at('}')) {
            const std::size_t begin = place();
            scanner_.accept('}');
            return EndText{begin};
        }
        constexpr std::array<TensorRole, 4> kDeclared{TensorRole::input, TensorRole::weight, TensorRole::cache,
                                                      TensorRole::output};
        for (const TensorRole role : kDeclared)
            if (accept_keyword(to_text(role))) return ended(declaration(role));
        if (accept_keyword("tensor")) return ended(declaration(std::nullopt));
        if (accept_keyword("size")) return ended(sizes());
        if (accept_keyword("view")) return ended(view());
        if (accept_keyword("carry")) return ended(carry());
        if (accept_keyword("block")) return block();
        return ended(einsum());
    }

    template <typename One>
    Statement ended(One one) {
        if (!scanner_.finished() && !scanner_.at(';') && !scanner_.at('}')) fail("expected ';' or the end");
        return one;
    }

    DeclarationText declaration(std::optional<TensorRole> role) {
        DeclarationText declared{role, {shaped()}};
        while (scanner_.accept(',')) declared.tensors.push_back(shaped());
        return declared;
    }

    DeclarationText::Shaped shaped() {
        DeclarationText::Shaped one{word("the name of a tensor"), {}};
        one.has_shape = scanner_.accept('[');
        if (!one.has_shape || scanner_.accept(']')) return one;
        do one.shape.push_back(size_or_number());
        while (scanner_.accept(','));
        expect(']', "',' or ']'");
        return one;
    }

    Word size_or_number() {
        const std::size_t begin = place();
        if (scanner_.at_digit()) return {std::to_string(extent()), begin};
        return word("a size: a number or a name");
    }

    SizesText sizes() {
        SizesText all;
        do {
            const Word name = word("the name of a size");
            expect('=', "'='");
            place();
            all.sizes.push_back({name, extent()});
        } while (scanner_.accept(','));
        return all;
    }

    ViewText view() {
        ViewText one{shaped(), {}};
        if (!accept_keyword("of")) fail("expected 'of' and the tensor whose rows these are");
        one.of = word("the name of a tensor");
        return one;
    }

    CarryText carry() {
        CarryText one{word("the name of a tensor"), {}};
        expect('-', "'->'");
        expect('>', "'->'");
        one.next = word("the name of a tensor");
        return one;
    }

    Statement block() {
        BlockText one{word("the name of the block")};
        place();
        one.count = extent();
        expect('{', "'{'");
        return one;
    }

    EinsumText einsum() {
        EinsumText one;
        one.label = label();
        one.online = accept_keyword("online");
        one.results.push_back(tensor());
        while (scanner_.accept(',')) one.results.push_back(tensor());
        const bool sums = scanner_.accept('+');
        const bool compares = !sums && next_name() == "max";
        if (compares) scanner_.name();
        expect('=', "'=', '+=' or 'max='");
        one.accumulates = sums || compares;
        expression(one, 0);
        one.product = sums && only_multiplied_ && one.operands.size() > 1;
        only_multiplied_ = true;
        if (one.operands.empty()) fail("expected a tensor on the right side");
        if (one.product)
            one.operations = {{OperationClass::multiply_add, 1}};
        else if (one.accumulates)
            count(one.operations, OperationClass::add);
        return one;
    }

    // "attention.query:"; nothing is read without a colon.
    Word label() {
        const Scanner before = scanner_;
        Word one{"", place()};
        while (!scanner_.name_here().empty()) {
            one.text += scanner_.name();
            if (scanner_.at_end() || scanner_.rest().front() != '.') break;
            scanner_.accept('.');
            one.text += '.';
        }
        if (!one.text.empty() && scanner_.accept(':')) return one;
        scanner_ = before;
        return {"", one.place};
    }

    void expression(EinsumText& one, int depth) {
        factors(one, depth);
        while (scanner_.at('+') || scanner_.at('-')) {
            scanner_.accept(scanner_.at('+') ? '+' : '-');
            only_multiplied_ = false;
            count(one.operations, OperationClass::add);
            factors(one, depth);
        }
    }

    void factors(EinsumText& one, int depth) {
        factor(one, depth);
        while (scanner_.at('*') || scanner_.at('/')) {
            const bool multiplies = scanner_.at('*');
            scanner_.accept(multiplies ? '*' : '/');
            if (!multiplies) only_multiplied_ = false;
            count(one.operations, multiplies ? OperationClass::multiply : OperationClass::divide);
            factor(one, depth);
        }
    }

    void factor(EinsumText& one, int depth) {
        if (depth > kDeepest) fail("more than " + std::to_string(kDeepest) + " parentheses inside one another");
        if (scanner_.at('(')) return in_parentheses(one, depth);
        if (scanner_.at_digit()) {  // a constant moves nothing
            number();
            only_multiplied_ = false;
            return;
        }
        const Scanner before = scanner_;
        const std::size_t begin = place();
        const std::string_view name = scanner_.name();
        if (!name.empty() && scanner_.at('(')) return function(one, {std::string(name), begin}, depth);
        scanner_ = before;
        one.operands.push_back(tensor());
    }

    void in_parentheses(EinsumText& one, int depth) {
        scanner_.accept('(');
        expression(one, depth + 1);
        expect(')', "')'");
    }

    void function(EinsumText& one, const Word& name, int depth) {
        const std::vector<OperationCount>* operations = operations_of(name.text);
        if (operations == nullptr)
            source_.fail(name.place, ErrorCode::unknown_name,
                         "no function is called '" + name.text + "'" + did_you_mean(name.text, function_names()) +
                             "; there are " + list_words(function_names()));
        only_multiplied_ = false;
        for (const auto& [operation, times] : *operations) count(one.operations, operation, times);
        if (depth == 0 && one.function.empty()) one.function = name.text;
        in_parentheses(one, depth);
    }

    TensorText tensor() {
        TensorText one;
        one.anywhere = scanner_.accept('~');
        one.name = word("the name of a tensor");
        if (!scanner_.accept('[') || scanner_.accept(']')) return one;
        do one.ranks.push_back(rank());
        while (scanner_.accept(','));
        expect(']', "',', '+', '-' or ']'");
        return one;
    }

    RankText rank() {
        RankText one;
        one.place = place();
        add_term(one, scanner_.accept('-'));
        while (scanner_.at('+') || scanner_.at('-')) {
            const bool negative = scanner_.at('-');
            scanner_.accept(negative ? '-' : '+');
            add_term(one, negative);
        }
        return one;
    }

    // "2*p", "2p", "p" or a constant.
    void add_term(RankText& rank, bool negative) {
        const std::size_t begin = place();
        std::int64_t value = 1;
        const bool has_number = scanner_.at_digit();
        if (has_number) value = number();
        if (negative) value = -value;
        const bool times = has_number && scanner_.accept('*');
        if (has_number && !times && next_name().empty()) {
            if (__builtin_add_overflow(rank.offset, value, &rank.offset))
                source_.fail(begin, ErrorCode::overflow, "the place does not fit in 64 bits");
            return;
        }
        if (value == 0) source_.fail(begin, ErrorCode::bad_value, "a coefficient of 0 is not allowed");
        rank.terms.push_back({word("the name of a dimension"), value});
    }

    const Source& source_;
    Scanner scanner_;
    bool only_multiplied_ = true;  // by the expression so far
};

}  // namespace

Source::Source(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {
    bool inside = false;
    for (char& c : text_) {
        if (c == '#') inside = true;
        if (c == '\n') inside = false;
        if (inside) c = ' ';
    }
}

void Source::fail(std::size_t place, ErrorCode code, const std::string& message) const {
    place = std::min(place, text_.size());
    const std::size_t newline = place == 0 ? std::string::npos : text_.rfind('\n', place - 1);
    const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
    const auto line =
        static_cast<int>(1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
    std::string excerpt = text_.substr(begin, text_.find('\n', begin) - begin);
    for (char& c : excerpt)
        if (kSpaces.find(c) != std::string_view::npos) c = ' ';
    throw InputError(code, {file_, line, static_cast<int>(place - begin) + 1}, message, excerpt);
}

std::vector<Statement> parse(const Source& source) { return Parser(source).statements(); }

// Operation counts of the text's functions.

namespace {

using enum OperationClass;

// Sigmoid, tanh and the like are one exponential each, whatever the unit's method.
const std::map<std::string, std::vector<OperationCount>, std::less<>>& functions() {
    static const std::map<std::string, std::vector<OperationCount>, std::less<>> kFunctions{
        {"abs", {{add, 1}}},
        {"clip", {{add, 2}}},
        {"copy", {}},
        {"cos", {{exponential, 1}}},
        {"erf", {{exponential, 1}}},
        {"exp", {{exponential, 1}}},
        {"gelu", {{exponential, 1}, {multiply, 2}, {add, 1}}},
        {"log", {{exponential, 1}}},
        {"moments", {{multiply, 1}, {add, 1}}},  // statistics: of x and of x squared
        {"neg", {{add, 1}}},
        {"reciprocal", {{divide, 1}}},
        {"relu", {{add, 1}}},
        {"rotate", {{multiply, 2}, {add, 1}}},  // a pair of words by an angle with known sine and cosine
        {"rsqrt", {{divide, 1}}},
        {"sigmoid", {{exponential, 1}}},
        {"silu", {{exponential, 1}, {multiply, 1}}},
        {"sin", {{exponential, 1}}},
        {"softmax", {{add, 2}, {exponential, 1}}},  // statistics: compares with the maximum, e^(x - maximum)
        {"softplus", {{exponential, 2}, {add, 1}}},
        {"sqrt", {{divide, 1}}},
        {"square", {{multiply, 1}}},
        {"tanh", {{exponential, 1}}},
        {"top", {}},  // selection: the comparisons are those of max=
    };
    return kFunctions;
}

}  // namespace

const std::vector<OperationCount>* operations_of(std::string_view function) {
    const auto found = functions().find(function);
    return found == functions().end() ? nullptr : &found->second;
}

std::vector<std::string> function_names() {
    std::vector<std::string> names;
    for (const auto& [name, operations] : functions()) names.push_back(name);
    return names;
}

void count(std::vector<OperationCount>& operations, OperationClass operation, std::int64_t times) {
    const auto found = std::find_if(operations.begin(), operations.end(),
                                    [&](const OperationCount& one) { return one.operation == operation; });
    if (found == operations.end())
        operations.push_back({operation, times});
    else
        found->per_point = checked_add(found->per_point, times);
}

}  // namespace tilewright::cascade_text
