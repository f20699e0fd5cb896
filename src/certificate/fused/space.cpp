#include "certificate/fused/space.hpp"

#include <set>

#include "base/numbers/factors.hpp"
#include "model/fused/windows.hpp"

namespace tilewright::certificate::fused_proof {
namespace {

constexpr int kSeveral = -2;

int axis_moved_by(const Access& access, int dimension) {
    int axis = -1;
    for (std::size_t a = 0; a < access.coordinates.size(); ++a)
        for (const Term& term : access.coordinates[a].terms)
            if (term.dimension == dimension) axis = axis < 0 && axis != kSeveral ? static_cast<int>(a) : kSeveral;
    return axis;
}

bool is_one_dimension(const Coordinate& coordinate) {
    return coordinate.terms.size() == 1 && coordinate.terms[0].coefficient == 1 && coordinate.offset == 0;
}

Moves moves_of(const Access& access, const Driven& driven, Operand& operand) {
    if (access.anywhere) return Moves::otherwise;
    std::set<int> axes;
    int moving = 0;
    int loops = 0;
    for (std::size_t k = 0; k < 2; ++k) {
        if (driven[k] < 0) continue;
        ++loops;
        operand.axes[k] = axis_moved_by(access, driven[k]);
        if (operand.axes[k] == kSeveral) return Moves::otherwise;
        if (operand.axes[k] < 0) continue;
        ++moving;
        axes.insert(operand.axes[k]);
    }
    if (static_cast<int>(axes.size()) != moving) return Moves::otherwise;  // both along one axis
    if (moving == loops) return Moves::with_all;
    if (moving == 0) return Moves::never;
    const bool is_apart = operand.axes[0] >= 0 && is_one_dimension(access.coordinates[place(operand.axes[0])]);
    return is_apart ? Moves::with_outer : Moves::otherwise;
}

// 0: none.
std::int64_t smallest_step(const Einsum& einsum, const Coordinate& coordinate) {
    std::int64_t smallest = 0;
    for (const Term& term : coordinate.terms)
        if (einsum.dimensions[place(term.dimension)].extent > 1 && (smallest == 0 || term.coefficient < smallest))
            smallest = term.coefficient;
    return smallest;
}

void count_words_each(const CascadeEinsum& one, int number, const CascadeTensor& tensor, Operand& operand) {
    const auto box = fused::touched(one, number, fused::all_iterations(one.einsum), tensor);
    if (!box) return;
    operand.whole = true;
    for (int a = 0; a < static_cast<int>(tensor.shape.size()); ++a) {
        if (a == operand.axes[0] || a == operand.axes[1]) continue;
        const std::int64_t width = (*box)[place(a)].high - (*box)[place(a)].low + 1;
        operand.words_each *= width;
        if (width != tensor.shape[place(a)]) operand.whole = false;
    }
}

}  // namespace

Space::Space(const Cascade& cascade) : cascade_(cascade), wanted_elsewhere_(cascade.tensors.size(), false) {
    for (const CascadeTensor& tensor : cascade.tensors) {
        image_.emplace_back(tensor.shape.size(), false);
        for (const int other : {tensor.carried_from, tensor.view_of})
            if (other >= 0) wanted_elsewhere_[place(other)] = true;
    }
    mark_images();
}

std::vector<Operand> Space::operands(int e, const Driven& driven) const {
    const CascadeEinsum& one = cascade_.einsums[place(e)];
    std::vector<Operand> all;
    for (int t = 0; t < one.einsum.tensor_count(); ++t) {
        const Access& access = one.accesses[place(t)];
        Operand operand{access.tensor, one.einsum.tensors[place(t)].written};
        operand.moves = moves_of(access, driven, operand);
        if (!access.anywhere) count_words_each(one, t, tensor(access.tensor), operand);
        all.push_back(operand);
    }
    return all;
}

// Two dimensions that count like digits, 64 h + e over all of an axis, are two axes in one; other sums are windows.
bool Space::is_summed_place(const Coordinate& coordinate, const Einsum& einsum, std::int64_t extent) const {
    if (coordinate.terms.size() == 1) return coordinate.terms[0].coefficient > 1;
    if (coordinate.terms.size() != 2) return false;
    const auto width = [&](const Term& term) { return einsum.dimensions[place(term.dimension)].extent; };
    for (const std::size_t low : {0U, 1U}) {
        const Term& digit = coordinate.terms[low];
        const Term& rest = coordinate.terms[1 - low];
        if (coordinate.offset == 0 && digit.coefficient == 1 && rest.coefficient == width(digit) &&
            rest.coefficient * width(rest) == extent)
            return false;
    }
    return true;
}

void Space::mark_images() {
    for (const CascadeEinsum& one : cascade_.einsums)
        for (const Access& access : one.accesses)
            for (std::size_t a = 0; a < access.coordinates.size(); ++a)
                if (is_summed_place(access.coordinates[a], one.einsum, tensor(access.tensor).shape[a]))
                    image_[place(access.tensor)][a] = true;
    const auto spread = [&](const CascadeEinsum& one, const Access& from, std::size_t a) {
        bool more = false;
        for (const Term& term : from.coordinates[a].terms)
            for (const Access& to : one.accesses) {
                const int axis = axis_moved_by(to, term.dimension);
                const CascadeTensor& other = tensor(to.tensor);
                const bool is_weight = other.writers.empty() && other.role != TensorRole::input;
                if (axis < 0 || is_weight || image_[place(to.tensor)][place(axis)]) continue;
                image_[place(to.tensor)][place(axis)] = more = true;
            }
        return more;
    };
    for (bool more = true; more;) {
        more = false;
        for (const CascadeEinsum& one : cascade_.einsums)
            for (const Access& access : one.accesses)
                for (std::size_t a = 0; a < access.coordinates.size(); ++a)
                    if (image_[place(access.tensor)][a] && spread(one, access, a)) more = true;
    }
}

std::vector<LoopPair> Space::loops(int e) const {
    const CascadeEinsum& one = cascade_.einsums[place(e)];
    std::vector<int> images;
    std::vector<int> rows;
    for (int d = 0; d < one.einsum.dimension_count(); ++d) {
        bool in_all_results = true, in_image = false, from_elsewhere = false;
        for (int t = 0; t < one.einsum.tensor_count(); ++t) {
            const int axis = axis_moved_by(one.accesses[place(t)], d);
            const int number = one.accesses[place(t)].tensor;
            if (one.einsum.tensors[place(t)].written) {
                in_all_results = in_all_results && axis >= 0 && dimension_on(e, t, axis) == d;
                in_image = in_image || (axis >= 0 && image_[place(number)][place(axis)]);
            } else if (axis >= 0 && (!tensor(number).writers.empty() || tensor(number).role == TensorRole::input)) {
                from_elsewhere = true;
            }
        }
        if (in_all_results && in_image) images.push_back(d);
        if (in_all_results && from_elsewhere && one.einsum.dimensions[place(d)].extent > 1) rows.push_back(d);
    }
    if (images.size() == 1) return {{{images[0], -1}, true}};
    std::vector<LoopPair> all;
    for (std::size_t i = 0; i < images.size(); ++i)
        for (std::size_t k = i + 1; k < images.size(); ++k) all.push_back({{images[i], images[k]}, true});
    if (!all.empty()) return all;
    all.push_back({});
    for (const int outer : rows) {
        all.push_back({{outer, -1}});
        for (const int inner : rows)
            if (inner != outer) all.push_back({{outer, inner}});
    }
    return all;
}

std::vector<std::int64_t> Space::steps(int e, int dimension, bool may_be_one_step) const {
    if (dimension < 0) return {1};
    std::vector<std::int64_t> all = divisors(einsum(e).dimensions[place(dimension)].extent);
    if (!may_be_one_step) all.pop_back();
    return all;
}

int Space::earliest(int e) const {
    int earliest = 0;
    for (const Block& block : cascade_.blocks) {
        if (block.first <= e) earliest = block.first;
        if (block.end <= e) earliest = block.end;
    }
    return earliest;
}

int Space::dimension_on(int e, int operand, int axis) const {
    const Access& access = cascade_.einsums[place(e)].accesses[place(operand)];
    if (access.anywhere || !is_one_dimension(access.coordinates[place(axis)])) return -1;
    return access.coordinates[place(axis)].terms[0].dimension;
}

bool Space::may_stay(int number, int last) const {
    const CascadeTensor& one = tensor(number);
    return one.role == TensorRole::intermediate && one.writers.size() == 1 && !one.readers.empty() &&
           one.readers.back().einsum <= last && !wanted_elsewhere_[place(number)];
}

bool Space::is_private(int number) const {
    return tensor(number).writers.empty() && tensor(number).readers.size() == 1;
}

std::string problem_with_einsums(const Cascade& cascade) {
    constexpr std::int64_t kLongest = std::int64_t{1} << 24;  // steps and places are listed
    for (const CascadeTensor& tensor : cascade.tensors)
        for (const std::int64_t extent : tensor.shape)
            if (extent > kLongest) return "'" + tensor.name + "' has an axis of more than 2^24 words";
    for (const CascadeEinsum& one : cascade.einsums)
        for (const Dimension& dimension : one.einsum.dimensions)
            if (dimension.extent > kLongest) return "'" + one.name + "' has a dimension of more than 2^24";
    for (const CascadeEinsum& one : cascade.einsums)
        for (int t = 0; t < one.einsum.tensor_count(); ++t)
            for (const Coordinate& coordinate : one.accesses[place(t)].coordinates)
                if (one.einsum.tensors[place(t)].written && smallest_step(one.einsum, coordinate) > 1)
                    return "'" + one.einsum.tensors[place(t)].name + "' of '" + one.name + "' is a result with gaps";
    for (const CascadeEinsum& one : cascade.einsums)
        for (const Tensor& tensor : one.einsum.tensors) {
            std::set<int> seen;
            const std::string name = "'" + tensor.name + "' of '" + one.name + "' ";
            for (const Rank& rank : tensor.ranks) {
                if (tensor.written && rank.terms.size() > 1) return name + "is a result with windows";
                for (const Term& term : rank.terms) {
                    if (term.coefficient < 0) return name + "is read backwards";
                    if (tensor.written && term.coefficient != 1) return name + "is a result with windows";
                    if (!seen.insert(term.dimension).second) return name + "has a dimension twice";
                }
            }
        }
    return "";
}

}  // namespace tilewright::certificate::fused_proof
