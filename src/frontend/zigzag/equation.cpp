#include "frontend/zigzag/equation.hpp"

#include "frontend/zigzag/words.hpp"

namespace tilewright::zigzag {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// Reads one scalar from left to right.
class Scanner {
   public:
    explicit Scanner(const yaml::Node& node) : node_(node), text_(node.text()) {}

    bool accept(char c) {
        skip_blanks();
        if (place_ == text_.size() || text_[place_] != c) return false;
        ++place_;
        return true;
    }

    void expect(char c) {
        if (!accept(c)) fail(std::string("expected '") + c + "'");
    }

    bool at_digit() {
        skip_blanks();
        return place_ < text_.size() && is_digit(text_[place_]);
    }

    bool finished() {
        skip_blanks();
        return place_ == text_.size();
    }

    std::string name(const std::string& what) {
        skip_blanks();
        const std::size_t begin = place_;
        while (place_ < text_.size() && (is_letter(text_[place_]) || (place_ > begin && is_digit(text_[place_]))))
            ++place_;
        if (place_ == begin) fail("expected " + what);
        return text_.substr(begin, place_ - begin);
    }

    std::int64_t number() {
        const std::size_t begin = place_;
        while (place_ < text_.size() && is_digit(text_[place_])) ++place_;
        return positive_number(text_.substr(begin, place_ - begin), node_);
    }

    [[noreturn]] void fail(const std::string& what) const {
        const std::string rest = text_.substr(place_);
        node_.fail(ErrorCode::syntax, what + (rest.empty() ? " at the end" : " before '" + rest + "'"));
    }

   private:
    void skip_blanks() {
        while (place_ < text_.size() && (text_[place_] == ' ' || text_[place_] == '\n' || text_[place_] == '\t'))
            ++place_;
    }

    const yaml::Node& node_;
    std::string text_;
    std::size_t place_ = 0;
};

EquationOperand operand(Scanner& scanner) {
    EquationOperand operand{scanner.name("the name of an operand"), {}};
    while (scanner.accept('['))
        if (!scanner.accept(']')) {
            operand.axes.push_back(upper_case(scanner.name("the name of a dimension")));
            scanner.expect(']');
        }
    return operand;
}

/// "2*ox" or "ox"
std::string term(Scanner& scanner, std::int64_t& step) {
    if (scanner.at_digit()) {
        step = scanner.number();
        scanner.expect('*');
    }
    return upper_case(scanner.name("the name of a dimension"));
}

}  // namespace

std::vector<EquationOperand> parse_equation(const yaml::Node& node) {
    Scanner scanner(node);
    std::vector<EquationOperand> operands{operand(scanner)};
    scanner.accept('+');
    scanner.expect('=');
    operands.push_back(operand(scanner));
    while (!scanner.finished()) {
        if (!scanner.accept('*') && !scanner.accept('+')) scanner.fail("expected '*', '+' or the end");
        operands.push_back(operand(scanner));
    }
    return operands;
}

Relation parse_relation(const yaml::Node& node) {
    Scanner scanner(node);
    Relation relation;
    relation.name = upper_case(scanner.name("the name of a data dimension"));
    scanner.expect('=');
    relation.first = term(scanner, relation.first_step);
    scanner.expect('+');
    relation.second = term(scanner, relation.second_step);
    if (!scanner.finished()) scanner.fail("expected the end");
    return relation;
}

}  // namespace tilewright::zigzag
