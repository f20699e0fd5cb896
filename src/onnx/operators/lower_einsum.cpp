// The Einsum operator. Two operands with matrix-product indices become a product, as MatMul does; other contractions of
// two or more operands keep their indices as dimensions. Expressions without a product, or with a diagonal, are not
// mapped.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "base/numbers/checked.hpp"
#include "onnx/operators/lower.hpp"
#include "workload/shapes.hpp"

namespace tilewright::onnx {
namespace {

/// Index names of the operands and the result. Axes of an ellipsis are named "E0", "E1" from the right.
using Indices = std::vector<std::string>;

struct Equation {
    std::vector<Indices> operands;
    Indices result;
    std::map<std::string, std::int64_t> extents;
};

struct Terms {
    std::vector<std::string> operands;
    std::optional<std::string> result;
};

Terms split(const Operator& op, std::string text) {
    std::erase(text, ' ');
    Terms terms;
    if (const std::size_t arrow = text.find("->"); arrow != std::string::npos) {
        terms.result = text.substr(arrow + 2);
        text.resize(arrow);
    }
    for (std::size_t start = 0;;) {
        const std::size_t comma = text.find(',', start);
        terms.operands.push_back(text.substr(start, comma - start));
        if (comma == std::string::npos) break;
        start = comma + 1;
    }
    if (static_cast<int>(terms.operands.size()) != op.node().input_size())
        op.fail(ErrorCode::bad_value, "the equation has " + std::to_string(terms.operands.size()) +
                                          " operands, the node " + std::to_string(op.node().input_size()));
    return terms;
}

/// Indices of the equation are single letters; only an ellipsis' are longer.
bool is_hidden(const std::string& index) { return index.size() > 1; }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// "b...ij" with `hidden` axes behind the ellipsis.
Indices read_term(const Operator& op, const std::string& term, std::size_t hidden) {
    Indices indices;
    for (std::size_t i = 0; i < term.size(); ++i) {
        if (is_letter(term[i])) {
            indices.emplace_back(1, term[i]);
        } else if (term.compare(i, 3, "...") == 0) {
            for (std::size_t k = hidden; k-- > 0;) indices.push_back("E" + std::to_string(k));
            i += 2;
        } else {
            op.fail(ErrorCode::syntax,
                    "the equation's term " + in_quotes(term) + " has a " + in_quotes(term.substr(i, 1)));
        }
    }
    return indices;
}

void read_operand(const Operator& op, const std::string& term, int input, Equation& equation) {
    const Extents extents = op.input(input);
    const std::size_t dots = term.find("...");
    const std::size_t letters = term.size() - (dots == std::string::npos ? 0 : 3);
    if (letters > extents.size() || (dots == std::string::npos && letters != extents.size()))
        op.fail(ErrorCode::bad_value,
                "the equation's term " + in_quotes(term) + " does not fit the shape " + shape_text(extents));
    Indices indices = read_term(op, term, extents.size() - letters);
    if (indices.size() != extents.size())
        op.fail(ErrorCode::bad_value,
                "the equation's term " + in_quotes(term) + " does not fit the shape " + shape_text(extents));
    Indices kept;
    for (std::size_t axis = 0; axis < indices.size(); ++axis) {
        std::int64_t& known = equation.extents.emplace(indices[axis], extents[axis]).first->second;
        if (known == 1) known = extents[axis];
        if (extents[axis] != known && extents[axis] != 1)
            op.fail(ErrorCode::bad_value, "index " + in_quotes(indices[axis]) + " has extents " +
                                              std::to_string(known) + " and " + std::to_string(extents[axis]));
        kept.push_back(indices[axis]);
    }
    equation.operands.push_back(std::move(kept));
}

/// An operand is independent of an index broadcast along its axis of extent 1.
void drop_broadcast_axes(const Operator& op, Equation& equation) {
    for (std::size_t k = 0; k < equation.operands.size(); ++k) {
        const Extents extents = op.input(static_cast<int>(k));
        Indices kept;
        for (std::size_t axis = 0; axis < extents.size(); ++axis)
            if (extents[axis] == equation.extents.at(equation.operands[k][axis]))
                kept.push_back(equation.operands[k][axis]);
        equation.operands[k] = std::move(kept);
    }
}

Indices implied_result(const Terms& terms, const Equation& equation) {
    std::map<char, int> uses;
    for (const std::string& term : terms.operands)
        for (const char c : term)
            if (is_letter(c)) ++uses[c];
    Indices result;
    for (const auto& [index, extent] : equation.extents)
        if (is_hidden(index)) result.insert(result.begin(), index);
    for (const auto& [letter, count] : uses)
        if (count == 1) result.emplace_back(1, letter);
    return result;
}

std::size_t hidden_axes(const Equation& equation) {
    return static_cast<std::size_t>(std::count_if(equation.extents.begin(), equation.extents.end(),
                                                  [](const auto& entry) { return is_hidden(entry.first); }));
}

bool repeats(const Indices& indices) {
    return std::set<std::string>(indices.begin(), indices.end()).size() != indices.size();
}

bool has(const Indices& indices, const std::string& index) {
    return std::find(indices.begin(), indices.end(), index) != indices.end();
}

Equation read_equation(const Operator& op) {
    const Attributes attributes(op.node(), op.file(), {"equation"});
    const Terms terms = split(op, attributes.text("equation", ""));
    Equation equation;
    for (std::size_t k = 0; k < terms.operands.size(); ++k)
        read_operand(op, terms.operands[k], static_cast<int>(k), equation);
    equation.result =
        terms.result ? read_term(op, *terms.result, hidden_axes(equation)) : implied_result(terms, equation);
    for (const std::string& index : equation.result)
        if (!equation.extents.contains(index))
            op.fail(ErrorCode::bad_value,
                    "the equation's result has an index " + in_quotes(index) + " that no operand has");
    drop_broadcast_axes(op, equation);
    return equation;
}

/// The product of two operands; empty if an index is reduced in one operand alone.
std::optional<Einsum> as_product(const Equation& equation, bool first_is_weights) {
    std::int64_t shared = 1, rows = 1, inner = 1, columns = 1;
    for (const auto& [index, extent] : equation.extents) {
        const bool first = has(equation.operands[0], index);
        const bool second = has(equation.operands[1], index);
        const bool kept = has(equation.result, index);
        if (extent == 1) continue;
        if (!kept && !(first && second)) return std::nullopt;
        std::int64_t& part = !kept ? inner : first && second ? shared : first ? rows : columns;
        part = checked_mul(part, extent);
    }
    if (first_is_weights) std::swap(rows, columns);
    return batched_matmul(shared, rows, inner, columns);
}

Rank index_rank(const Einsum& einsum, const std::string& index) { return {{{find_dimension(einsum, index), 1}}}; }

Tensor tensor_of(const Einsum& einsum, std::string name, const Indices& indices, bool written) {
    Tensor tensor{std::move(name), {}, written};
    for (const std::string& index : indices) tensor.ranks.push_back(index_rank(einsum, index));
    return tensor;
}

/// The first non-constant operand is Inputs, the first other one Weights.
std::vector<int> operands_by_role(const Operator& op, std::size_t count) {
    std::vector<int> operands(count);
    std::iota(operands.begin(), operands.end(), 0);
    const auto move_to = [&](std::ptrdiff_t place, bool constant) {
        const auto begin = operands.begin() + place;
        const auto found = std::find_if(begin, operands.end(), [&](int k) { return op.is_constant(k) == constant; });
        if (found != operands.end()) std::rotate(begin, found, found + 1);
    };
    move_to(0, false);
    move_to(1, true);
    return operands;
}

/// Any other contraction, index by index.
Einsum as_general(const Equation& equation, const std::vector<int>& operands) {
    Einsum einsum;
    for (const auto& [index, extent] : equation.extents) einsum.dimensions.push_back({index, extent});
    for (std::size_t k = 0; k < equation.operands.size(); ++k) {
        const std::string name = k == 0 ? "Inputs" : k == 1 ? "Weights" : "Weights" + std::to_string(k);
        einsum.tensors.push_back(tensor_of(einsum, name, equation.operands[operands[k]], false));
    }
    einsum.tensors.push_back(tensor_of(einsum, "Outputs", equation.result, true));
    einsum.name = "einsum";
    for (const Dimension& dimension : einsum.dimensions)
        einsum.name += "_" + dimension.name + std::to_string(dimension.extent);
    for (const Tensor& tensor : einsum.tensors) {
        einsum.name += "_";
        for (const Rank& rank : tensor.ranks) einsum.name += einsum.dimensions[rank.terms[0].dimension].name;
    }
    return einsum;
}

}  // namespace

Lowered lower_einsum(const Operator& op) {
    const Equation equation = read_equation(op);
    if (equation.operands.size() < 2) return NotMapped{"an einsum of one operand multiplies nothing"};
    if (repeats(equation.result) || std::any_of(equation.operands.begin(), equation.operands.end(), repeats))
        return NotMapped{"an einsum that takes a diagonal"};
    if (equation.operands.size() == 2) {
        const bool first_is_weights = op.is_constant(0) && !op.is_constant(1);
        if (std::optional<Einsum> product = as_product(equation, first_is_weights))
            return Contraction{*std::move(product), {first_is_weights ? 0 : 1, first_is_weights ? 1 : 0}};
    }
    std::vector<int> operands = operands_by_role(op, equation.operands.size());
    Einsum einsum = as_general(equation, operands);
    return Contraction{std::move(einsum), std::move(operands)};
}

}  // namespace tilewright::onnx
