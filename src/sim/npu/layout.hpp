// Placement of a scheduled layer's tensors in the memory behind the scratchpad.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "schedule/problem/schedule.hpp"

namespace tilewright::sim::npu {

enum class Layout : std::uint8_t {
    /// Inputs (with padding) and outputs by row, column, channel. Tile by tile: unshared tiles, and words of partial
    /// bytes, since a byte is the smallest write.
    rows,
    tiles,  ///< every tile in one piece
};
inline constexpr std::array<const char*, 2> kLayoutNames{"rows", "tiles"};

struct Piece {
    std::int64_t address = 0;
    std::int64_t bytes = 0;

    bool operator==(const Piece&) const = default;
};

/// Refers to the graph. Pure; thread-safe.
class Placement {
   public:
    Placement(const schedule::OperationGraph& graph, Layout layout);

    /// A transfer's bytes by ascending address; neighbours are merged.
    std::vector<Piece> pieces(const schedule::Transfer& transfer) const;

   private:
    /// A tensor by row, column, channel; `bits` per number.
    struct Tensor {
        std::int64_t base = 0;
        std::int64_t columns = 0;
        std::int64_t channels = 0;
        std::int64_t bits = 8;
    };
    /// Rows, columns and channels from `begin`.
    struct Box {
        std::array<std::int64_t, 3> begin{};
        std::array<std::int64_t, 3> size{};
    };
    static std::vector<Piece> pieces_of(const Tensor& tensor, const Box& box);
    Box input_box(int index) const;
    Box output_box(int index) const;
    std::int64_t begin_of(schedule::Dim dim, std::int64_t tile) const;
    std::int64_t size_of(schedule::Dim dim, std::int64_t tile) const;

    const schedule::OperationGraph& graph_;
    Layout layout_;
    Tensor input_;
    Tensor output_;
    std::vector<std::int64_t> packed_;   ///< [tile] its contiguous place; outputs: final
    std::vector<std::int64_t> partial_;  ///< [output] place of its partial sums
};

}  // namespace tilewright::sim::npu
