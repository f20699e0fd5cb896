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

namespace {

bool is_number(const Word& word) { return word.text.front() >= '0' && word.text.front() <= '9'; }

TensorRole role_by_use(const Known& tensor) {
    if (!tensor.is_written()) return TensorRole::input;
    return tensor.is_read() || tensor.is_carrying ? TensorRole::intermediate : TensorRole::output;
}

// Its writers' reach; of an outside tensor its readers' reach, with equal padding before and behind.
std::vector<std::int64_t> shape_by_use(const Known& tensor) {
    const std::size_t axes = tensor.uses.front()->reach.size();
    std::vector<std::int64_t> shape(axes, 1);
    for (const Use* use : tensor.uses) {
        if (use->text->anywhere && use != tensor.uses.front()) continue;
        if (use->written != tensor.is_written()) continue;
        for (std::size_t axis = 0; axis < axes; ++axis) {
            const Interval& reach = use->reach[axis];
            const std::int64_t padding = use->written ? 0 : std::max<std::int64_t>(-reach.low, 0);
            shape[axis] = std::max(shape[axis], checked_add(reach.high, 1) - padding);
        }
    }
    return shape;
}

// A window may reach into padding on both sides, and a stride may leave out the last words.
bool fits(const Use& use, std::size_t axis, std::int64_t extent, bool declared) {
    const Interval& reach = use.reach[axis];
    std::int64_t step = 1;
    for (const Term& term : use.coordinates[axis].terms)
        step = std::max(step, term.coefficient < 0 ? -term.coefficient : term.coefficient);
    const bool window = use.coordinates[axis].terms.size() > 1 && !use.written;
    if (window) {
        if (reach.high < 0 || reach.low >= extent) return false;
        return declared || (reach.high > extent - 1 - step && reach.high < 2 * extent);
    }
    if (reach.low < 0 || reach.high >= extent) return false;
    const bool plain = use.coordinates[axis].terms.size() == 1 && use.coordinates[axis].offset == 0;
    return declared || use.written || !plain || reach.high > extent - 1 - step;
}

}  // namespace

Known& TensorTable::tensor_of(const Word& name) {
    const auto [found, is_new] = by_name_.emplace(name.text, tensors_.size());
    if (is_new) tensors_.push_back({name.text, name.place});
    return tensors_[found->second];
}

Known& TensorTable::known(const Word& name) {
    const auto found = by_name_.find(name.text);
    if (found != by_name_.end()) return tensors_[found->second];
    std::vector<std::string> names;
    for (const Known& one : tensors_) names.push_back(one.name);
    source_.fail(name.place, ErrorCode::unknown_tensor,
                 "no statement has a tensor '" + name.text + "'" + did_you_mean(name.text, names));
}

void TensorTable::add_use(const Use& use) {
    Known& tensor = tensor_of(use.text->name);
    const auto end = tensor.uses.end();
    const auto first_read = std::find_if(tensor.uses.begin(), end, [](const Use* other) { return !other->written; });
    tensor.uses.insert(use.written ? first_read : end, &use);
}

void TensorTable::set_shape(Known& tensor, const DeclarationText::Shaped& shaped, Sizes& sizes) const {
    if (tensor.role || tensor.declared)
        source_.fail(shaped.name.place, ErrorCode::duplicate_key,
                     "tensor '" + shaped.name.text + "' is declared twice");
    tensor.declared = shaped.has_shape;
    if (!shaped.has_shape) return;
    tensor.shape.emplace();
    for (const Word& extent : shaped.shape)
        tensor.shape->push_back(is_number(extent) ? std::stoll(extent.text) : size_of(source_, sizes, extent));
}

void TensorTable::declare(const DeclarationText& declaration, Sizes& sizes) {
    for (const DeclarationText::Shaped& shaped : declaration.tensors) {
        Known& tensor = shaped.has_shape ? tensor_of(shaped.name) : known(shaped.name);
        set_shape(tensor, shaped, sizes);
        tensor.role = declaration.role;
    }
}

void TensorTable::declare_view(const ViewText& view, Sizes& sizes) {
    Known& of = known(view.of);
    of.has_views = true;
    Known& tensor = known(view.tensor.name);
    set_shape(tensor, view.tensor, sizes);
    tensor.role = TensorRole::input;
    tensor.view_of = index_of(view.of.text);
}

void TensorTable::carry(const CarryText& carry) {
    known(carry.made).is_carrying = true;
    static_cast<void>(known(carry.next));
}

void TensorTable::settle() {
    for (Known& tensor : tensors_) settle(tensor);
}

void TensorTable::settle(Known& tensor) const {
    if (!tensor.role) tensor.role = role_by_use(tensor);
    const bool outside = *tensor.role == TensorRole::input || *tensor.role == TensorRole::weight;
    if (outside && tensor.is_written())
        source_.fail(tensor.uses.front()->text->name.place, ErrorCode::bad_value,
                     "'" + tensor.name + "' is declared as " +
                         (*tensor.role == TensorRole::input ? "an input" : "a weight") + " and is not written");
    if (tensor.uses.empty() && !tensor.has_views)
        source_.fail(tensor.place, ErrorCode::unknown_tensor, "no statement uses tensor '" + tensor.name + "'");
    check_axes(tensor);
    if (!tensor.declared) tensor.shape = shape_by_use(tensor);
    for (const Use* use : tensor.uses) check_reach(tensor, *use, tensor.declared);
}

void TensorTable::check_axes(const Known& tensor) const {
    if (tensor.uses.empty()) return;
    const std::size_t axes = tensor.shape ? tensor.shape->size() : tensor.uses.front()->reach.size();
    for (const Use* use : tensor.uses)
        if (use->reach.size() != axes && !(use->text->anywhere && (tensor.shape || use != tensor.uses.front())))
            source_.fail(use->text->name.place, ErrorCode::bad_value,
                         "'" + tensor.name + "' has " + std::to_string(use->reach.size()) +
                             (use->reach.size() == 1 ? " axis" : " axes") + " here and " + std::to_string(axes) +
                             " elsewhere");
}

void TensorTable::check_reach(const Known& tensor, const Use& use, bool declared) const {
    if (use.text->anywhere) return;
    for (std::size_t axis = 0; axis < use.reach.size(); ++axis) {
        const Interval& reach = use.reach[axis];
        const std::int64_t extent = (*tensor.shape)[axis];
        if (fits(use, axis, extent, declared)) continue;
        const std::string words = std::to_string(reach.low) + " to " + std::to_string(reach.high);
        source_.fail(use.text->ranks[axis].place, ErrorCode::bad_value,
                     std::string(use.written ? "writes" : "reads") + " words " + words + " along axis " +
                         std::to_string(axis) + " of '" + tensor.name + "', which has " + std::to_string(extent) +
                         (declared              ? " as declared"
                          : tensor.is_written() ? " as its writer makes it"
                                                : " as others read it"));
    }
}

}  // namespace tilewright::cascade_text
