#include "verbs/explore/designs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/architecture.hpp"
#include "base/error.hpp"
#include "base/version.hpp"
#include "model/version.hpp"
#include "run/composition.hpp"
#include "run/fused/fusing.hpp"
#include "timeloop/machine/settings.hpp"
#include "verbs/map/fused_search.hpp"

namespace tilewright::cli {
namespace {

using timeloop::Setting;

// A value that there is.
void set_search(SearchPlan& plan, const explore::Knob& knob, const std::string& value) {
    check_search_value(knob, value);
    if (knob.name == "seed") plan.seed = std::stoll(value);
    if (knob.name == "mapper") plan.mapper = value;
    if (knob.name == "factors") plan.factors = value;
    if (knob.name == "objective") plan.objective = value;
}

InputOptions of_first_point(InputOptions options, const explore::Space& space) {
    for (const explore::Knob& knob : space.knobs())
        if (is_template_knob(knob.name)) options.jinja.push_back(template_setting(knob.name, knob.values.front()));
    return options;
}

// The first line of a message; the rest draws a caret below what is written in a file.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

/// What the knobs say at one point.
struct Designs::Variant {
    std::vector<Setting> settings;
    SearchPlan plan;
    std::vector<std::string> nets;
    std::vector<std::string> dims;
    std::vector<std::string> jinja;
};

Designs::Designs(const InputOptions& options, const SearchPlan& plan, const DesignKnobs& knobs, bool reestimate,
                 bool fuse)
    : options_(options),
      plan_(plan),
      knobs_(knobs),
      space_(knobs.space),
      reestimate_(reestimate),
      fuse_(fuse),
      base_("explore", of_first_point(options, knobs.space)) {
    base_.refuse_zigzag("explores Timeloop's machines, not ZigZag's");
    static_cast<void>(base_.unestimated_architecture());
    base_.take_words();
    check_values();
    if (has_given_mappings()) take_given_mappings();
    settings_ = plan_.settle(base_.root());
    add_notes(settings_.notes);
    add_notes(base_.notes());
}

InputOptions Designs::options_of(const Variant& variant) const {
    InputOptions options = options_;
    options.nets = variant.nets;
    options.dims = variant.dims;
    options.jinja = variant.jinja;
    options.cascade = options.cascade || (fuse_ && !options.nets.empty());
    return options;
}

// Names first: a slip in one is no property of a point.
void Designs::check_values() const {
    bool has_net = false;
    for (const Setting& setting : machine_settings(knobs_, 0)) {
        Inputs inputs = base_;
        inputs.change({setting});
    }
    for (const explore::Knob& knob : space_.knobs()) {
        has_net = has_net || knob.name == "net";
        if (!is_search_knob(knob.name)) continue;
        for (const std::string& value : knob.values) {
            SearchPlan plan = plan_;
            set_search(plan, knob, value);
        }
    }
    if (has_net && (!options_.nets.empty() || !options_.einsum.empty()))
        fail_usage("explore", "--set net=... and --net or --einsum contradict each other");
}

void Designs::take_given_mappings() {
    for (const explore::Knob& knob : space_.knobs())
        if (is_network_knob(knob.name) || is_search_knob(knob.name) || is_template_knob(knob.name))
            throw InputError(ErrorCode::bad_value, knob.where,
                             "the files hold the mappings: only the machine varies, not '" + knob.name + "'");
    if (!plan_.mapper.empty()) fail_usage("explore", "the files hold the mappings: --mapper has nothing to search");
    static_cast<void>(base_.network());  // finds out which layers are left out
}

void Designs::give_mappings(Inputs& inputs, const Network& network, Design& design) const {
    const std::vector<LayerMapping> mappings = read_mappings(inputs, network, design.architecture);
    const DetailsOf details = inputs.details(network, design.architecture);
    for (const auto& [index, mapping, places] : mappings)
        design.given.push_back({network.layers[index], mapping, details(static_cast<std::size_t>(index))});
    for (const int index : layers_without(mappings, network))
        design.failure = network.layers[index].name + ": the files hold no mapping of this layer";
}

Designs::Variant Designs::variant(explore::Point point) const {
    Variant variant{machine_settings(knobs_, point), plan_, options_.nets, options_.dims, options_.jinja};
    for (std::size_t i = 0; i < space_.knobs().size(); ++i) {
        const explore::Knob& knob = space_.knobs()[i];
        const std::string& value = space_.value(point, i);
        if (is_search_knob(knob.name))
            set_search(variant.plan, knob, value);
        else if (is_template_knob(knob.name))
            variant.jinja.push_back(template_setting(knob.name, value));
        else if (knob.name == "net")
            variant.nets = {value};
        else if (is_network_knob(knob.name))
            variant.dims.push_back(knob.name.substr(4) + "=" + value);
    }
    return variant;
}

const Designs::Files& Designs::files(const Variant& variant) {
    std::string key;
    for (const std::string& net : variant.nets) key += net + " ";
    for (const std::string& dim : variant.dims) key += dim + " ";
    for (const std::string& setting : variant.jinja) key += setting + " ";
    if (const auto known = files_.find(key); known != files_.end()) return known->second;
    Inputs inputs("explore", options_of(variant));
    inputs.take_words();
    Network network;
    std::optional<Cascade> cascade;
    if (fuse_)
        cascade = cascade_to_fuse("explore", inputs);
    else
        network = inputs.network();
    add_notes(inputs.notes());
    return files_.emplace(key, Files{std::move(inputs), std::move(network), std::move(cascade)}).first->second;
}

FusedProblem Designs::fused_problem(Inputs& inputs, const Cascade& cascade, const Architecture& architecture,
                                    const MapOptions& options) const {
    if (options.objective.kind == ObjectiveKind::pareto) throw InputError(ErrorCode::usage, {}, kOneMapping);
    const Fusing fusing = fusing_of(cascade, architecture, options.objective,
                                    [&](const Einsum& einsum) { return inputs.constraints(architecture, einsum); });
    if (!fusing.problem.empty()) throw InputError(ErrorCode::unsupported, {}, fusing.problem);
    return {cascade, architecture, fusing.demands};
}

void Designs::add_notes(const std::vector<std::string>& notes) {
    constexpr std::size_t kMost = 20;  // a sweep would repeat one sentence with every number
    for (const std::string& note : notes)
        if (notes_.size() < kMost && std::find(notes_.begin(), notes_.end(), note) == notes_.end())
            notes_.push_back(note);
}

// Who varies a size expects the energy to follow.
void Designs::note_given(const Architecture& architecture) {
    const std::set<std::string> names = timeloop::resized(architecture, machine_settings(knobs_, 0));
    const auto tell = [&](const std::string& name, const std::string& source) {
        if (names.contains(name) && !source.empty())
            add_notes(
                {fmt::format("the energy of '{}' is {} and stays as it is; --reestimate estimates it for every "
                             "design",
                             name, source)});
    };
    for (const Memory& memory : architecture.memories) tell(memory.name, memory.energy.read_pj.source);
    tell(architecture.compute.name, architecture.compute.energy_pj.source);
}

Design Designs::design(explore::Point point) {
    Design design;
    design.point = point;
    try {
        const Variant variant = this->variant(point);
        const Files& files = this->files(variant);
        const Network& network = files.network;
        Inputs inputs = files.inputs;
        if (!variant.settings.empty()) inputs.change(variant.settings);
        const Architecture given = inputs.unestimated_architecture();
        if (reestimate_)
            inputs.forget(timeloop::resized(given, variant.settings));
        else
            note_given(given);
        design.architecture = inputs.architecture();
        if (has_given_mappings()) {
            give_mappings(inputs, network, design);
            add_notes(inputs.notes());
            return design;
        }
        const PlannedSearch settings = variant.plan.settle(base_.root());
        design.options = settings.map;
        if (files.cascade) {
            design.architecture = with_room_for(*files.cascade, design.architecture);
            design.fused = fused_problem(inputs, *files.cascade, design.architecture, design.options);
            add_notes(inputs.notes());
            return design;
        }
        design.problem = inputs.problem(network, design.architecture);
        if (std::string why = refusal(capabilities_of(design.problem, design.options)); !why.empty())
            throw InputError(ErrorCode::unsupported, {}, why);
        variant.plan.check(design.problem);
        add_notes(settings.notes);
        add_notes(inputs.notes());
    } catch (const InputError& error) {
        design.failure = first_line(error.what());
    } catch (const OverflowError& error) {
        design.failure = error.what();
    }
    return design;
}

std::string Designs::title() {
    const std::string machine = base_.unestimated_architecture().name;
    const Variant first = variant(0);
    const bool one = std::none_of(space_.knobs().begin(), space_.knobs().end(),
                                  [](const explore::Knob& knob) { return knob.name == "net"; });
    return (one ? name_of(files(first)) : "networks") + " on " + (machine.empty() ? "a machine" : machine);
}

std::size_t Designs::layers_of_first() {
    const Files& first = files(variant(0));
    return first.cascade ? first.cascade->einsums.size() : distinct_layers(first.network).size();
}

std::vector<std::string> Designs::read() const {
    std::vector<std::string> names;
    for (const report::Input& input : base_.read()) names.push_back(input.name);
    for (const auto& [key, one] : files_)
        for (const report::Input& input : one.inputs.read()) names.push_back(input.name);
    return names;
}

// All that knobs from `knob` on make of the point: those of machines and searches stay as they are.
void Designs::read_files(std::size_t knob, explore::Point point) {
    const auto is_read = [&](const std::string& name) { return is_network_knob(name) || is_template_knob(name); };
    while (knob < space_.knobs().size() && !is_read(space_.knobs()[knob].name)) ++knob;
    if (knob == space_.knobs().size()) {
        static_cast<void>(files(variant(point)));
        return;
    }
    for (std::size_t i = 0; i < space_.knobs()[knob].values.size(); ++i)
        read_files(knob + 1, point + static_cast<explore::Point>(i) * space_.stride(knob));
}

std::vector<std::pair<std::string, std::string>> Designs::given() {
    std::vector<std::pair<std::string, std::string>> all{
        {"evaluator", has_given_mappings() ? "given mappings"
                      : fuse_              ? "fused mapping"
                                           : "mapping"},
        {"version", fmt::format("tilewright {}, model {}", version(), kModelVersion)},
        {"estimator", options_.estimator + (reestimate_ ? ", in place of what is given" : "")}};
    for (const auto& [name, value] : settings_.for_the_report) all.emplace_back("option " + name, value);
    all.emplace_back("seed", std::to_string(settings_.map.seed));
    for (const DerivedSetting& derived : knobs_.derived) all.emplace_back("set " + derived.name, derived.expression);
    const auto add = [&](const std::string& name, const std::vector<std::string>& words) {
        std::string text;
        for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
        if (!text.empty()) all.emplace_back(name, text);
    };
    add("layers", options_.layers);
    add("dim", options_.dims);
    add("bits", options_.bits);
    add("rename", options_.rename);
    if (base_.has_sparse_machine()) add("density", options_.density);
    add("einsum", options_.einsum.empty() ? std::vector<std::string>{} : std::vector{options_.einsum});
    add("extents", options_.extents);
    add("jinja", options_.jinja);
    add("unnamed", options_.unnamed.empty() ? std::vector<std::string>{} : std::vector{options_.unnamed});
    // Every network and every template of the space is read: what they hold decides the rows.
    read_files(0, 0);
    std::vector<report::Input> inputs = base_.read();
    for (const auto& [key, one] : files_) {
        const std::vector<report::Input>& read = one.inputs.read();
        inputs.insert(inputs.end(), read.begin(), read.end());
    }
    std::set<std::pair<std::string, std::string>> files;
    for (const report::Input& input : inputs) files.emplace(input.xxh3, input.name);
    int number = 0;
    for (const auto& [hash, name] : files) all.emplace_back(fmt::format("input {}", ++number), hash);
    return all;
}

}  // namespace tilewright::cli
