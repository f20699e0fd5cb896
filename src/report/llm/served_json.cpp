#include "report/document.hpp"
#include "report/fields.hpp"
#include "report/llm/served.hpp"
#include "report/llm/serving.hpp"

namespace tilewright::llm {

void fields(yaml::Archive& archive, Layout& layout) {
    archive.name("Layout", "one group of devices has the whole model");
    archive("tensor", layout.tensor, "devices that share attention and plain feed-forward parts");
    archive("data", layout.data, "ranks that attend to requests of their own");
    archive("pipeline", layout.pipeline, "stages of blocks");
    archive("expert", layout.expert, "ranks that share the experts");
    archive("expert_tensor", layout.expert_tensor, "devices that share an expert");
    archive("groups", layout.groups, "alike");
}

void fields(yaml::Archive& archive, Request& request) {
    archive.name("Request");
    archive("arrival_s", request.arrival_s);
    archive("prompt", request.prompt, "tokens");
    archive("output", request.output, "tokens");
}

void fields(yaml::Archive& archive, RequestTimes& times) {
    archive.name("RequestTimes");
    archive("first_s", times.first_s, "first token, from the same start as arrival_s");
    archive("last_s", times.last_s);
    archive("preempted", times.preempted, "times that it gave up its cache");
}

void fields(yaml::Archive& archive, ServedCase& one) {
    archive.name("ServedCase");
    archive("layout", one.deployment.layout, "decodes, and prefills where nothing else does");
    archive.where_any("prefill", one.deployment.prefill, "groups that only prefill");
    archive.derived("devices", one.deployment.devices(), "of all groups");
    archive("requests", one.load.requests, "under way in all groups");
    archive("prompt", one.load.prompt, "tokens");
    archive("output", one.load.output, "tokens");
    archive("tpot_us", one.served.tpot_us, "of a token after the first, others' prompts included");
    archive("ttft_us", one.served.ttft_us, "to the first token");
    archive("step_us", one.served.step_us, "of decodes alone");
    archive("requests_per_us", one.served.requests_per_us);
    archive("busy", one.served.busy, "share of the time of groups that only prefill");
    archive("watts", one.served.watts, "of a device that decodes, mean; null: the machine has no meter's numbers");
    archive("prefill_watts", one.served.prefill_watts, "of a device that only prefills, mean; null: there is none");
    archive.derived("tokens_per_second", one.tokens_per_second(), "of the outputs");
    archive.derived("joules_per_token", one.joules_per_token(), "of all devices");
    archive("most_requests", one.most_requests, "that fit");
    archive("most_within", one.most_within, "of these, the most within the limits; null: none were asked");
    archive("weight_bytes", one.weight_bytes, "on each device that decodes");
    archive("cache_bytes", one.cache_bytes, "on each device that decodes");
    archive("memory_bytes", one.memory_bytes, "of each device; null: unknown");
}

void fields(yaml::Archive& archive, BestCounts& counts) {
    archive.name("ServerSearch");
    archive("deployments", counts.deployments, "layouts compared");
    archive("too_large", counts.too_large, "of them: not one request fits");
    archive("cases", counts.cases, "layouts and numbers of requests: all evaluated");
    archive("missed", counts.missed, "of them: beyond a limit");
}

}  // namespace tilewright::llm

namespace tilewright::report {

void fields(yaml::Archive& archive, TraceReport& trace) {
    archive.name("Trace");
    archive("layout", trace.deployment.layout);
    archive("requests", trace.requests);
    archive("times", trace.simulated.requests, "by request");
    archive("steps", trace.simulated.steps);
    archive("preemptions", trace.simulated.preemptions);
    archive.where_any("measured", trace.measured, "by request, of the file");
    archive("blocks", trace.blocks, "of the cache, of each rank; 0: endless");
}

void fields(yaml::Archive& archive, ServedReport& served) {
    archive.name("Served");
    archive("engine", served.engine);
    archive("cases", served.cases, "as asked, or the best first");
    archive.where_any("searched", served.searched);
    archive("limits", served.limits, "of the search");
    archive.where_any("trace", served.trace);
}

}  // namespace tilewright::report
