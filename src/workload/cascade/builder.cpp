#include "workload/cascade/builder.hpp"

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "workload/cascade/canonical.hpp"

namespace tilewright {
namespace {

[[noreturn]] void refuse(const std::string& message) { throw InputError(ErrorCode::bad_value, {}, message); }

// Words reached by an operand along one of its ranks.
std::int64_t reach_of(const Einsum& einsum, const Rank& rank) {
    std::int64_t reach = 1;
    for (const Term& term : rank.terms)
        reach = checked_add(reach, checked_mul(term.coefficient, einsum.dimensions[term.dimension].extent - 1));
    return reach;
}

std::int64_t largest_step(const Rank& rank) {
    std::int64_t step = 1;
    for (const Term& term : rank.terms) step = std::max(step, term.coefficient);
    return step;
}

int only_result(const ChainStep& step) {
    int result = -1;
    for (int t = 0; t < step.einsum.tensor_count(); ++t) {
        if (!step.einsum.tensors[t].written) continue;
        if (result >= 0) refuse("einsum '" + step.name + "' of a chain writes two tensors; expected one");
        result = t;
    }
    if (result < 1) refuse("einsum '" + step.name + "' of a chain has to read a tensor and write another");
    return result;
}

std::vector<std::int64_t> shape_of(const ChainStep& step, int operand) {
    std::vector<std::int64_t> shape;
    for (const Rank& rank : step.einsum.tensors[operand].ranks) shape.push_back(reach_of(step.einsum, rank));
    return shape;
}

std::int64_t padding_of(const ChainStep& step, std::size_t rank) {
    return rank < step.padding.size() ? step.padding[rank] : 0;
}

// The consumer reaches the producer's last word, up to words skipped by a stride, and no further than the padding on
// both sides.
void check_fit(const ChainStep& step, const std::vector<std::int64_t>& made) {
    const Tensor& operand = step.einsum.tensors.front();
    if (operand.ranks.size() != made.size())
        refuse("einsum '" + step.name + "' reads " + std::to_string(operand.ranks.size()) + " ranks of a tensor with " +
               std::to_string(made.size()));
    for (std::size_t r = 0; r < made.size(); ++r) {
        const std::int64_t reach = reach_of(step.einsum, operand.ranks[r]) - padding_of(step, r);
        if (reach > made[r] + padding_of(step, r) || reach <= made[r] - largest_step(operand.ranks[r]))
            refuse("einsum '" + step.name + "' reads " + std::to_string(reach) + " words along rank " +
                   std::to_string(r) + " of '" + operand.name + "', its producer makes " + std::to_string(made[r]));
    }
}

}  // namespace

Access plain_access(int tensor, const Tensor& operand, const std::vector<std::int64_t>& padding) {
    Access access{tensor};
    for (std::size_t r = 0; r < operand.ranks.size(); ++r)
        access.coordinates.push_back({operand.ranks[r].terms, r < padding.size() ? -padding[r] : 0});
    return access;
}

int CascadeBuilder::tensor(std::string name, TensorRole role, std::vector<std::int64_t> shape, std::int64_t bits) {
    cascade_.tensors.push_back({std::move(name), role, std::move(shape), bits});
    return cascade_.tensor_count() - 1;
}

int CascadeBuilder::einsum(CascadeEinsum einsum) {
    const int index = cascade_.einsum_count();
    for (std::size_t operand = 0; operand < einsum.accesses.size() && operand < einsum.einsum.tensors.size();
         ++operand) {
        const int tensor = einsum.accesses[operand].tensor;
        if (tensor < 0 || tensor >= cascade_.tensor_count()) continue;  // take() says so
        CascadeTensor& used = cascade_.tensors[tensor];
        const bool written = einsum.einsum.tensors[operand].written;
        (written ? used.writers : used.readers).push_back({index, static_cast<int>(operand)});
    }
    cascade_.einsums.push_back(std::move(einsum));
    return index;
}

int CascadeBuilder::einsum(CascadeEinsum einsum, const std::vector<int>& tensors) {
    for (std::size_t operand = 0; operand < tensors.size() && operand < einsum.einsum.tensors.size(); ++operand)
        einsum.accesses.push_back(plain_access(tensors[operand], einsum.einsum.tensors[operand]));
    return this->einsum(std::move(einsum));
}

void CascadeBuilder::begin_block(std::string name, std::int64_t count) {
    open_block_ = static_cast<int>(cascade_.blocks.size());
    cascade_.blocks.push_back({std::move(name), cascade_.einsum_count(), cascade_.einsum_count(), count});
}

void CascadeBuilder::end_block(const std::vector<std::pair<int, int>>& carried) {
    cascade_.blocks[open_block_].end = cascade_.einsum_count();
    for (const auto& [made, next] : carried) cascade_.tensors[next].carried_from = made;
}

Cascade CascadeBuilder::take() {
    if (const std::string problem = problem_with(cascade_); !problem.empty()) refuse(problem);
    for (CascadeEinsum& one : cascade_.einsums) {
        make_canonical(one);
        if (const std::string problem = problem_with(one.einsum); !problem.empty())
            refuse("einsum '" + one.name + "': " + problem);
    }
    return std::move(cascade_);
}

Cascade chain_cascade(std::string name, const std::vector<ChainStep>& steps) {
    CascadeBuilder cascade(std::move(name));
    int made = -1;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const ChainStep& step = steps[i];
        const int result = only_result(step);
        if (i == 0) {
            std::vector<std::int64_t> shape = shape_of(step, 0);
            for (std::size_t r = 0; r < shape.size(); ++r) shape[r] -= 2 * padding_of(step, r);
            made = cascade.tensor(step.einsum.tensors.front().name, TensorRole::input, std::move(shape),
                                  step.einsum.tensors.front().bits);
        }
        check_fit(step, cascade.so_far().tensors[made].shape);
        CascadeEinsum one{step.name, "", step.einsum, step.kind};
        one.accesses.push_back(plain_access(made, step.einsum.tensors.front(), step.padding));
        for (int t = 1; t < step.einsum.tensor_count(); ++t) {
            const Tensor& own = step.einsum.tensors[t];
            const bool last = i + 1 == steps.size();
            const TensorRole role = t != result ? TensorRole::weight
                                    : last      ? TensorRole::output
                                                : TensorRole::intermediate;
            const int tensor = cascade.tensor(step.name + "." + own.name, role, shape_of(step, t), own.bits);
            if (t == result) made = tensor;
            one.accesses.push_back(plain_access(tensor, own));
        }
        cascade.einsum(std::move(one));
    }
    return cascade.take();
}

}  // namespace tilewright
