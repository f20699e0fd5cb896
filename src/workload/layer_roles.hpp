// Roles of an einsum's operands and dimensions for a machine. Machine rules speak of layers (workload/shapes.hpp): they
// keep Weights, spread K. An einsum with names of its own has the same roles:
//
//     Y[m,n] += X[m,k] * W[k,n]      X is Inputs, W is Weights, Y is Outputs; m is N, n is K, k is C
//
// Several dimensions may share one role. Pure functions; thread-safe.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workload/einsum.hpp"

namespace tilewright {

/// Operand roles of machines: Weights are the same for every input.
enum class OperandRole { weights, inputs, outputs, none };
inline constexpr std::array<const char*, 3> kOperandNames{"Weights", "Inputs", "Outputs"};  ///< by role

/// Dimension roles of machines, in layer order.
inline constexpr std::array<const char*, 8> kPartNames{"R", "S", "P", "Q", "C", "K", "N", "G"};
/// Index in kPartNames; its size for any other name.
int part_named(std::string_view name);

struct LayerRoles {
    std::vector<OperandRole> operands;  ///< by tensor
    std::vector<int> parts;             ///< by dimension, in kPartNames

    /// The tensors of these roles, a set of indices in kOperandNames.
    TensorSet operands_of(TensorSet roles) const;
    /// The tensors without a role.
    TensorSet further() const;
    /// The dimensions of this role, ascending.
    std::vector<int> dimensions_of(int part) const;
};

/// Whether the first of the first two read tensors is Weights: see layer_roles(). False with a single one.
bool weights_come_first(const Einsum& einsum, std::optional<TensorSet> weights = std::nullopt);

/// Written tensors are Outputs. Of the first two read tensors, a role's name decides; else `weights` (declared the same
/// for every input), if among them, is Weights; without declarations the one named w, weight... or filter...; else the
/// one without a window, if the other has one; else the second. The other is Inputs; further ones have no role. A
/// single one is Inputs.
///
/// Dimensions relevant to all operands are G, to inputs and results N, to weights and results K, reduced ones C; rows
/// and columns of the first window Q, S and P, R, unless their names decide.
LayerRoles layer_roles(const Einsum& einsum, std::optional<TensorSet> weights = std::nullopt);

/// The tensor of this name; else, if it is a role's name, the first of the role; -1: neither.
int tensor_or_role(const Einsum& einsum, std::string_view name);

/// Dimensions and tensors with a layer name but another role: K and N in Outputs[M,N] += Inputs[M,K] * Weights[K,N].
/// Rules on such names do not apply. Layer variations are exempt: depthwise C, rows of a matrix product as P, windows
/// in results.
std::vector<std::string> misleading_names(const Einsum& einsum, const LayerRoles& roles);

/// "X is Inputs, W is Weights, Y is Outputs; m is N, n is K, k is C": names differing from the role.
std::string to_text(const LayerRoles& roles, const Einsum& einsum);

}  // namespace tilewright
