#include "report/document.hpp"
#include "report/fields.hpp"
#include "report/llm/serving.hpp"

namespace tilewright::llm {

void fields(yaml::Archive& archive, BoundShare& bound) {
    archive.name("BoundShare");
    archive("bound", bound.bound, "\"memory\", \"compute\", \"launch\", \"links\", or a memory of the machine");
    archive("share", bound.share, "of the seconds");
}

void fields(yaml::Archive& archive, FusedPhase& fused) {
    archive.name("FusedPhase", "einsums share loops where that takes less");
    archive("unfused_seconds", fused.unfused_seconds, "einsum by einsum; 0: there is no such mapping");
    archive("unfused_energy_pj", fused.unfused_energy_pj, "likewise");
    archive("bound", fused.bound, "no fused mapping has less, in seconds or pJ; null: of a product, of a vector unit");
}

}  // namespace tilewright::llm

namespace tilewright::report {

void fields(yaml::Archive& archive, ServedReport& served);  // served_json.cpp

}  // namespace tilewright::report

namespace tilewright::document {

yaml::Choice<Phase> phase_choice(Phase& phase) {
    return {phase, {{Phase::prefill, "prefill"}, {Phase::decode, "decode"}}};
}

void fields(yaml::Archive& archive, ServedPoint& point) {
    auto& of = point.of;
    archive.name("Point");
    archive("phase", phase_choice(of.point.phase));
    archive("devices", of.point.devices, "that share each block");
    archive("batch", of.point.batch, "prompts at once");
    archive("tokens", of.point.tokens, "of each prompt that a run computes: all of it in prefill, one in decode");
    archive("context", of.point.context, "tokens of each prompt that are in the cache before");
    archive("seconds", of.seconds, "of a run: to the first token in prefill, for each output token in decode");
    archive.derived("tokens_per_second", of.tokens_per_second(), "of all prompts; null where a cost is missing");
    archive("energy_pj", of.energy_pj, "of a run, all devices and their links");
    archive.where_any("unlimited_energy_pj", of.unlimited_energy_pj,
                      "by the machine file's energies, where energy_pj is what the devices take at their power limit");
    archive.derived("tokens_per_joule", of.tokens_per_joule(), "null where a cost is missing");
    archive("attention_seconds", of.attention_seconds, "of these: scores, softmax and the mix of values");
    archive("collective_seconds", of.collective_seconds, "of these: sums over the devices, by formula");
    archive("collectives", of.collectives, "sums over the devices in a run");
    archive("bounds", of.bounds, "what the seconds are bound by, the largest share first");
    archive("weight_bytes", of.weight_bytes, "on each device");
    archive("cache_bytes", of.cache_bytes, "on each device, after the run");
    archive("capacity_bytes", of.capacity_bytes, "of each device; null: the machine does not say");
    archive.derived("fits", of.fits(), "weights and cache are no larger than the capacity; null: it is not known");
    archive.where_any("fused", of.fused);
    archive.where_any("failures", of.failures, "einsums without a cost, which are not in the sums");
}

void fields(yaml::Archive& archive, Serving& serving) {
    begin(archive, "tilewright-llm/1", serving.provenance);
    archive("architecture", serving.architecture);
    archive("network", serving.network);
    archive("latency", serving.latency, "whose times: \"as built\" or \"plain model\"");
    archive("interrupted", serving.interrupted, "searches were cut short");
    archive("points", serving.points);
    archive.where_any("served", serving.served, "under load");
    archive("notes", serving.notes);
}

}  // namespace tilewright::document

namespace tilewright::report {

std::string serving_json(const ServingReport& report) {
    document::Serving serving{report.provenance, report.machine, report.model,      report.latency, {},
                              report.served,     report.notes,   report.interrupted};
    for (const llm::PhaseCosts& costs : report.points) serving.points.push_back({costs});
    return dumped(yaml::place_of(serving));
}

}  // namespace tilewright::report
