// Schedules a network on a machine of several cores: every distinct layer once, side by side on all threads.
//
//     const report::ScheduleReport report = schedule_network(network, native::zoo_multi_npu("arch5"));
//     std::cout << report::schedule_text(report);
//
// Values in, values out. Each search is sequential, so that the answers do not depend on the number of threads.
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

/// How a run is watched and stopped, and what it shares with others. All are called from any thread, several at once.
struct ScheduleControl {
    int threads = 0;  ///< 0: all there are
    const StopSource* stop = nullptr;
    /// Layers that are done, layers there are, the name of the one that was done last.
    std::function<void(std::size_t, std::size_t, const std::string&)> progress = {};
    /// Fills in what was found before, and says whether there was something.
    std::function<bool(const schedule::ConvLayer&, schedule::LayerAnswer&)> known = {};
    /// Takes what was found to the end.
    std::function<void(const schedule::ConvLayer&, const schedule::LayerAnswer&)> keep = {};
};

/// Whether pooling and element-wise layers count, as one read and one write each.
enum class Elementwise { left_out, counted };

/// The layers of a network as a schedule report without answers. Words are as wide as the layers' tensors say, and of
/// partial sums as `partial` says (by layer; empty: nothing); where neither says anything, the machine does. Throws
/// InputError for a layer that is no convolution or matrix product, and for partial sums narrower than outputs.
report::ScheduleReport schedule_problem(const Network& network, const schedule::MultiNpu& machine,
                                        const schedule::SearchOptions& options,
                                        Elementwise elementwise = Elementwise::left_out,
                                        const std::vector<PartialBits>& partial = {});

/// Fills in the answers; every schedule has passed schedule::validate(). A stop leaves the best so far, which may be
/// nothing, and sets `interrupted`.
void schedule_layers(report::ScheduleReport& report, const schedule::SearchOptions& options,
                     const ScheduleControl& control = {});

/// Fills in what every tiling of every layer comes to by itself. A stop leaves some without schedules.
void try_every_tiling(report::ScheduleReport& report, const schedule::SearchOptions& options,
                      const ScheduleControl& control = {});

/// Chooses which outputs stay in the scratchpad, after schedule_layers(): layers with tensors beside them are searched
/// as the others were, and the choice that minimises the objective of the whole network replaces the report's layers.
/// `partial`: as schedule_problem() had it.
/// When it is stopped, or a layer has no schedule, the report remains as it is.
void let_outputs_stay(report::ScheduleReport& report, const Network& network, const schedule::SearchOptions& options,
                      const ScheduleControl& control = {}, const std::vector<PartialBits>& partial = {});

/// The two first together; all but the provenance and the notes, which the caller knows.
report::ScheduleReport schedule_network(const Network& network, const schedule::MultiNpu& machine,
                                        const schedule::SearchOptions& options = {},
                                        const ScheduleControl& control = {});

}  // namespace tilewright
