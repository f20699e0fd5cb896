// SCALE-Sim's topologies (*.csv): a layer per row, as a convolution or as a matrix product.
#pragma once

#include <string>
#include <string_view>

#include "base/notes.hpp"
#include "workload/network.hpp"

namespace tilewright::scalesim {

/// "Layer, M, N, K" or "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter,
/// Strides", with one or two columns of strides. As in SCALE-Sim columns count by place: a foreign heading is noted,
/// and extra cells are skipped. A convolution with "DP" in its name is depthwise. Output sizes are rounded up. Throws
/// InputError at the place of the first mistake, also for other programs' tables.
Network read_topology(std::string_view text, const std::string& file, Notes& notes);

}  // namespace tilewright::scalesim
