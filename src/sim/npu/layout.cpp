#include "sim/npu/layout.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"
#include "schedule/problem/machine.hpp"
#include "sim/dram/device.hpp"

namespace tilewright::sim::npu {
namespace {

using schedule::Dim;
using schedule::Operand;

constexpr std::int64_t kTensorAlignment = 1 << 20;
constexpr std::int64_t kTileAlignment = 64;

std::int64_t aligned(std::int64_t address, std::int64_t to) { return ceil_div(address, to) * to; }

/// Inputs along one axis of `positions` neighbouring outputs.
std::int64_t window(std::int64_t positions, std::int64_t stride, std::int64_t kernel, std::int64_t dilation) {
    return (positions - 1) * stride + (kernel - 1) * dilation + 1;
}

}  // namespace

Placement::Placement(const schedule::OperationGraph& graph, Layout layout) : graph_(graph), layout_(layout) {
    const schedule::ConvLayer& layer = graph.problem.layer;
    const schedule::WordBits bits = schedule::word_bits(graph.problem.machine, layer);
    const std::int64_t columns = window(layer.out_w, layer.stride_w, layer.kernel_w, layer.dilation_w);
    const std::int64_t rows = window(layer.out_h, layer.stride_h, layer.kernel_h, layer.dilation_h);
    input_ = {0, columns, layer.in_c, bits.input};
    output_ = {0, layer.out_w, layer.out_c, bits.output};
    std::int64_t place = 0;
    const auto pack = [&](Operand operand, std::int64_t whole, std::vector<std::int64_t>& places, bool stored) {
        place = aligned(place, kTensorAlignment);
        const std::int64_t base = place;
        const auto o = at(static_cast<int>(operand));
        for (int t = graph.first[o]; t < graph.first[o + 1]; ++t) {
            places.push_back(place);
            place = aligned(place + (stored ? graph.tile(t).store_bytes : graph.tile(t).load_bytes), kTileAlignment);
        }
        place = std::max(place, base + whole);
        return base;
    };
    input_.base = pack(Operand::input, schedule::packed_bytes(rows * columns * layer.in_c, bits.input), packed_, false);
    pack(Operand::weight, 0, packed_, false);
    output_.base = pack(Operand::output, schedule::packed_bytes(layer.out_w * layer.out_h * layer.out_c, bits.output),
                        packed_, true);
    pack(Operand::output, 0, partial_, false);
}

std::int64_t Placement::begin_of(Dim dim, std::int64_t tile) const { return tile * graph_.problem.tiling[dim]; }

std::int64_t Placement::size_of(Dim dim, std::int64_t tile) const {
    return std::min(graph_.problem.tiling[dim], extents(graph_.problem.layer)[dim] - begin_of(dim, tile));
}

// Inputs are numbered [ow][oh][ic], outputs [ow][oh][oc].
Placement::Box Placement::input_box(int index) const {
    const schedule::ConvLayer& layer = graph_.problem.layer;
    const std::int64_t c = index % graph_.counts[Dim::in_c];
    const std::int64_t h = index / graph_.counts[Dim::in_c] % graph_.counts[Dim::out_h];
    const std::int64_t w = index / graph_.counts[Dim::in_c] / graph_.counts[Dim::out_h];
    return {
        {begin_of(Dim::out_h, h) * layer.stride_h, begin_of(Dim::out_w, w) * layer.stride_w, begin_of(Dim::in_c, c)},
        {window(size_of(Dim::out_h, h), layer.stride_h, layer.kernel_h, layer.dilation_h),
         window(size_of(Dim::out_w, w), layer.stride_w, layer.kernel_w, layer.dilation_w), size_of(Dim::in_c, c)}};
}

Placement::Box Placement::output_box(int index) const {
    const std::int64_t c = index % graph_.counts[Dim::out_c];
    const std::int64_t h = index / graph_.counts[Dim::out_c] % graph_.counts[Dim::out_h];
    const std::int64_t w = index / graph_.counts[Dim::out_c] / graph_.counts[Dim::out_h];
    return {{begin_of(Dim::out_h, h), begin_of(Dim::out_w, w), begin_of(Dim::out_c, c)},
            {size_of(Dim::out_h, h), size_of(Dim::out_w, w), size_of(Dim::out_c, c)}};
}

std::vector<Piece> Placement::pieces_of(const Tensor& tensor, const Box& box) {
    std::vector<Piece> pieces;
    for (std::int64_t row = box.begin[0]; row < box.begin[0] + box.size[0]; ++row) {
        for (std::int64_t column = box.begin[1]; column < box.begin[1] + box.size[1]; ++column) {
            const std::int64_t number = (row * tensor.columns + column) * tensor.channels + box.begin[2];
            const Piece piece{tensor.base + number * tensor.bits / 8, box.size[2] * tensor.bits / 8};
            if (!pieces.empty() && pieces.back().address + pieces.back().bytes == piece.address) {
                pieces.back().bytes += piece.bytes;
            } else {
                pieces.push_back(piece);
            }
        }
    }
    return pieces;
}

std::vector<Piece> Placement::pieces(const schedule::Transfer& transfer) const {
    const bool partial = transfer.operand == Operand::output && transfer.kind != schedule::TransferKind::store;
    if (partial) return {{partial_[at(transfer.index)], transfer.bytes}};
    const bool of_inputs = transfer.operand == Operand::input;
    const Tensor& tensor = of_inputs ? input_ : output_;
    if (layout_ == Layout::rows && transfer.operand != Operand::weight && tensor.bits % 8 == 0)
        return pieces_of(tensor, of_inputs ? input_box(transfer.index) : output_box(transfer.index));
    return {{packed_[at(graph_.first[at(static_cast<int>(transfer.operand))] + transfer.index)], transfer.bytes}};
}

}  // namespace tilewright::sim::npu
