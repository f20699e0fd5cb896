#include "options/cosa_options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/error.hpp"

namespace tilewright::cli {
namespace {

std::pair<std::string, double> name_and_number(const std::string& option, const std::string& word) {
    const auto [name, value] = name_and_value("map", "--" + option, "NAME=NUMBER", word);
    double number = 0.0;
    const char* end = value.data() + value.size();
    if (std::from_chars(value.data(), end, number).ptr != end || !std::isfinite(number) || number < 0.0)
        fail_usage("map", fmt::format("--{} takes NAME=NUMBER, found '{}'", option, word));
    return {name, number};
}

void set_weight(cosa::Weights& weights, const std::string& word) {
    const auto [name, number] = name_and_number("cosa-weights", word);
    if (name == "utilization")
        weights.utilization = number;
    else if (name == "compute")
        weights.compute = number;
    else if (name == "traffic")
        weights.traffic = number;
    else if (name == "outside")
        weights.outside = number;
    else
        fail_usage("map", fmt::format("--cosa-weights knows utilization, compute, traffic and outside, found '{}'{}",
                                      name, did_you_mean(name, {"utilization", "compute", "traffic", "outside"})));
}

std::string list_text(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
    return text;
}

}  // namespace

void CosaPlan::declare(Options& options) {
    options.group("CoSA");
    options
        .value("cosa-formulation", 0, "WHICH",
               "cosa: equal factors as integers (the default), or a binary per prime factor", &formulation)
        .choices = {"counts", "as-published"};
    options
        .value("cosa-variant", 0, "WHICH",
               "cosa: ours (the default), ours with the traffic of the paper, or the model of the released "
               "code",
               &variant)
        .choices = {"exact", "as-printed", "repaired", "released-2021", "released-2023"};
    options
        .value("cosa-goal", 0, "WHICH", "cosa: the weighted sum (the default), or the balance of traffic and compute",
               &goal)
        .choices = {"sum", "balance"};
    options
        .value("cosa-orders", 0, "WHERE",
               "cosa: decide orders with the tiles at the head of the network (the default), or outside it as well",
               &orders)
        .choices = {"hub", "every"};
    options.value("cosa-weights", 0, "LIST",
                  "cosa: utilization=0.1,compute=10,traffic=1,outside=2 are the defaults (as-printed: outside=0)",
                  &weights);
    options.value("cosa-bits", 0, "LIST",
                  "cosa: bits of a tensor's words where they differ from the memory's: Outputs=24", &bits);
    options.flag("cosa-pad", 0, "cosa: extents with primes above 7 may grow", &pad);
}

std::optional<cosa::Weights> calibrated_weights(const std::string& machine) {
    if (machine == "k80") return cosa::Weights{.utilization = 0.3, .compute = 1.0, .traffic = 1.0};
    return std::nullopt;
}

// The released model has weights of its own.
std::optional<cosa::Weights> CosaPlan::own_weights() const {
    if (!weights.empty() || !goal.empty() || !(variant.empty() || variant == "exact")) return std::nullopt;
    return calibrated_weights(machine);
}

bool CosaPlan::given() const { return pad || !given_words().empty(); }

cosa::ProgramOptions CosaPlan::options() const {
    cosa::ProgramOptions options;
    options.formulation = cosa::formulation_named(formulation).value_or(options.formulation);
    options.variant = cosa::variant_named(variant).value_or(options.variant);
    if (goal == "balance") options.goal = cosa::Goal::balance;
    if (orders == "every") options.orders = cosa::Orders::every;
    if (const auto calibrated = own_weights()) options.weights = *calibrated;
    for (const std::string& word : weights) set_weight(options.weights, word);
    if (options.weights.outside && !cosa::has_exact_tiles(options.variant))
        fail_usage("map",
                   fmt::format("--cosa-weights: outside is of the variants exact and as-printed, not of {}", variant));
    for (const std::string& word : bits) name_and_number("cosa-bits", word);
    options.pad = pad;
    return options;
}

cosa::ProgramOptions CosaPlan::options(const Einsum& einsum) const {
    cosa::ProgramOptions result = options();
    if (bits.empty()) return result;
    result.tensor_bits.assign(einsum.tensors.size(), 0);
    for (const std::string& word : bits) {
        const auto [name, number] = name_and_number("cosa-bits", word);
        const int tensor = find_tensor(einsum, name);
        std::vector<std::string> known;
        for (const Tensor& t : einsum.tensors) known.push_back(t.name);
        if (tensor < 0)
            fail_usage("map", fmt::format("--cosa-bits: there is no tensor '{}'{}", name, did_you_mean(name, known)));
        if (number < 1.0 || number > 4096.0)
            fail_usage("map", fmt::format("--cosa-bits takes 1 to 4096 bits, found '{}'", word));
        result.tensor_bits[tensor] = static_cast<std::int64_t>(number);
    }
    return result;
}

std::vector<std::pair<std::string, std::string>> CosaPlan::given_words() const {
    std::vector<std::pair<std::string, std::string>> given;
    for (const auto& [name, value] : {std::pair{"formulation", formulation},
                                      {"variant", variant},
                                      {"goal", goal},
                                      {"orders", orders},
                                      {"weights", list_text(weights)},
                                      {"bits", list_text(bits)}})
        if (!value.empty()) given.emplace_back(std::string("cosa_") + name, value);
    return given;
}

std::vector<std::pair<std::string, std::string>> CosaPlan::for_the_report() const {
    std::vector<std::pair<std::string, std::string>> given = given_words();
    if (const auto own = own_weights())
        given.emplace_back("cosa_weights", fmt::format("utilization={},compute={},traffic={} (calibrated for {})",
                                                       own->utilization, own->compute, own->traffic, machine));
    if (pad) given.emplace_back("cosa_pad", "true");
    return given;
}

}  // namespace tilewright::cli
