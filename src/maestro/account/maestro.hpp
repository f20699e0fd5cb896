// The public MAESTRO's numbers, faults included (maestro-project/maestro at 4eb08d1). docs/maestro.md lists the faults.
//
// Separate from the exact analysis: it reproduces the tool's output, not the cost of a dataflow.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "maestro/dataflow/dataflow.hpp"
#include "maestro/dataflow/levels.hpp"

namespace tilewright::maestro {

/// Parameters of the tool's command line and hardware file; its own defaults, in elements.
struct ToolHardware {
    std::int64_t units = 1;
    std::int64_t l1_size = std::numeric_limits<std::int32_t>::max();
    std::int64_t l2_size = std::numeric_limits<std::int32_t>::max();
    std::int64_t noc_bandwidth = std::numeric_limits<std::int32_t>::max();
    std::int64_t noc_latency = 1;
    std::int64_t offchip_bandwidth = std::numeric_limits<std::int32_t>::max();
    std::int64_t simd_lanes = 1;
};

ToolHardware tool_hardware(const dataflow::Hardware& hardware);

enum Tensor : std::uint8_t { kInput, kFilter, kOutput };
inline constexpr int kTensors = 3;

struct TensorCounts {
    std::int64_t l2_size = 0;
    std::int64_t l1_size = 0;
    std::int64_t l2_write = 0;
    std::int64_t l2_read = 0;
    std::int64_t l1_write = 0;
    std::int64_t l1_read = 0;
};

struct DelayRange {
    std::int64_t least = std::numeric_limits<std::int32_t>::max();
    std::int64_t most = 0;
    std::int64_t average = 0;
};

/// One evaluation of a cluster level.
struct LevelCounts {
    std::int64_t runtime = 0;
    std::int64_t operations = 0;
    std::int64_t clusters = 0;
    double active_units = 0.0;
    double arithmetic_intensity = 0.0;
    std::int64_t peak_bandwidth = 0;
    double average_bandwidth = 0.0;
    std::int64_t offchip_bandwidth = 0;
    DelayRange ingress;
    DelayRange egress;
    DelayRange compute;
    std::array<TensorCounts, kTensors> tensors{};
};

struct LayerCounts {
    std::string name;
    LevelCounts top;
    LevelCounts innermost;  ///< the first evaluation to end: the tool's source of L1 sizes
    std::vector<dataflow::Level> levels;
    std::size_t evaluations = 1;      ///< distinct ones of all levels
    std::int64_t declared_input = 1;  ///< product of the input's declared dimensions

    std::int64_t l1_size() const;
    std::int64_t l2_size() const;
};

/// The tool's ending without an answer.
enum class Ending : std::uint8_t { message, division_by_zero, abort, segmentation_fault };

struct ToolRefused {
    Ending ending = Ending::message;
    std::string layer;
    std::string reason;
};

struct ToolResult {
    std::vector<LayerCounts> layers;
    std::optional<ToolRefused> refused;  ///< then there are no layers
};

/// All layers of a file together: the tool carries state between them. Throws OverflowError.
ToolResult count(const std::vector<dataflow::Layer>& layers, const ToolHardware& hardware);

}  // namespace tilewright::maestro
