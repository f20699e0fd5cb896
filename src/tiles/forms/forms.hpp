// Points in the words of compilers. The rule file says most forms itself, as texts with {expressions}; those that are
// shaped by the tiles of its `map` are made here:
//
//     mlir      a transform script for mlir-opt-16: foreach_thread over the tiles of m and n, a loop over those of k
//     mlir20    the same for newer MLIR: tile_using_forall, tile_using_for
//
// What a form cannot say of a point is refused by name, or (lossy) written as a comment. Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tiles/search/ask.hpp"
#include "tiles/search/table.hpp"

namespace tilewright::tiles {

struct FormOptions {
    std::string form;
    bool lossy = false;
};

/// Throws InputError(unknown_name) for a form that the rules do not have, unsupported for what it cannot say.
std::string form_text(const Problem& problem, std::span<const std::int64_t> given, std::span<const std::int64_t> point,
                      const FormOptions& options);

/// A table in a form: for `vllm` a JSON object by M, of which the nearest key is taken: both ends of each interval; for
/// `c` a header with the table and a lookup; for others a line for each interval, with its ends before it.
std::string table_form_text(const Problem& problem, std::span<const std::int64_t> given, const Table& table,
                            std::size_t axis, const FormOptions& options);

}  // namespace tilewright::tiles
