#include "zigzag/files/equation.hpp"

#include "base/scanner.hpp"
#include "zigzag/files/words.hpp"

namespace tilewright::zigzag {
namespace {

class EquationScanner {
   public:
    explicit EquationScanner(const yaml::Node& node) : node_(node), text_(node.text()), scanner_(text_) {}

    bool accept(char c) { return scanner_.accept(c); }
    void expect(char c) {
        if (!accept(c)) fail(std::string("expected '") + c + "'");
    }
    bool finished() { return scanner_.finished(); }
    bool at_digit() { return !finished() && scanner_.at_digit(); }

    std::string name(const std::string& what) {
        if (finished() || scanner_.name_here().empty()) fail("expected " + what);
        return std::string(scanner_.name());
    }

    std::int64_t number() { return positive_number(std::string(scanner_.skip("0123456789")), node_); }

    [[noreturn]] void fail(const std::string& what) const {
        const std::string rest(scanner_.rest());
        node_.fail(ErrorCode::syntax, what + (rest.empty() ? " at the end" : " before '" + rest + "'"));
    }

   private:
    const yaml::Node& node_;
    const std::string text_;
    Scanner scanner_;
};

EquationOperand operand(EquationScanner& scanner) {
    EquationOperand operand{scanner.name("the name of an operand"), {}};
    while (scanner.accept('['))
        if (!scanner.accept(']')) {
            operand.axes.push_back(upper_case(scanner.name("the name of a dimension")));
            scanner.expect(']');
        }
    return operand;
}

/// "2*ox" or "ox"
std::string term(EquationScanner& scanner, std::int64_t& step) {
    if (scanner.at_digit()) {
        step = scanner.number();
        scanner.expect('*');
    }
    return upper_case(scanner.name("the name of a dimension"));
}

}  // namespace

std::vector<EquationOperand> parse_equation(const yaml::Node& node) {
    EquationScanner scanner(node);
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
    EquationScanner scanner(node);
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
