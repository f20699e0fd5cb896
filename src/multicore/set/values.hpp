// What SET (ISCA 2023) plans with: layers, and trees whose leaves are layers on cores and whose inner nodes cut time
// (T) or space (S). Values; read.hpp reads its files.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "multicore/problem.hpp"

namespace tilewright::multicore::set {

enum class LayerKind { convolution, group, full, pool, elementwise, point, transpose };

/// Extents are channels, rows, columns.
struct Layer {
    std::string name;
    LayerKind kind = LayerKind::convolution;
    std::array<std::int64_t, 3> out{};
    std::array<std::int64_t, 3> in{};
    std::array<std::int64_t, 3> padded{};
    std::array<std::int64_t, 2> kernel{1, 1};
    std::array<std::int64_t, 2> stride{1, 1};
    std::int64_t groups = 1;
    std::int64_t terms = 1;  ///< of an element-wise sum
    bool has_weights = false;
    std::array<int, 3> permute{0, 1, 2};
    std::int64_t outside_channels = 0;  ///< from outside, before those of `from`
    std::vector<int> from;              ///< layers whose results follow one another along channels, or are added
    std::vector<int> weights_from;      ///< layers whose results are its weights
};

struct Machine {
    std::int64_t columns = 1;
    std::int64_t rows = 1;
    std::int64_t stripe = 1;     ///< columns of a stripe of cores
    std::int64_t link_rate = 1;  ///< words a cycle
    std::int64_t batch = 1;

    std::int64_t cores() const { return columns * rows; }
    /// Column and row of a core: rows of a stripe one after another, every second stripe from the last row.
    std::array<std::int64_t, 2> position(std::int64_t core) const {
        const std::int64_t block = core / (stripe * rows);
        const std::int64_t row = core / stripe % rows;
        return {block * stripe + core % stripe, block % 2 == 1 ? rows - 1 - row : row};
    }
};

struct Buffer {
    std::int64_t most = 0;  ///< words, of the core with the most
    double mean = 0.0;      ///< over the cores that hold any
};

/// Of one run of a node.
struct Figures {
    std::int64_t hops = 0;
    std::int64_t dram_words = 0;
    std::int64_t busiest_link = 0;
    std::int64_t cycles = 0;        ///< of a leaf: as recorded
    std::array<Buffer, 3> buffers;  ///< of a leaf: inputs and results; weights; inputs
};

struct Node {
    bool is_leaf = false;
    bool is_space = false;  ///< of inner nodes: S, else T
    int layer = -1;
    std::int64_t batch = 1;
    std::int64_t times = 1;   ///< that its children run
    std::int64_t first = -1;  ///< core of a leaf; -1: the next one
    std::vector<std::pair<char, std::int64_t>> parts =
        {};  ///< of K, B, H, W in the order of the cores, the slowest first
    Figures recorded = {};
    int parent = -1;
    std::vector<int> children = {};
};

/// Nodes in the file's order: the root first.
using Tree = std::vector<Node>;

}  // namespace tilewright::multicore::set
