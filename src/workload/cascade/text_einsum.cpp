#include "workload/cascade/text_einsum.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"
#include "workload/cascade/canonical.hpp"

namespace tilewright::cascade_text {
namespace {

std::size_t place_of(const EinsumText& text) { return text.results.front().name.place; }

int dimension_index(const Source& source, Sizes& sizes, Einsum& einsum, const Word& name) {
    if (const int known = find_dimension(einsum, name.text); known >= 0) return known;
    einsum.dimensions.push_back({name.text, size_of(source, sizes, name)});
    return einsum.dimension_count() - 1;
}

Coordinate coordinate_of(const Source& source, Sizes& sizes, Einsum& einsum, const RankText& rank) {
    Coordinate coordinate{{}, rank.offset};
    for (const TermText& term : rank.terms) {
        const int dimension = dimension_index(source, sizes, einsum, term.dimension);
        for (const Term& other : coordinate.terms)
            if (other.dimension == dimension)
                source.fail(term.dimension.place, ErrorCode::bad_value,
                            "dimension '" + term.dimension.text + "' appears twice in one rank");
        coordinate.terms.push_back({dimension, term.coefficient});
    }
    return coordinate;
}

Interval reach_of(const Einsum& einsum, const Coordinate& coordinate) {
    Interval reach{coordinate.offset, coordinate.offset};
    for (const Term& term : coordinate.terms) {
        const std::int64_t last = einsum.dimensions[term.dimension].extent - 1;
        const std::int64_t step = checked_mul(term.coefficient, last);
        (step < 0 ? reach.low : reach.high) = checked_add(step < 0 ? reach.low : reach.high, step);
    }
    return reach;
}

std::string operand_name(const Einsum& einsum, const std::string& tensor) {
    std::string name = tensor;
    for (int i = 2; find_tensor(einsum, name) >= 0; ++i) name = tensor + "_" + std::to_string(i);
    return name;
}

// A tensor twice at the same place is one operand.
bool stands_already(const ReadEinsum& read, const Use& use) {
    const auto is_same = [&](const Coordinate& a, const Coordinate& b) {
        return in_one_form(read.einsum.einsum, a) == in_one_form(read.einsum.einsum, b);
    };
    return std::any_of(read.uses.begin(), read.uses.end(), [&](const Use& other) {
        return !use.written && other.text->name.text == use.text->name.text &&
               other.text->anywhere == use.text->anywhere &&
               std::equal(other.coordinates.begin(), other.coordinates.end(), use.coordinates.begin(),
                          use.coordinates.end(), is_same);
    });
}

void add_operand(const Source& source, Sizes& sizes, const TensorText& text, bool written, ReadEinsum& read) {
    Einsum& einsum = read.einsum.einsum;
    Use use{&text, written, {}, {}};
    Tensor own{operand_name(einsum, text.name.text), {}, written};
    for (const RankText& rank : text.ranks) {
        use.coordinates.push_back(coordinate_of(source, sizes, einsum, rank));
        use.reach.push_back(reach_of(einsum, use.coordinates.back()));
        own.ranks.push_back({use.coordinates.back().terms});
    }
    if (stands_already(read, use)) return;
    einsum.tensors.push_back(std::move(own));
    Access access;
    access.anywhere = text.anywhere;
    if (!text.anywhere) access.coordinates = use.coordinates;
    read.einsum.accesses.push_back(std::move(access));
    read.uses.push_back(std::move(use));
}

bool is_in_results(const Einsum& einsum, int dimension) {
    return std::any_of(einsum.tensors.begin(), einsum.tensors.end(),
                       [&](const Tensor& tensor) { return tensor.written && is_relevant(tensor, dimension); });
}

bool has_window(const Einsum& einsum) {
    for (const Tensor& tensor : einsum.tensors)
        for (const Rank& axis : tensor.ranks)
            for (const Rank& rank : own_ranks(einsum, {axis.terms}))
                if (!tensor.written && rank.terms.size() > 1) return true;
    return false;
}

EinsumKind kind_of(const Source& source, const EinsumText& text, const Einsum& einsum) {
    int reduced = -1;
    for (int d = 0; d < einsum.dimension_count(); ++d)
        if (!is_in_results(einsum, d)) reduced = d;
    if (reduced >= 0 && !text.accumulates)
        source.fail(place_of(text), ErrorCode::bad_value,
                    "the result does not have dimension '" + einsum.dimensions[reduced].name +
                        "': write += or max= to reduce over it");
    if (text.product) return EinsumKind::contraction;
    if (reduced >= 0) return has_window(einsum) ? EinsumKind::pooling : EinsumKind::statistics;
    return text.operations.empty() ? EinsumKind::copy : EinsumKind::elementwise;
}

void check(const Source& source, const EinsumText& text, const Einsum& einsum) {
    if (const std::string problem = problem_with(einsum); !problem.empty())
        source.fail(place_of(text), ErrorCode::unsupported, problem);
    operation_count(einsum);
    for (int t = 0; t < einsum.tensor_count(); ++t) tensor_words(einsum, t);
}

ReadEinsum read(const Source& source, Sizes& sizes, const EinsumText& text) {
    ReadEinsum read;
    // Results name the dimensions first, operands stand first.
    for (const TensorText& result : text.results)
        for (const RankText& rank : result.ranks) coordinate_of(source, sizes, read.einsum.einsum, rank);
    for (const TensorText& operand : text.operands) add_operand(source, sizes, operand, false, read);
    for (const TensorText& result : text.results) {
        if (result.anywhere)
            source.fail(result.name.place, ErrorCode::unsupported, "a result is not written anywhere: leave out '~'");
        add_operand(source, sizes, result, true, read);
    }
    if (read.einsum.einsum.dimensions.empty()) read.einsum.einsum.dimensions.push_back({"one", 1});
    check(source, text, read.einsum.einsum);
    read.einsum.name = text.label.text.empty() ? text.results.front().name.text : text.label.text;
    read.einsum.kind = kind_of(source, text, read.einsum.einsum);
    read.einsum.operations = text.operations;
    read.einsum.online = text.online;
    read.einsum.op = read.einsum.kind == EinsumKind::contraction ? "MatMul"
                     : text.function.empty()                     ? std::string(to_text(read.einsum.kind))
                                                                 : text.function;
    if (text.online && read.einsum.kind != EinsumKind::statistics)
        source.fail(place_of(text), ErrorCode::bad_value,
                    "only statistics of rows are online: a += or max= of one tensor over a dimension that the result "
                    "does not have");
    return read;
}

}  // namespace

std::int64_t size_of(const Source& source, Sizes& sizes, const Word& word) {
    const auto found = sizes.extents.find(word.text);
    if (found != sizes.extents.end()) {
        sizes.used.insert(word.text);
        return found->second;
    }
    std::vector<std::string> known;
    for (const auto& [name, extent] : sizes.extents) known.push_back(name);
    source.fail(word.place, ErrorCode::unknown_name,
                "no size is given for '" + word.text + "'" + did_you_mean(word.text, known));
}

ReadEinsum read_einsum(const Source& source, Sizes& sizes, const EinsumText& text) {
    try {
        return read(source, sizes, text);
    } catch (const OverflowError&) {
        source.fail(place_of(text), ErrorCode::overflow, "the einsum is too large to count in 64 bits");
    }
}

}  // namespace tilewright::cascade_text
