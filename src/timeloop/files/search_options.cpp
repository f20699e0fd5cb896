#include "timeloop/files/search_options.hpp"

#include <algorithm>

namespace tilewright::timeloop {
namespace {

const std::vector<std::string> kDisplayKeys = {"version",
                                               "live_status",
                                               "diagnostics",
                                               "log_stats",
                                               "log_suboptimal",
                                               "log_all_mappings",
                                               "log_oaves",
                                               "log_orojenesis_mappings",
                                               "log_mappings_yaml",
                                               "log_mappings_verbose",
                                               "out_prefix",
                                               "penalize_consecutive_bypass_fails",
                                               "sync_interval",
                                               "emit_whoop_nest",
                                               "max_permutations_per_if_visit",
                                               "max_temporal_loops_in_a_mapping"};
const std::vector<std::string> kSearchKeys = {
    "algorithm", "optimization_metrics", "optimization_metric", "victory_condition",
    "timeout",   "search_size",          "num_threads"};
const std::vector<std::string> kAlgorithms = {"exhaustive", "linear",        "linear_pruned",
                                              "random",     "random_pruned", "hybrid"};
const std::vector<std::string> kMetrics = {"energy", "delay", "edp", "last_level_accesses"};

std::string one_of(const yaml::Node& node, const std::string& what, const std::vector<std::string>& known) {
    std::string name = node.text();
    std::replace(name.begin(), name.end(), '-', '_');
    if (std::find(known.begin(), known.end(), name) == known.end())
        node.fail(ErrorCode::unknown_name, "unknown " + what + " '" + node.text() + "'" + did_you_mean(name, known) +
                                               " (" + list_words(known) + ")");
    return name;
}

// 0 stands for "no limit".
std::optional<std::int64_t> limit_in(const yaml::Node& mapper, const std::string& key) {
    const yaml::Node* node = mapper.find(key);
    if (node == nullptr || node->is_null()) return std::nullopt;  // dumps write absent values as null
    const std::int64_t limit = node->integer();
    if (limit < 0) node->fail(ErrorCode::bad_value, "'" + key + "' is at least 0, found " + node->text());
    if (limit == 0) return std::nullopt;
    return limit;
}

std::vector<std::string> metrics_in(const yaml::Node& mapper) {
    const yaml::Node* node = mapper.find("optimization_metrics");
    if (node == nullptr || node->is_null()) node = mapper.find("optimization_metric");
    if (node == nullptr || node->is_null()) return {};
    if (node->is_scalar()) return {one_of(*node, "metric", kMetrics)};
    std::vector<std::string> metrics;
    for (const yaml::Node& metric : node->items()) metrics.push_back(one_of(metric, "metric", kMetrics));
    return metrics;
}

}  // namespace

namespace {

// "uber", the default, allows perfect factors only.
std::optional<std::string> template_in(const yaml::Node& root) {
    const yaml::Node* mapspace = root.find("mapspace");
    const yaml::Node* node = mapspace == nullptr || !mapspace->is_map() ? nullptr : mapspace->find("template");
    if (node == nullptr || node->is_null()) return std::nullopt;
    std::string name = node->text();
    std::replace(name.begin(), name.end(), '_', '-');
    static const std::vector<std::string> kTemplates{"uber", "ruby", "ruby-s", "ruby-t"};
    if (std::find(kTemplates.begin(), kTemplates.end(), name) == kTemplates.end())
        node->fail(ErrorCode::unknown_name, "unknown template '" + node->text() + "'" + did_you_mean(name, kTemplates) +
                                                "; expected one of " + list_words(kTemplates));
    return name == "uber" ? "perfect" : name;
}

}  // namespace

const std::vector<std::string>& known_search_keys() {
    static const std::vector<std::string> kKnown = [] {
        std::vector<std::string> known = kSearchKeys;
        known.insert(known.end(), kDisplayKeys.begin(), kDisplayKeys.end());
        return known;
    }();
    return kKnown;
}

SearchOptions read_search_options(const yaml::Node& root) {
    SearchOptions options;
    options.factors = template_in(root);
    const yaml::Node* mapper = root.find("mapper");
    if (mapper == nullptr) return options;
    mapper->expect_keys(known_search_keys());
    if (const yaml::Node* algorithm = mapper->find("algorithm"); algorithm != nullptr && !algorithm->is_null())
        options.algorithm = one_of(*algorithm, "algorithm", kAlgorithms);
    options.metrics = metrics_in(*mapper);
    options.victory_condition = limit_in(*mapper, "victory_condition");
    options.timeout = limit_in(*mapper, "timeout");
    options.search_size = limit_in(*mapper, "search_size");
    options.threads = limit_in(*mapper, "num_threads");
    for (const std::string& key : kDisplayKeys)
        if (key != "version" && mapper->has(key)) options.display.push_back(key);
    return options;
}

}  // namespace tilewright::timeloop
