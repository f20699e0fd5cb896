// The terminal at the other end of a stream.
#pragma once

#include <cstddef>
#include <optional>

namespace tilewright::cli {

/// Columns of the terminal that the file descriptor writes to; nothing where it is none, or does not say.
std::optional<std::size_t> terminal_columns(int descriptor);

}  // namespace tilewright::cli
