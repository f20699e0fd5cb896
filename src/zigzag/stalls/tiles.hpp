// Exact sizes and numbers of an uneven mapping's tiles. Internal to stalls/.
// Transfers and their times at each boundary between two memories of an operand. Internal to stalls/.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "zigzag/accounting/nest.hpp"
#include "zigzag/accounting/spatial.hpp"
#include "zigzag/accounting/zigzag.hpp"

namespace tilewright::stalls {

using Extents = std::array<std::int64_t, kMaxDimensions>;

/// Actual temporal iterations per dimension: enough for the busiest unit to cover the layer.
Extents executed_iterations(const zigzag::Layer& layer, const zigzag::SpatialMapping& covering,
                            const zigzag::UnevenMapping& mapping);

std::int64_t product_of(const zigzag::Layer& layer, const Extents& extents);

/// One operand's cut of the nest at an architecture level: the nest inside one change of its data.
struct Cut {
    Extents inside;                  ///< temporal iterations, by dimension
    std::int64_t period_cycles = 1;  ///< of the loops as written: periods divide each other
    std::int64_t window_cycles = 1;  ///< refillable part of a single buffer's period
    std::int64_t count = 1;          ///< periods
    std::int64_t distinct = 1;       ///< periods with distinct data (of a result: before accumulation)
};

/// Change points of the operand's data: [a], 0 the units, l + 1 memory level l.
std::vector<Cut> cuts_of(const zigzag::Layer& layer, const zigzag::Operand& operand, const zigzag::OperandNest& nest,
                         const Extents& executed);

/// Elements in a tile of `inside` iterations on units unrolled over memory levels below `levels`.
std::int64_t elements_of(const zigzag::Layer& layer, const zigzag::Operand& operand, const Extents& inside,
                         const std::vector<std::vector<zigzag::ParallelLoop>>& spatial, std::size_t levels);

/// Elements needed at a time in memory level `level`: its outermost relevant loops stream.
std::int64_t elements_at_a_time(const zigzag::Layer& layer, const zigzag::Operand& operand,
                                const zigzag::OperandNest& nest, const Extents& executed,
                                const std::vector<std::vector<zigzag::ParallelLoop>>& spatial, std::size_t level);

/// Distinct window positions in a tile, at most the window's size.
std::int64_t positions(const zigzag::DimensionRelation& window, const Extents& tile);

/// One operand's transfer in one direction at one memory level. Both ends of a link carry it.
struct Transfer {
    std::int64_t bits = 0;    ///< per period, through the port of this end
    std::int64_t cycles = 0;  ///< per period, at the slower end
    std::int64_t period_cycles = 0;
    std::int64_t window_cycles = 0;
    std::int64_t count = 0;  ///< 0: there is none
};

/// One operand: [level] its transfers, and the sizes of its levels.
struct OperandTraffic {
    std::vector<zigzag::PerDirection<Transfer>> transfers;
    std::vector<std::int64_t> bits;            ///< [level], of one instance
    std::vector<std::int64_t> bits_at_a_time;  ///< [level]
};

std::vector<OperandTraffic> traffic_of(const zigzag::Accelerator& accelerator, const zigzag::Layer& layer,
                                       const zigzag::Nest& nest, const zigzag::SpatialMapping& covering,
                                       const Extents& executed);

}  // namespace tilewright::stalls
