// evaluate() and compare(): what given mappings cost, by one accounting or several.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "base/numbers/hash.hpp"
#include "parts.hpp"
#include "report/csv.hpp"
#include "report/json.hpp"
#include "report/parts/table.hpp"
#include "report/show_text.hpp"
#include "run/evaluate_layer.hpp"
#include "run/mapping/mapping_file.hpp"
#include "run/physical/physical_latency.hpp"
#include "run/what_if/what_if.hpp"
#include "run/words.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/sparse/read_sparse.hpp"
#include "values.hpp"
#include "work.hpp"
#include "workload/einsum_text.hpp"
#include "zeros.hpp"

namespace tilewright::python {
namespace {

// Mappings of a network and where they came from.
struct GivenMappings {
    Network network;  ///< padded as they want it
    std::vector<LayerMapping> mappings;
    std::vector<report::Input> inputs = {};
    yaml::Node root = {};  ///< with the mappings; null: the text of a result
};

struct AccountedLayer {
    report::Report report;
    std::vector<report::NamedEvaluation> evaluations;
};

// `file`: empty where `text` is what a report wrote; both empty: the machine's own files hold the mappings.
GivenMappings given_mappings(const ReadNetwork& network, const NamedMachine& machine,
                             const std::optional<std::filesystem::path>& file, const std::optional<std::string>& text,
                             bool restore_remainders) {
    GivenMappings given{network.network, {}};
    const Architecture& architecture = machine.machine.architecture();
    const timeloop::Remainders remainders =
        restore_remainders ? timeloop::Remainders::restore : timeloop::Remainders::as_written;
    if (file) {
        const yaml::Node root = timeloop::load({*file});
        if (!has_mappings(root)) root.fail(ErrorCode::missing_key, "expected 'mapping' or 'layers'");
        given.network = padded_as_mapped(root, network.network);
        given.mappings = read_mapping_file(root, given.network, architecture, remainders);
        given.inputs = {{file->string(), content_hash(read_file(*file))}};
        given.root = root;
    } else if (text) {
        const yaml::Node root = yaml::parse_text(*text, "mapping");
        given.network = padded_as_mapped(root, network.network);
        given.mappings = read_mapping_file(root, given.network, architecture, remainders);
        for (LayerMapping& one : given.mappings) one.places = {};  // that text is not shown
        given.inputs = {{"mapping", content_hash(*text)}};
    } else {
        if (!machine.machine.has_mappings())
            throw InputError(ErrorCode::usage, {}, "no mapping: give a file with 'mapping'");
        given.mappings = machine.machine.mappings(network.network);
        given.root = machine.machine.zeros().root();
    }
    if (given.mappings.empty())
        throw InputError(ErrorCode::usage, {},
                         "the files hold no mapping of the layers of '" + network.network.name + "'");
    return given;
}

Rules rules_of(const std::string& name, const char* option) {
    const std::optional<Rules> rules = rules_named(name);
    if (!rules) refuse_choice(option, name, rules_names());
    return *rules;
}

void add_once(std::vector<std::string> more, std::vector<std::string>& notes) {
    for (std::string& note : more)
        if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
}

report::Report begun(const std::string& verb, const ReadNetwork& network, const NamedMachine& machine,
                     const GivenMappings& given, const std::string& account) {
    report::Report report;
    report.architecture = machine.machine.architecture();
    report.notes = machine.machine.notes();
    report.notes.insert(report.notes.end(), network.notes.begin(), network.notes.end());
    report.provenance = provenance_of(verb, machine.machine, network);
    report.provenance.inputs.insert(report.provenance.inputs.end(), given.inputs.begin(), given.inputs.end());
    report.provenance.accounting = account;
    return report;
}

// As `rules` count it; nothing where they count dense layers only.
std::optional<sparse::Design> design_for(Rules rules, const SparseFiles& zeros, const Layer& layer,
                                         const NamedMachine& machine) {
    if (rules == Rules::zigzag) machine.machine.refuse_zeros();
    return zeros.design(layer, machine.machine.architecture());
}

Accounting accounting_of(Rules rules, const std::optional<sparse::Design>& design, const GivenMappings& given,
                         const Layer& layer, const NamedMachine& machine) {
    Accounting accounting{.rules = rules};
    if (!design) return accounting;
    accounting.details.zeros = design;
    if (!given.root.is_null())
        accounting.orders = timeloop::read_loop_orders(given.root, layer.einsum, machine.machine.architecture());
    return accounting;
}

// How the machine was built, where its time counts: by default, too. As the command line has it.
const silicon::Silicon* as_built(const NamedMachine& machine, Rules rules, const std::string& latency) {
    const bool asked = latency == "physical";
    if (!asked && !latency.empty() && latency != "plain") refuse_choice("latency", latency, {"physical", "plain"});
    if (asked && rules != Rules::exact)
        throw InputError(ErrorCode::usage, {}, "the latency physical is for the account exact");
    if (asked && machine.machine.silicon() == nullptr)
        throw InputError(ErrorCode::usage, {},
                         "the latency physical needs a machine with a section 'silicon' (docs/silicon.md)");
    return rules == Rules::exact && latency != "plain" ? machine.machine.silicon() : nullptr;
}

// Why the time as built of such a layer is not known, or "". Where it was asked for, that is an error.
std::string why_plain(const Layer& layer, const Architecture& architecture, const LayerDetails& details,
                      const std::string& latency) {
    std::string why = why_not_as_built({layer.einsum, architecture, {}, details.words, details.zeros});
    if (latency == "physical" && !why.empty()) throw InputError(ErrorCode::usage, {}, why);
    return why;
}

std::shared_ptr<report::Report> evaluate(const ReadNetwork& network, const NamedMachine& machine,
                                         const std::optional<std::filesystem::path>& file,
                                         const std::optional<std::string>& text, const std::string& account,
                                         bool restore_remainders, const std::vector<DensityWord>& density,
                                         const std::string& latency) {
    const Rules rules = rules_of(account, "account");
    const silicon::Silicon* const built = as_built(machine, rules, latency);
    if (rules != Rules::exact) refuse_words(network, "accountings of other tools know");
    std::vector<std::string> told;
    const SparseFiles zeros = zeros_of(network, machine.machine, density, told);
    const GivenMappings given = given_mappings(network, machine, file, text, restore_remainders);
    auto report = std::make_shared<report::Report>(begun("evaluate", network, machine, given, account));
    report->network = network.network.name;
    for (const Layer& layer : network.network.layers) report->layers.push_back(report::unmapped(layer));
    std::vector<sparse::Design> designs;
    for (const auto& [index, mapping, places] : given.mappings) {
        const auto place = static_cast<std::size_t>(index);
        const Layer& layer = given.network.layers[place];
        const std::optional<sparse::Design> design = design_for(rules, zeros, layer, machine);
        Accounting accounting = accounting_of(rules, design, given, layer, machine);
        if (!network.words.empty()) accounting.details.words = network.words[place];
        report->layers[place] = evaluate_layer(layer, report->architecture, mapping, accounting, places);
        const Einsum& own = network.network.layers[place].einsum;
        if (layer.einsum != own) report->layers[place].unpadded = own;
        if (built != nullptr)
            report->layers[place].not_as_built = why_plain(layer, report->architecture, accounting.details, latency);
        name_density_sources(zeros, network.network, report->layers[place]);
        add_once(mapping_notes(layer, report->architecture, mapping, rules, machine.machine.constraints()),
                 report->notes);
        if (design) designs.push_back(*design);
    }
    if (const std::vector<std::string> words = block_notes(network.network, network.words); !words.empty()) {
        report->provenance.options.emplace_back(kBlocksOption, list_words(words));
        add_once(words, report->notes);
    }
    for (const sparse::Design& design : designs)
        if (const std::string note = note_about(design); !note.empty()) add_once({note}, report->notes);
    add_once(told, report->notes);
    if (built != nullptr) {
        take_time_as_built(*built, *report);
        report->provenance.options.emplace_back("latency", "physical");
    }
    add_once(energy_range_notes(*report), report->notes);
    for (const int index : layers_without(given.mappings, network.network))
        report->layers[index].failures = {"the files hold no mapping of it"};
    report->unmapped = network.network.unmapped;
    return report;
}

AccountedLayer compare(const ReadNetwork& network, const NamedMachine& machine,
                       const std::optional<std::filesystem::path>& file, const std::optional<std::string>& text,
                       const std::vector<std::string>& accounts, const std::vector<DensityWord>& density) {
    if (network.network.layers.size() != 1)
        throw InputError(ErrorCode::usage, {},
                         "compare takes one layer, found " + std::to_string(network.network.layers.size()) +
                             "; give it one, such as network[0]");
    refuse_words(network, "comparisons know");
    const std::vector<std::string> names = accounts.empty() ? rules_names() : accounts;
    const GivenMappings given = given_mappings(network, machine, file, text, false);
    std::vector<std::string> told;
    const SparseFiles zeros = zeros_of(network, machine.machine, density, told);
    AccountedLayer same{begun("compare", network, machine, given, names.front()), {}};
    const auto& [index, mapping, places] = given.mappings.front();
    const Layer& layer = given.network.layers[index];
    const std::optional<sparse::Design> design = zeros.design(layer, machine.machine.architecture());
    if (design) add_design_notes({*design}, machine.machine, same.report.notes);
    add_once(told, same.report.notes);
    add_once(mapping_notes(layer, same.report.architecture, mapping, rules_of(names.front(), "accounts"),
                           machine.machine.constraints()),
             same.report.notes);
    for (const std::string& name : names) {
        const report::LayerResult result =
            evaluate_layer(layer, same.report.architecture, mapping,
                           accounting_of(rules_of(name, "accounts"), design, given, layer, machine), places);
        if (!result.evaluation && accounts.empty() && name == "zigzag") {
            same.report.notes.push_back("no line for zigzag: " + list_words(result.failures));
            continue;
        }
        if (!result.evaluation) throw InputError(ErrorCode::unsupported, {}, name + ": " + list_words(result.failures));
        same.evaluations.emplace_back(name, *result.evaluation);
        if (same.report.layers.empty()) same.report.layers = {result};
    }
    return same;
}

std::string text_of(const AccountedLayer& same) {
    const report::LayerResult& layer = same.report.layers.front();
    return "Layer " + layer.names.front() + " on " + same.report.architecture.name + "\n  " + to_text(layer.einsum) +
           "\n  " + report::extents_text(layer.einsum) + "\n\n" +
           report::comparison_text(layer.einsum, same.evaluations);
}

}  // namespace

void bind_evaluate(py::module_& module) {
    py::class_<AccountedLayer>(module, "Comparison")
        .def_property_readonly("notes", [](const AccountedLayer& same) { return same.report.notes; })
        .def("totals",
             [](const AccountedLayer& same) {
                 py::list totals;
                 for (const auto& [name, one] : same.evaluations)
                     totals.append(py::make_tuple(name, one.energy_pj, one.cycles));
                 return totals;
             })
        .def("json", patiently(+[](const AccountedLayer& same) {
                 return report::comparison_json(same.report, same.evaluations);
             }))
        .def("csv",
             patiently(+[](const AccountedLayer& same) { return report::costs_csv(same.report, same.evaluations); }))
        .def("text", patiently(&text_of));
    module.def("evaluate", patiently(&evaluate), py::arg("network"), py::arg("architecture"), py::arg("file"),
               py::arg("text"), py::arg("account"), py::arg("restore_remainders"), py::arg("density"),
               py::arg("latency"));
    module.def("compare", patiently(&compare), py::arg("network"), py::arg("architecture"), py::arg("file"),
               py::arg("text"), py::arg("accounts"), py::arg("density"));
    module.def("accountings", &rules_names);
}

}  // namespace tilewright::python
