// Engine of the analysis: one cluster level on one tile, case by case. Private to this room.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "maestro/analysis/delivery.hpp"
#include "maestro/analysis/motion.hpp"
#include "maestro/dataflow/problem.hpp"

namespace tilewright::dataflow {

inline constexpr std::size_t kMostLevels = 8;
inline constexpr std::size_t kMostMaps = 12;

/// Counted flows; the first three decide the runtime.
enum Flow : std::uint8_t {
    kInputMulticast,
    kFilterMulticast,
    kOutputUnion,
    kInputUnicast,
    kFilterUnicast,
    kInputArray,
    kFilterArray
};
inline constexpr std::size_t kFlows = 7;
inline constexpr std::size_t kLeanFlows = 3;

/// One evaluation of a level and all below it.
struct Evaluated {
    std::int64_t cycles = 0;
    std::int64_t operations = 0;
    std::array<LevelCounts, kMostLevels> levels{};  ///< its own and those below, summed
};

class Evaluator {
   public:
    /// Levels are re-read in every run and may change in between. `whole`: with report-only counts.
    Evaluator(const CompleteLayer& problem, const std::vector<Level>& levels, bool whole);

    /// False beyond the closed forms; reason in problem(). Throws OverflowError.
    bool run(const Hardware& hardware);
    const Evaluated& result() const { return result_; }
    const std::string& problem() const { return refusal_; }

   private:
    using TileExtents = std::array<std::int64_t, kAxes>;
    using Amounts = std::array<std::int64_t, kFlows>;

    /// The maps of one level on one tile.
    struct Setting {
        std::size_t maps = 0;
        std::array<Walk, kMostMaps> walks;
        std::array<std::array<Motion, kMostMaps>, kFlows> motions;
        std::array<Amounts, kMostMaps + 1> first;  ///< products over this map and the inner ones
        std::array<Amounts, kMostMaps + 1> again;
        std::array<bool, kMostMaps + 1> output_moves{};  ///< this map or an inner one moves the output
        std::int64_t lockstep = 0;  ///< active sub-clusters of spatial maps moving together, else 0
        bool no_output = false;     ///< the tile lies behind the window's last position
        int spatial = -1;           ///< the spatial map, if any
        std::int64_t clusters = 1;
    };

    /// The maps outside the advancing one, and their multiplicity.
    struct Prefix {
        Amounts product;
        std::int64_t times = 1;
        std::uint32_t last = 0;  ///< maps at their last step
    };

    /// Tiles and moved words of a case.
    struct Case {
        Amounts moved;
        std::int64_t times = 1;
        std::uint32_t last = 0;
        bool first = false;
        bool output_changes = true;
    };

    std::int64_t idle_words(std::size_t level, const Setting& setting, Flow flow) const;
    bool evaluate(std::size_t level, const TileExtents& tile, Evaluated& result);
    bool known(std::size_t level, const TileExtents& tile, Evaluated& result);
    bool set_up(std::size_t level, const TileExtents& tile, Setting& setting);
    bool check_window(std::size_t level, Setting& setting, const TileExtents& tile, Axis image);
    bool is_behind_last_window(std::size_t level, const Setting& setting, std::size_t image, std::size_t filter,
                               const TileExtents& tile) const;
    void set_motions(std::size_t level, Setting& setting) const;
    void set_lockstep(std::size_t level, Setting& setting) const;
    Motion together(std::size_t level, const Setting& setting, Flow flow) const;
    Motion output_motion(std::size_t level, const Setting& setting, std::size_t map) const;
    bool moves_from(std::size_t map, std::size_t level, const Setting& setting, const Prefix& prefix,
                    const TileExtents& tile, Evaluated& result);
    bool moves_at(std::size_t map, std::size_t level, const Setting& setting, const Prefix& prefix,
                  const TileExtents& tile, Evaluated& result);
    bool add(std::size_t level, const Setting& setting, const Case& one, const TileExtents& tile, Evaluated& result);
    void add_report(const Case& one, const StepTraffic& traffic, std::int64_t compute_time, LevelCounts& counts) const;
    bool compute(std::size_t level, const Setting& setting, const Case& one, const TileExtents& tile,
                 std::int64_t& cycles, Evaluated& result);
    bool run_tile(std::size_t level, const TileExtents& tile, std::int64_t times, std::int64_t& cycles,
                  Evaluated& result);
    TileExtents tile_of(std::size_t level, const Setting& setting, std::uint32_t last, bool last_cluster,
                        const TileExtents& tile) const;
    std::int64_t operations_in(const TileExtents& tile) const;
    std::int64_t outputs_along(Axis image, std::int64_t length, std::int64_t window) const;
    bool refuse(const std::string& reason);
    void check_magnitude() const;

    const CompleteLayer& problem_;
    const std::vector<Level>& levels_;
    std::size_t flows_;
    std::array<std::array<bool, kAxes>, 3> depends_{};  ///< input, filter, output
    const Hardware* hardware_ = nullptr;
    std::array<bool, kMostLevels> on_chip_{};
    std::array<std::vector<std::pair<TileExtents, Evaluated>>, kMostLevels> known_;
    Evaluated result_;
    std::string refusal_;
};

}  // namespace tilewright::dataflow
