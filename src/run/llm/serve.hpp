// Costs of serving a language model on a machine, at many points: batches, prompts, contexts, numbers of devices.
//
//     const ServingPlan plan = plan_serving("llama3-8b", points, machine);
//     const NetworkAnswer answer = map_network(plan.problem, options);      // each shape once for all points
//     const std::vector<llm::PhaseCosts> costs = costs_of(plan, answer, machine);
//
// Every einsum is mapped by itself, one after the other (or fused: run/llm/fused_parts.hpp), and blocks count with
// their repeats. Times are as built if the machine has such a model (silicon); energies are the exact model's. On a
// systolic machine physical_mapper() (run/physical) minimises that time. Values in, values out; thread-safe.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "arch/device.hpp"
#include "arch/vector_unit.hpp"
#include "llm/server/best.hpp"
#include "llm/serving.hpp"
#include "llm/split.hpp"
#include "run/map_network.hpp"
#include "silicon/files/silicon.hpp"
#include "silicon/kernels/attention.hpp"
#include "workload/cascade/cascade.hpp"
#include "workload/widths.hpp"

namespace tilewright {

struct ServingMachine {
    Architecture architecture;
    std::optional<silicon::Silicon> silicon;  ///< nothing: times are the plain model's
    std::optional<VectorUnit> vector_unit;    ///< of machines without kernels: runs all but contractions
    Device device;
    ConstraintsOf constraints;
    silicon::AttentionKind attention = silicon::AttentionKind::flash;  ///< of machines of kernels
    llm::Collective collective = llm::Collective::best;
    bool fastest_as_built = true;  ///< mappings of systolic machines; false: another search was requested
    bool fuse = false;             ///< einsums may share loops (run/llm/fused_parts.hpp)
};

/// A part of a run of a phase: an einsum, or one layer's share of it.
struct ServingPart {
    std::string name;
    int einsum = -1;  ///< of the device's cascade
    std::int64_t repeats = 1;
    bool attention = false;
    int shape = -1;                 ///< of ServingPlan::problem; -1: needs no search
    std::int64_t times = 1;         ///< runs of the shape in one repeat
    double energy_pj = 0.0;         ///< of one repeat, beside the shape's
    std::optional<double> seconds;  ///< of one repeat; nothing: those of the shape
    std::string bound;              ///< of these seconds
};

/// Einsums that may share loops: of one block, up to the next sum over devices.
struct FusibleRun {
    int first = 0;  ///< its first einsum
    std::int64_t repeats = 1;
    std::size_t part = 0;  ///< of ServingPlan::fusible
};

struct ServingPoint {
    llm::Point point;
    llm::PhaseCosts costs;  ///< costs without a search: room and collectives
    std::vector<ServingPart> parts;
    std::vector<FusibleRun> runs = {};  ///< of a machine that fuses
};

struct ServingPlan {
    std::vector<ServingPoint> points;
    NetworkProblem problem;             ///< shapes of all points to search, each once
    std::vector<Cascade> fusible = {};  ///< distinct parts of all points, one repeat each
};

/// `widths`: of weights and caches (llm/footprint.hpp). Throws InputError: as cascade_at() and llm::set_widths();
/// unsupported if devices cannot share the model, or if the time as built has one word width only; missing_key if the
/// machine has no links.
ServingPlan plan_serving(const llm::Model& model, const std::vector<llm::Point>& points, const ServingMachine& machine,
                         const std::vector<TensorWidth>& widths = {});

struct FusedParts;

/// By point. `answer` is of plan.problem. `fused`, of plan.fusible: of every group the mapping of less, fused or einsum
/// by einsum, so that no point has more of the objective than without.
std::vector<llm::PhaseCosts> costs_of(const ServingPlan& plan, const NetworkAnswer& answer,
                                      const ServingMachine& machine, const FusedParts* fused = nullptr);

/// The points limited by the devices' power, with the energies of the machine file; "" if none is.
std::string power_note(const std::vector<llm::PhaseCosts>& points, const Device& device);

/// How often cells are programmed in a run and a day; "" if none is.
std::string wear_note(const std::vector<llm::PhaseCosts>& points);

/// Caveats of these numbers, one sentence each.
std::vector<std::string> serving_caveats(const ServingMachine& machine, const std::vector<llm::Point>& points);

// A server on any machine whose layers are mapped: steps from the costs of `map`, between points of a grid.
//
// A step's products have as many rows as tokens, so their time is that of as many decodes, or of a prompt as long;
// attention is added for the decodes by number and context, and for every chunk by its tokens and those before. Points
// lie at powers; between them times are linear in each size. Layouts: tensor parallel groups.

/// Largest sizes of a server's steps.
struct StepRange {
    std::int64_t requests = 1;   ///< at once
    std::int64_t tokens = 2048;  ///< of a step
    std::int64_t context = 4096;
};

/// Points for devices `tensor`: of all of them the plan is made at once.
std::vector<llm::Point> step_points(const StepRange& range, std::int64_t tensor);

/// Requires costs of step_points() for every layout asked. Throws InputError(unsupported) for other layouts, and for
/// points without costs.
llm::ServerOf mapped_server(const std::vector<llm::PhaseCosts>& costs, const llm::Engine& engine);

}  // namespace tilewright
