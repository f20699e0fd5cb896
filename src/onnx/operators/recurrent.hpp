// Result shapes of recurrent cells (RNN, GRU, LSTM): the cells are not mapped, but layers behind them are.
#pragma once

#include <vector>

#include "onnx/operators/operator.hpp"

namespace tilewright::onnx {

bool is_recurrent(const pb::NodeProto& node);

/// Y, Y_h and Y_c; none for an unknown input shape. Throws InputError for a hidden size below 1 and inputs without
/// three axes.
std::vector<Extents> recurrent_results(const Operator& op);

}  // namespace tilewright::onnx
