// Builds cascades, einsum by einsum in execution order.
//
//     CascadeBuilder cascade("mlp");
//     const int x = cascade.tensor("x", TensorRole::input, {128, 512});
//     const int w = cascade.tensor("w", TensorRole::weight, {512, 2048});
//     const int y = cascade.tensor("y", TensorRole::output, {128, 2048});
//     cascade.einsum({"up", "Gemm", parse_einsum("y[m,n] += x[m,k] * w[k,n]", {{"m", 128}, {"n", 2048}, {"k", 512}})},
//                    {x, w, y});
//     const Cascade mlp = cascade.take();
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "workload/cascade/cascade.hpp"

namespace tilewright {

/// Access along the operand's own ranks, shifted by -padding each (default: 0).
Access plain_access(int tensor, const Tensor& operand, const std::vector<std::int64_t>& padding = {});

class CascadeBuilder {
   public:
    explicit CascadeBuilder(std::string name) { cascade_.name = std::move(name); }

    int tensor(std::string name, TensorRole role, std::vector<std::int64_t> shape, std::int64_t bits = 0);

    /// Appends an einsum with its accesses; returns its index.
    int einsum(CascadeEinsum einsum);
    /// The same for whole-tensor operands, rank by rank, in operand order.
    int einsum(CascadeEinsum einsum, const std::vector<int>& tensors);

    void begin_block(std::string name, std::int64_t count);
    /// `carried`: pairs of a tensor made by the block and its name in the next repeat.
    void end_block(const std::vector<std::pair<int, int>>& carried = {});

    /// `view`: rows of `of`, picked by an index.
    void view(int view, int of) { cascade_.tensors[view].view_of = of; }

    /// It is wanted outside.
    void output(int tensor) { cascade_.tensors[tensor].role = TensorRole::output; }

    void not_covered(NotCovered one) { cascade_.not_covered.push_back(std::move(one)); }

    const Cascade& so_far() const { return cascade_; }

    /// All accesses in canonical form (canonical.hpp). Throws InputError(bad_value) with problem_with's words.
    Cascade take();

   private:
    Cascade cascade_;
    int open_block_ = -1;
};

/// One einsum of a chain: its first operand is the previous result.
struct ChainStep {
    std::string name;
    Einsum einsum;
    std::vector<std::int64_t> padding = {};  ///< before the first word, along each rank of the first operand
    EinsumKind kind = EinsumKind::contraction;
};

/// A chain of contractions: einsum i reads einsum i-1's result in its first operand; its other operands are weights of
/// its own. The input's extents are the first einsum's reach less its padding (on both sides). Throws
/// InputError(bad_value) if producer and consumer disagree: an operand's rank has to reach the tensor's last word, less
/// padding and stride remainder.
Cascade chain_cascade(std::string name, const std::vector<ChainStep>& steps);

}  // namespace tilewright
