// Reads a tensor's non-zero pattern: a NumPy array (.npy, versions 1 to 3) or a Matrix Market matrix (.mtx, coordinates
// or array).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sparse/density.hpp"

namespace tilewright::timeloop {

/// By the file ending. Throws InputError: missing_file, unsupported for another ending, syntax and bad_value for a
/// malformed file, unsupported for NumPy types without plain numbers, for complex values and for symmetries other than
/// general, symmetric and skew-symmetric.
sparse::Measured read_matrix_file(const std::filesystem::path& path);

/// The same from bytes.
sparse::Measured read_npy(std::string_view bytes, const std::string& file);
sparse::Measured read_matrix_market(std::string_view text, const std::string& file);

}  // namespace tilewright::timeloop
