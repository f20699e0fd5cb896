// Schedules a network on a machine of several cores: every distinct layer once, in parallel on all threads.
//
//     const report::ScheduleReport report = schedule_network(network, native::zoo_multi_npu("arch5"));
//     std::cout << report::schedule_text(report);
//
// Values in, values out. Each search is sequential: the answers do not depend on the number of threads.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "base/stop.hpp"
#include "report/schedule/schedule.hpp"
#include "schedule/problem/machine.hpp"
#include "schedule/schedulers/search.hpp"
#include "workload/network.hpp"
#include "workload/words.hpp"

namespace tilewright {

/// Callbacks of a run. Called from any thread, several at once.
struct ScheduleControl {
    int threads = 0;  ///< 0: all hardware threads
    const StopSource* stop = nullptr;
    /// Layers done, layers in total, the name of the last one done.
    std::function<void(std::size_t, std::size_t, const std::string&)> progress = {};
    /// Fills in an earlier answer; false if there is none.
    std::function<bool(const schedule::ConvLayer&, schedule::LayerAnswer&)> known = {};
    /// Stores a complete answer.
    std::function<void(const schedule::ConvLayer&, const schedule::LayerAnswer&)> keep = {};
};

/// Pooling and elementwise layers count as one read and one write each.
enum class Elementwise { left_out, counted };

/// The layers of a network as a schedule report without answers. Word widths are the layers' tensors', of partial sums
/// those of `partial` (by layer; empty: none); by default the machine's. Throws InputError for a layer that is no
/// convolution or matrix product, and for partial sums narrower than outputs.
report::ScheduleReport schedule_problem(const Network& network, const schedule::MultiNpu& machine,
                                        const schedule::SearchOptions& options,
                                        Elementwise elementwise = Elementwise::left_out,
                                        const std::vector<PartialBits>& partial = {});

/// Fills in the answers; every schedule has passed schedule::validate(). A stop leaves the best so far, possibly none,
/// and sets `interrupted`.
void schedule_layers(report::ScheduleReport& report, const schedule::SearchOptions& options,
                     const ScheduleControl& control = {});

/// Fills in the costs of every tiling of every layer by itself. A stop leaves some without schedules.
void try_every_tiling(report::ScheduleReport& report, const schedule::SearchOptions& options,
                      const ScheduleControl& control = {});

/// Chooses the outputs kept in the scratchpad, after schedule_layers(): searches layers with tensors beside them
/// likewise, and replaces the report's layers by the choice of least objective for the whole network. `partial`: as for
/// schedule_problem(). If stopped, or if a layer has no schedule, the report stays unchanged.
void let_outputs_stay(report::ScheduleReport& report, const Network& network, const schedule::SearchOptions& options,
                      const ScheduleControl& control = {}, const std::vector<PartialBits>& partial = {});

/// The first two together; without the caller's provenance and notes.
report::ScheduleReport schedule_network(const Network& network, const schedule::MultiNpu& machine,
                                        const schedule::SearchOptions& options = {},
                                        const ScheduleControl& control = {});

}  // namespace tilewright
