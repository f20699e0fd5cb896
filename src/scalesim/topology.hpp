// SCALE-Sim's topologies (*.csv): a layer in each row, as a convolution or as a matrix product.
#pragma once

#include <string>
#include <string_view>

#include "base/notes.hpp"
#include "workload/network.hpp"

namespace tilewright::scalesim {

/// "Layer, M, N, K" or "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter,
/// Strides", with one or two columns of strides. As in SCALE-Sim columns are known by their places: other words in the
/// first line are noted, and what a row has behind its columns is read over. A convolution whose name has "DP" in it is
/// one of each channel by itself. Output sizes are rounded up. Throws InputError at the place of the first mistake, for
/// tables of other programs, too.
Network read_topology(std::string_view text, const std::string& file, Notes& notes);

}  // namespace tilewright::scalesim
