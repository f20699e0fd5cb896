// What the operands and dimensions of an einsum are to a machine. Rules of machines speak of layers
// (workload/shapes.hpp): they keep Weights, spread K. An einsum with names of its own plays these parts all the same:
//
//     Y[m,n] += X[m,k] * W[k,n]      X is Inputs, W is Weights, Y is Outputs; m is N, n is K, k is C
//
// Several dimensions may play one part. Pure functions; thread-safe.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workload/einsum.hpp"

namespace tilewright {

/// The operands that machines speak of: Weights are what is the same for every input.
enum class OperandRole { weights, inputs, outputs, none };
inline constexpr std::array<const char*, 3> kOperandNames{"Weights", "Inputs", "Outputs"};  ///< by role

/// The dimensions that machines speak of, in the order of layers.
inline constexpr std::array<const char*, 8> kPartNames{"R", "S", "P", "Q", "C", "K", "N", "G"};
/// Index in kPartNames; its size for any other name.
int part_named(std::string_view name);

struct LayerRoles {
    std::vector<OperandRole> operands;  ///< by tensor
    std::vector<int> parts;             ///< by dimension, in kPartNames

    /// The tensors of these roles, a set of indices in kOperandNames.
    TensorSet operands_of(TensorSet roles) const;
    /// The tensors that no rule speaks of.
    TensorSet further() const;
    /// The dimensions of that part, ascending.
    std::vector<int> dimensions_of(int part) const;
};

/// Of the first two tensors that are read, the first is Weights: see layer_roles(). False where only one is read.
bool weights_come_first(const Einsum& einsum, std::optional<TensorSet> weights = std::nullopt);

/// What is written is Outputs. Of the first two tensors that are read, what has the name of a role has that role; else
/// `weights` (those declared the same for every input) is Weights if it is one of them; without declarations what is
/// called w, weight... or filter...; else what no window slides over, where one slides over the other; else the second.
/// The other is Inputs; what is read beside them has no role. One that is read alone is Inputs.
///
/// Dimensions that move all operands are G, those that move inputs and results N, weights and results K, those that are
/// summed C; rows and columns of the first window Q, S and P, R, unless their names say which.
LayerRoles layer_roles(const Einsum& einsum, std::optional<TensorSet> weights = std::nullopt);

/// The dimensions and tensors that have a name of layers and do what another part does: K and N in
/// Outputs[M,N] += Inputs[M,K] * Weights[K,N]. Rules about such names do not mean them. Variations of layers are none:
/// depthwise C, rows of a matrix product as P, windows in results.
std::vector<std::string> misleading_names(const Einsum& einsum, const LayerRoles& roles);

/// "X is Inputs, W is Weights, Y is Outputs; m is N, n is K, k is C": what has another name than its role.
std::string to_text(const LayerRoles& roles, const Einsum& einsum);

}  // namespace tilewright
