#include "workload/cascade/cascade.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "base/numbers/checked.hpp"

namespace tilewright {
namespace {

template <typename Things>
int index_of(const Things& things, std::string_view name) {
    const auto found = std::find_if(things.begin(), things.end(), [&](const auto& one) { return one.name == name; });
    return found == things.end() ? -1 : static_cast<int>(found - things.begin());
}

Interval along(const Coordinate& coordinate, const std::vector<Interval>& dimensions, std::int64_t extent) {
    Interval reach{coordinate.offset, coordinate.offset};
    for (const Term& term : coordinate.terms) {
        const Interval& moved = dimensions[term.dimension];
        const bool forward = term.coefficient > 0;
        reach.low = checked_add(reach.low, checked_mul(term.coefficient, forward ? moved.low : moved.high));
        reach.high = checked_add(reach.high, checked_mul(term.coefficient, forward ? moved.high : moved.low));
    }
    return {std::max<std::int64_t>(reach.low, 0), std::min(reach.high, extent - 1)};
}

}  // namespace

std::string_view to_text(TensorRole role) {
    constexpr std::array<std::string_view, 5> kNames{"input", "weight", "cache", "intermediate", "output"};
    return kNames.at(static_cast<std::size_t>(role));
}

std::string_view to_text(EinsumKind kind) {
    constexpr std::array<std::string_view, 5> kNames{"contraction", "elementwise", "pooling", "statistics", "copy"};
    return kNames.at(static_cast<std::size_t>(kind));
}

std::string_view to_text(OperationClass operation) {
    constexpr std::array<std::string_view, kOperationClasses> kNames{"multiply-add", "add", "multiply", "divide",
                                                                     "exponential"};
    return kNames.at(static_cast<std::size_t>(operation));
}

int find_tensor(const Cascade& cascade, std::string_view name) { return index_of(cascade.tensors, name); }
int find_einsum(const Cascade& cascade, std::string_view name) { return index_of(cascade.einsums, name); }

std::int64_t repeats_of(const Cascade& cascade, int einsum) {
    for (const Block& block : cascade.blocks)
        if (block.first <= einsum && einsum < block.end) return block.count;
    return 1;
}

std::int64_t words_of(const CascadeTensor& tensor) {
    std::int64_t words = 1;
    for (const std::int64_t extent : tensor.shape) words = checked_mul(words, extent);
    return words;
}

std::vector<Interval> reached(const Access& access, const std::vector<Interval>& dimensions,
                              const CascadeTensor& tensor) {
    std::vector<Interval> box;
    box.reserve(tensor.shape.size());
    for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
        const std::int64_t extent = tensor.shape[axis];
        box.push_back(access.anywhere ? Interval{0, extent - 1} : along(access.coordinates[axis], dimensions, extent));
    }
    return box;
}

// Checks of a cascade. Each returns its words, "" without a finding.

