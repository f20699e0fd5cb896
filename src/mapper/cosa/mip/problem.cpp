#include "mapper/cosa/mip/problem.hpp"

#include <algorithm>
#include <cmath>

namespace tilewright::mip {
namespace {

// The same terms, each variable once, no zero coefficients.
std::vector<Term> gathered(std::vector<Term> terms) {
    std::stable_sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.variable < b.variable; });
    std::vector<Term> result;
    for (const Term& term : terms) {
        if (!result.empty() && result.back().variable == term.variable)
            result.back().coefficient += term.coefficient;
        else
            result.push_back(term);
    }
    std::erase_if(result, [](const Term& term) { return term.coefficient == 0.0; });
    return result;
}

Expression gathered(const Expression& expression) {
    Expression result(expression.constant());
    for (const Term& term : gathered(expression.terms())) result += Expression::of(term.variable, term.coefficient);
    return result;
}

}  // namespace

Expression Expression::of(int variable, double coefficient) {
    Expression expression;
    expression.terms_.push_back({variable, coefficient});
    return expression;
}

Expression& Expression::add(double factor, const Expression& other) {
    constant_ += factor * other.constant_;
    const std::size_t count = other.terms_.size();  // `other` may be this expression
    terms_.reserve(terms_.size() + count);
    for (std::size_t i = 0; i < count; ++i)
        terms_.push_back({other.terms_[i].variable, factor * other.terms_[i].coefficient});
    return *this;
}

Expression& Expression::operator+=(const Expression& other) { return add(1.0, other); }
Expression& Expression::operator-=(const Expression& other) { return add(-1.0, other); }

Expression& Expression::operator*=(double factor) {
    constant_ *= factor;
    for (Term& term : terms_) term.coefficient *= factor;
    return *this;
}

double Expression::at(const std::vector<double>& values) const {
    double value = constant_;
    for (const Term& term : terms_) value += term.coefficient * values[term.variable];
    return value;
}

int Program::add_continuous(double lower, double upper) {
    columns_.push_back({lower, upper, false, 0});
    return column_count() - 1;
}

int Program::add_integer(double lower, double upper, int priority) {
    columns_.push_back({lower, upper, true, priority});
    return column_count() - 1;
}

void Program::add_row(const Expression& expression, double lower, double upper) {
    rows_.push_back({gathered(expression.terms()), lower - expression.constant(), upper - expression.constant()});
}

void Program::minimise(const Expression& objective) { objective_ = gathered(objective); }

bool Program::holds(const std::vector<double>& values, double tolerance) const {
    if (values.size() != columns_.size()) return false;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const Column& column = columns_[i];
        if (!(values[i] >= column.lower - tolerance && values[i] <= column.upper + tolerance)) return false;
        if (column.integer && std::abs(values[i] - std::round(values[i])) > tolerance) return false;
    }
    return std::all_of(rows_.begin(), rows_.end(), [&](const Row& row) {
        double sum = 0.0;
        double size = 1.0;
        for (const Term& term : row.terms) {
            const double value = term.coefficient * values[term.variable];
            sum += value;
            size = std::max(size, std::abs(value));
        }
        return sum >= row.lower - tolerance * size && sum <= row.upper + tolerance * size;
    });
}

}  // namespace tilewright::mip
