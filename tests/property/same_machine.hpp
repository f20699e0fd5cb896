// Machines written in other ways: the part of rewrite() that is about the machine (same_layer.hpp).
#pragma once

#include "same_layer.hpp"

namespace tilewright::property {

/// Nothing where it does not apply; the layer may then be changed in part. What it draws does not depend on the einsum
/// but for the energies and sizes of a memory that it adds.
std::optional<Relation> rewrite_machine(LayerRewriting rewriting, Random& random, LayerCase& layer);

}  // namespace tilewright::property
