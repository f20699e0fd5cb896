// `tilewright llm` from what a user names: the model, the points, the choices of times and attention, and the report.
//
//     const NamedModel model = named_model("llama3-8b");
//     const ServingWishes wishes{.batches = {1, 8}, .contexts = {2048}};
//     set_choices(wishes, machine);
//     const ServingPlan plan = plan_serving(model.model, points_of(wishes), machine);
//
// Values in, values out; named_model() reads files. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/files/file.hpp"
#include "llm/serving.hpp"
#include "report/llm/serving.hpp"
#include "run/composition.hpp"
#include "run/llm/fused_parts.hpp"
#include "run/llm/serve.hpp"
#include "run/options.hpp"
#include "workload/widths.hpp"
#include "workload/zoo/cascades.hpp"

namespace tilewright {

struct NamedModel {
    llm::Model model;
    report::Input input;  ///< without a name: a published model of data/models
    std::vector<std::string> notes = {};
    std::optional<DecoderSizes> sizes = {};  ///< none: a cascade of another kind
};

/// A language model of the zoo, a published one by the name that people write, its config.json, or a cascade file whose
/// numbers of tokens are marks (docs/llm.md). `most_bytes`: of a file. Throws InputError: usage for a name of none,
/// else at the file.
NamedModel named_model(const std::string& name, std::uintmax_t most_bytes = kAnySize);

struct ServingWishes {
    std::vector<std::int64_t> batches = {1};
    std::vector<std::int64_t> prompts = {};   ///< tokens of each; empty: 2048
    std::vector<std::int64_t> contexts = {};  ///< tokens in the cache; empty: the prompts
    std::vector<std::int64_t> devices = {1};  ///< that share each block
    std::string latency = {};                 ///< "physical", "plain"; "": physical where the machine says it
    std::string attention = {};               ///< "flash", "masked", "unfused"; "": flash
    std::string collective = {};              ///< "best", "ring", "tree"; "": best
    std::vector<std::string> bits = {};       ///< of weights and caches: "Weights=4/32:8"
    bool fuse = false;                        ///< einsums share loops where that is better
    std::string dashes = {};                  ///< before the names of options in sentences
};

/// Prefill, then decode. Throws InputError(usage) for numbers that are too small, too large, twice there or too many.
std::vector<llm::Point> points_of(const ServingWishes& wishes);

/// Sets what the wishes choose on a machine with its silicon. Throws InputError(usage) for what it does not have.
void set_choices(const ServingWishes& wishes, ServingMachine& machine);

/// Why fusion or a server (`served`) does not go with the machine or `together`, the capabilities of problem and
/// search;
/// "" where all do. Call it after set_choices().
std::string serving_refusal(const ServingMachine& machine, const std::vector<Capability>& together, bool served);

/// Throws InputError(usage) for texts of no width, partial sums, and names that the model does not have.
std::vector<TensorWidth> serving_widths(const ServingWishes& wishes, const llm::Model& model);

/// How the plan's shapes are searched: by the fastest as built on systolic machines where nothing else was asked for.
MapsShape serving_mapper(const ServingPlan& plan, const ServingMachine& machine);

/// `fused`: of plan.fusible, where the machine fuses. With all notes but the inputs' own, and provenance without
/// command, inputs of the machine and search.
report::ServingReport serving_report(const NamedModel& model, const ServingWishes& wishes,
                                     const ServingMachine& machine, const ServingPlan& plan,
                                     const NetworkAnswer& answer, const FusedParts* fused = nullptr);

/// The rest of a report: machine, model, notes, the wishes' part of its provenance. `points`: whose costs it has.
void describe_serving(const NamedModel& model, const ServingWishes& wishes, const ServingMachine& machine,
                      const std::vector<llm::Point>& points, report::ServingReport& report);

}  // namespace tilewright
