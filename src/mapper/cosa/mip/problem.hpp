// Program: a mixed-integer linear program to be minimised, a value independent of any solver.
//
//     mip::Program problem;
//     const int x = problem.add_integer(0, 10);
//     const int y = problem.add_integer(0, 10);
//     problem.add_row(2.0 * mip::Expression::of(x) + mip::Expression::of(y), -kInfinity, 7.0);
//     problem.minimise(-1.0 * mip::Expression::of(x));
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace tilewright::mip {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Term {
    int variable = 0;
    double coefficient = 0.0;
};

/// constant + a sum of terms; a variable may occur several times until the expression enters a problem.
class Expression {
   public:
    Expression() = default;
    explicit Expression(double constant) : constant_(constant) {}
    static Expression of(int variable, double coefficient = 1.0);

    Expression& operator+=(const Expression& other);
    Expression& operator-=(const Expression& other);
    Expression& operator*=(double factor);
    /// this += factor * other
    Expression& add(double factor, const Expression& other);

    const std::vector<Term>& terms() const { return terms_; }
    double constant() const { return constant_; }
    bool is_constant() const { return terms_.empty(); }

    double at(const std::vector<double>& values) const;

   private:
    std::vector<Term> terms_;
    double constant_ = 0.0;
};

inline Expression operator+(Expression a, const Expression& b) { return a += b; }
inline Expression operator-(Expression a, const Expression& b) { return a -= b; }
inline Expression operator*(double factor, Expression a) { return a *= factor; }

struct Column {
    double lower = 0.0;
    double upper = kInfinity;
    bool integer = false;
    int priority = 0;  ///< smaller is branched on first
};

/// lower <= sum of terms <= upper; every variable occurs once.
struct Row {
    std::vector<Term> terms;
    double lower = -kInfinity;
    double upper = kInfinity;
};

class Program {
   public:
    int add_continuous(double lower, double upper);
    int add_integer(double lower, double upper, int priority = 0);
    int add_binary(int priority = 0) { return add_integer(0.0, 1.0, priority); }

    /// lower <= expression <= upper. A violated expression without variables makes the problem infeasible.
    void add_row(const Expression& expression, double lower, double upper);
    void add_equal(const Expression& a, const Expression& b) { add_row(a - b, 0.0, 0.0); }
    void add_at_most(const Expression& a, const Expression& b) { add_row(a - b, -kInfinity, 0.0); }

    void minimise(const Expression& objective);

    int column_count() const { return static_cast<int>(columns_.size()); }
    int row_count() const { return static_cast<int>(rows_.size()); }
    const std::vector<Column>& columns() const { return columns_; }
    const std::vector<Row>& rows() const { return rows_; }
    /// Every variable occurs once.
    const Expression& objective() const { return objective_; }

    /// `values` meet all bounds, integrality and rows up to `tolerance` (relative to the size of a row's terms).
    bool holds(const std::vector<double>& values, double tolerance) const;

   private:
    std::vector<Column> columns_;
    std::vector<Row> rows_;
    Expression objective_;
};

}  // namespace tilewright::mip
