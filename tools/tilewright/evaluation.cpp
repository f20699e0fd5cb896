#include "evaluation.hpp"

#include <variant>

#include "account/zigzag/translate.hpp"
#include "base/checked.hpp"
#include "base/error.hpp"
#include "mapping/validity.hpp"
#include "model/model.hpp"

namespace tilewright::cli {
namespace {

void evaluate_exactly(const Mapping& mapping, const Architecture& architecture, report::LayerResult& result) {
    const std::vector<Violation> violations = check(result.einsum, architecture, mapping);
    for (const Violation& violation : violations)
        result.failures.push_back(violation.message + " [" + violation_kind_name(violation.kind) + "]");
    if (!violations.empty()) return;
    Mapping plain = mapping;
    plain.options.clear();
    result.evaluation = evaluate(result.einsum, architecture, plain);
}

void evaluate_as_timeloop(const Mapping& mapping, const Architecture& architecture,
                          const account::TimeloopOptions& options, report::LayerResult& result) {
    const account::TimeloopResult counted = account::timeloop(result.einsum, architecture, mapping, options);
    if (counted.refusal)
        result.failures = {counted.refusal->message + " [" + violation_kind_name(counted.refusal->kind) + "]"};
    else
        result.evaluation = account::to_evaluation(counted, architecture);
}

void refuse(const std::string& reason, report::LayerResult& result) {
    result.failures = {"ZigZag cannot express it: " + reason + " [unsupported]"};
}

void evaluate_as_zigzag(const Mapping& mapping, const Architecture& architecture, report::LayerResult& result) {
    const std::vector<Violation> violations = check(result.einsum, architecture, mapping);
    for (const Violation& violation : violations)
        result.failures.push_back(violation.message + " [" + violation_kind_name(violation.kind) + "]");
    if (!violations.empty()) return;
    const auto translated = zigzag::translate(result.einsum, architecture, mapping);
    if (const std::string* reason = std::get_if<std::string>(&translated)) return refuse(*reason, result);
    const auto& same = std::get<zigzag::Translation>(translated);
    const zigzag::Result counted = zigzag::evaluate(
        same.accelerator, same.layer, spatial_pair(same.accelerator, same.layer, same.unrolling), same.mapping);
    if (!counted.refusal.empty()) return refuse(counted.refusal, result);
    result.evaluation = zigzag::to_evaluation(counted, same, result.einsum, architecture);
}

}  // namespace

void AccountOptions::declare_switches(Options& options) {
    options.flag("no-link-transfers", 0, "timeloop: as with TIMELOOP_DISABLE_LINK_TRANSFERS=1", &no_link_transfers);
    options.flag(
        "no-extrapolation", 0,
        "timeloop: walk every iteration, as with TIMELOOP_DISABLE_TEMPORAL_EXTRAPOLATION=1 and ..._SPATIAL_...",
        &no_extrapolation);
    options.flag("no-first-read-elision", 0, "timeloop: as with TIMELOOP_ENABLE_FIRST_READ_ELISION=0",
                 &no_first_read_elision);
    options.flag("no-reuse-after-pause", 0,
                 "timeloop: halos as counted by the older versions behind its published examples",
                 &no_reuse_after_pause);
    options.flag("first-fills", 0,
                 "timeloop: the first partial sums of a result are charged where they arrive, as older versions do",
                 &first_fills);
    options.flag(
        "dearest-action", 0,
        "timeloop: a memory's dearest action is charged for reads, fills and updates, as the oldest versions do",
        &dearest_action);
}

account::TimeloopOptions AccountOptions::timeloop() const {
    account::TimeloopOptions options;
    options.link_transfers = !no_link_transfers;
    options.temporal_extrapolation = options.spatial_extrapolation = !no_extrapolation;
    options.first_read_elision = !no_first_read_elision;
    options.reuse_after_pause = !no_reuse_after_pause;
    options.first_fills = first_fills;
    options.dearest_action = dearest_action;
    return options;
}

std::vector<std::string> accountings() { return {"exact", "timeloop", "zigzag"}; }

report::LayerResult evaluate_layer(const Layer& layer, const Architecture& architecture, const Mapping& mapping,
                                   const AccountOptions& options) {
    report::LayerResult result;
    result.names = {layer.name};
    result.op = layer.op;
    result.repeats = layer.repeats;
    result.einsum = layer.einsum;
    result.mapping = mapping;
    try {
        if (options.account == "timeloop")
            evaluate_as_timeloop(mapping, architecture, options.timeloop(), result);
        else if (options.account == "zigzag")
            evaluate_as_zigzag(mapping, architecture, result);
        else
            evaluate_exactly(mapping, architecture, result);
    } catch (const OverflowError&) {
        throw InputError(ErrorCode::overflow, {},
                         "layer '" + layer.name + "' is too large: a count does not fit in 64 bits");
    }
    return result;
}

}  // namespace tilewright::cli