namespace {

std::string quoted(const std::string& name) { return "'" + name + "'"; }

std::vector<Interval> whole_box(const Einsum& einsum) {
    std::vector<Interval> box;
    for (const Dimension& dimension : einsum.dimensions) box.push_back({0, dimension.extent - 1});
    return box;
}

const Access& access_of(const Cascade& cascade, const TensorUse& use) {
    return cascade.einsums[use.einsum].accesses[use.operand];
}

const std::string& name_of(const Cascade& cascade, const TensorUse& use) { return cascade.einsums[use.einsum].name; }

std::vector<Interval> reached_by(const Cascade& cascade, const CascadeTensor& tensor, const TensorUse& use) {
    return reached(access_of(cascade, use), whole_box(cascade.einsums[use.einsum].einsum), tensor);
}

bool is_empty(const std::vector<Interval>& box) {
    return std::any_of(box.begin(), box.end(), [](const Interval& side) { return side.empty(); });
}

bool overlap(const std::vector<Interval>& a, const std::vector<Interval>& b) {
    for (std::size_t axis = 0; axis < a.size(); ++axis)
        if (a[axis].low > b[axis].high || b[axis].low > a[axis].high) return false;
    return true;
}

std::int64_t volume(const std::vector<Interval>& box) {
    std::int64_t words = 1;
    for (const Interval& side : box) words = checked_mul(words, side.high - side.low + 1);
    return words;
}

std::string problem_with_access(const Cascade& cascade, const CascadeEinsum& one, std::size_t operand) {
    const Access& access = one.accesses[operand];
    const Tensor& own = one.einsum.tensors[operand];
    const std::string what = "operand " + quoted(own.name) + " of einsum " + quoted(one.name);
    if (access.tensor < 0 || access.tensor >= cascade.tensor_count()) return what + " stands for no tensor";
    const CascadeTensor& tensor = cascade.tensors[access.tensor];
    if (own.bits != tensor.bits)
        return what + " has words of " + std::to_string(own.bits) + " bits, tensor " + quoted(tensor.name) + " of " +
               std::to_string(tensor.bits);
    if (access.anywhere) return access.coordinates.empty() ? "" : what + " is read anywhere and at coordinates at once";
    if (access.coordinates.size() != tensor.shape.size())
        return what + " has " + std::to_string(access.coordinates.size()) + " coordinates, tensor " +
               quoted(tensor.name) + " has " + std::to_string(tensor.shape.size()) + " axes";
    for (const Coordinate& coordinate : access.coordinates)
        for (const Term& term : coordinate.terms)
            if (term.dimension < 0 || term.dimension >= one.einsum.dimension_count() || term.coefficient == 0)
                return what + " has a coordinate over a dimension that does not exist, or none of it";
    return "";
}

std::string problem_with_einsum(const Cascade& cascade, const CascadeEinsum& one) {
    if (std::string problem = problem_with(one.einsum); !problem.empty())
        return "einsum " + quoted(one.name) + ": " + problem;
    if (one.accesses.size() != one.einsum.tensors.size())
        return "einsum " + quoted(one.name) + " has " + std::to_string(one.einsum.tensors.size()) + " operands and " +
               std::to_string(one.accesses.size()) + " accesses";
    for (std::size_t operand = 0; operand < one.accesses.size(); ++operand)
        if (std::string problem = problem_with_access(cascade, one, operand); !problem.empty()) return problem;
    return "";
}

// A tensor's listed uses equal the einsums'.
std::string problem_with_uses(const Cascade& cascade) {
    std::vector<std::vector<TensorUse>> writers(cascade.tensors.size());
    std::vector<std::vector<TensorUse>> readers(cascade.tensors.size());
    for (int i = 0; i < cascade.einsum_count(); ++i) {
        const CascadeEinsum& one = cascade.einsums[i];
        for (std::size_t operand = 0; operand < one.accesses.size(); ++operand) {
            auto& uses = one.einsum.tensors[operand].written ? writers : readers;
            uses[one.accesses[operand].tensor].push_back({i, static_cast<int>(operand)});
        }
    }
    for (std::size_t t = 0; t < cascade.tensors.size(); ++t)
        if (cascade.tensors[t].writers != writers[t] || cascade.tensors[t].readers != readers[t])
            return "tensor " + quoted(cascade.tensors[t].name) + " lists other uses than the einsums have";
    return "";
}

// By a view of it, or by the next repeat of its block.
bool is_used_by_another(const Cascade& cascade, const CascadeTensor& tensor) {
    const auto index = static_cast<int>(&tensor - cascade.tensors.data());
    return std::any_of(cascade.tensors.begin(), cascade.tensors.end(), [&](const CascadeTensor& other) {
        return other.view_of == index || other.carried_from == index;
    });
}

std::string problem_with_role(const Cascade& cascade, const CascadeTensor& tensor) {
    if (tensor.view_of >= cascade.tensor_count()) return "tensor " + quoted(tensor.name) + " is a view of none";
    const bool used = !tensor.readers.empty() || is_used_by_another(cascade, tensor);
    const bool outside = tensor.role == TensorRole::input || tensor.role == TensorRole::weight;
    const std::string what = std::string(to_text(tensor.role)) + " " + quoted(tensor.name);
    if (outside && !tensor.writers.empty()) return what + " is written; inputs and weights are only read";
    if ((outside || tensor.role == TensorRole::intermediate) && !used) return what + " is read by no einsum";
    if (tensor.role == TensorRole::cache && !used && tensor.writers.empty()) return what + " is used by no einsum";
    if ((tensor.role == TensorRole::intermediate || tensor.role == TensorRole::output) && tensor.writers.empty())
        return what + " is written by no einsum";
    return "";
}

// Writers reach disjoint words, and all of them unless the rest persists from an earlier run.
std::string problem_with_writers(const Cascade& cascade, const CascadeTensor& tensor) {
    std::int64_t written = 0;
    for (std::size_t i = 0; i < tensor.writers.size(); ++i) {
        const std::vector<Interval> box = reached_by(cascade, tensor, tensor.writers[i]);
        if (is_empty(box))
            return "einsum " + quoted(name_of(cascade, tensor.writers[i])) + " writes outside tensor " +
                   quoted(tensor.name);
        for (std::size_t j = 0; j < i; ++j)
            if (overlap(box, reached_by(cascade, tensor, tensor.writers[j])))
                return "tensor " + quoted(tensor.name) + " is written twice, by einsums " +
                       quoted(name_of(cascade, tensor.writers[j])) + " and " +
                       quoted(name_of(cascade, tensor.writers[i]));
        written = checked_add(written, volume(box));
    }
    const std::int64_t all = words_of(tensor);
    if (!tensor.writers.empty() && tensor.role != TensorRole::cache && written != all)
        return "of the " + std::to_string(all) + " words of tensor " + quoted(tensor.name) + " only " +
               std::to_string(written) + " are written";
    return "";
}

// A reader's words exist when it runs.
std::string problem_with_readers(const Cascade& cascade, const CascadeTensor& tensor) {
    for (const TensorUse& reader : tensor.readers) {
        const std::vector<Interval> box = reached_by(cascade, tensor, reader);
        const std::string who = "einsum " + quoted(name_of(cascade, reader));
        if (is_empty(box)) return who + " reads outside tensor " + quoted(tensor.name);
        // Persistent tensors may be changed in place.
        const int first_too_late = reader.einsum + (tensor.role == TensorRole::cache ? 1 : 0);
        for (const TensorUse& writer : tensor.writers)
            if (writer.einsum >= first_too_late && overlap(box, reached_by(cascade, tensor, writer)))
                return who + " reads tensor " + quoted(tensor.name) + " before einsum " +
                       quoted(name_of(cascade, writer)) + " writes it";
    }
    return "";
}

std::string problem_with_tensor(const Cascade& cascade, const CascadeTensor& tensor) {
    for (const std::int64_t extent : tensor.shape)
        if (extent < 1)
            return "tensor " + quoted(tensor.name) + " has extent " + std::to_string(extent) + "; extents start at 1";
    if (std::string problem = problem_with_role(cascade, tensor); !problem.empty()) return problem;
    if (std::string problem = problem_with_writers(cascade, tensor); !problem.empty()) return problem;
    return problem_with_readers(cascade, tensor);
}

std::string problem_with_carried(const Cascade& cascade, const CascadeTensor& tensor) {
    if (tensor.carried_from < 0) return "";
    if (tensor.carried_from >= cascade.tensor_count())
        return "tensor " + quoted(tensor.name) + " is carried from a tensor that does not exist";
    const CascadeTensor& from = cascade.tensors[tensor.carried_from];
    if (from.shape != tensor.shape || from.bits != tensor.bits)
        return "tensor " + quoted(tensor.name) + " is carried from " + quoted(from.name) + ", which has another shape";
    return "";
}

std::string problem_with_blocks(const Cascade& cascade) {
    int free_from = 0;
    for (const Block& block : cascade.blocks) {
        if (block.first < free_from || block.end <= block.first || block.end > cascade.einsum_count())
            return "block " + quoted(block.name) + " is empty, overlaps another or ends behind the last einsum";
        if (block.count < 1)
            return "block " + quoted(block.name) + " runs " + std::to_string(block.count) +
                   " times; expected 1 or more";
        free_from = block.end;
    }
    return "";
}

template <typename Things>
std::string named_twice(const Things& things, const std::string& what) {
    std::set<std::string> names;
    for (const auto& one : things)
        if (!names.insert(one.name).second) return "two " + what + " are called " + quoted(one.name);
    return "";
}

}  // namespace

std::string problem_with(const Cascade& cascade) {
    if (cascade.einsums.empty()) return "a cascade needs at least one einsum";
    if (std::string problem = named_twice(cascade.einsums, "einsums"); !problem.empty()) return problem;
    if (std::string problem = named_twice(cascade.tensors, "tensors"); !problem.empty()) return problem;
    for (const CascadeEinsum& one : cascade.einsums)
        if (std::string problem = problem_with_einsum(cascade, one); !problem.empty()) return problem;
    if (std::string problem = problem_with_uses(cascade); !problem.empty()) return problem;
    for (const CascadeTensor& tensor : cascade.tensors) {
        if (std::string problem = problem_with_tensor(cascade, tensor); !problem.empty()) return problem;
        if (std::string problem = problem_with_carried(cascade, tensor); !problem.empty()) return problem;
    }
    return problem_with_blocks(cascade);
}

}  // namespace tilewright
