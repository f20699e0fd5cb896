// Small random layers with zeros on machines that do something about them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "arch/architecture.hpp"
#include "base/numbers/random.hpp"
#include "mapping/mapping.hpp"
#include "sparse/design.hpp"
#include "workload/einsum.hpp"

namespace tilewright::property {

struct SparseCase {
    Einsum einsum;
    Architecture architecture;
    Mapping mapping;
    sparse::Design design;
};

/// Of a number always the same.
/// `odd`: extents among which few divide.
SparseCase random_sparse(std::uint64_t seed, std::int64_t operations, bool odd = false);

/// Loops with remainders in place of the case's, in space where it has some there; nothing where none were found.
std::optional<Mapping> made_imperfect(const SparseCase& one, Random& random);

/// The mapping with tensors of a memory at other places, as far as mapping/uneven.hpp has it.
Mapping made_uneven(Mapping mapping, const Architecture& architecture, Random& random);

/// All that a tensor may hold by its density, each as likely as any other, as bits by element; or nothing where that
/// are more than `most`. `order`: of the elements, as the nest comes to them (fixed structures).
std::optional<std::vector<std::uint64_t>> all_marks(const sparse::Density& density, const sparse::Tile& extents,
                                                    const std::vector<int>& order, std::size_t most);

/// One of them.
std::uint64_t drawn_marks(const sparse::Density& density, const sparse::Tile& extents, const std::vector<int>& order,
                          Random& random);

}  // namespace tilewright::property
