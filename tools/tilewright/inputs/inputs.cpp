#include "inputs/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "arch/estimation/estimate.hpp"
#include "base/error.hpp"
#include "base/files/file.hpp"
#include "base/notes.hpp"
#include "base/numbers/hash.hpp"
#include "explore/space.hpp"
#include "inputs/assignments.hpp"
#include "inputs/cascades.hpp"
#include "inputs/mistakes.hpp"
#include "inputs/rank_names.hpp"
#include "native/network.hpp"
#include "onnx/onnx.hpp"
#include "options/machine_options.hpp"
#include "output/output.hpp"
#include "report/cascade/cascade.hpp"
#include "report/json.hpp"
#include "run/explore/design_knobs.hpp"
#include "run/fused/fusing.hpp"
#include "run/mapping/mapping_file.hpp"
#include "run/words.hpp"
#include "scalesim/topology.hpp"
#include "silicon/files/silicon.hpp"
#include "timeloop/additions/additions.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/files/sections.hpp"
#include "timeloop/files/zoo.hpp"
#include "timeloop/machine/architecture.hpp"
#include "timeloop/machine/array.hpp"
#include "timeloop/machine/part_costs.hpp"
#include "timeloop/machine/read_over.hpp"
#include "timeloop/mapping/mapping.hpp"
#include "timeloop/problem/problem.hpp"
#include "timeloop/sparse/read_sparse.hpp"
#include "verbs/evaluate/dataflows.hpp"
#include "verbs/evaluate/scalesim.hpp"
#include "workload/cascade/layers.hpp"
#include "workload/cascade/widths.hpp"
#include "workload/einsum_text.hpp"
#include "workload/network.hpp"
#include "workload/widths.hpp"
#include "workload/zoo/cascades.hpp"
#include "workload/zoo/zoo.hpp"

namespace tilewright::cli {
namespace {

bool is_onnx(const std::string& name) { return name.ends_with(".onnx"); }

// A name of the zoo has no folder and no ending; anything else is a file.
bool names_file(const std::string& name) {
    return name.find('/') != std::string::npos || name.ends_with(".yaml") || name.ends_with(".yml") ||
           name.ends_with(".json") || name.ends_with(".cfg") || name.ends_with(".csv") ||
           name.find(".jinja") != std::string::npos || is_dataflow_file(name) || is_onnx(name) || is_cascade_file(name);
}

std::vector<std::filesystem::path> paths_of(const std::vector<std::string>& files) {
    return {files.begin(), files.end()};
}

// A word among the files that is no file but a name of the zoo is a habit from elsewhere.
void refuse_names_of_the_zoo(const std::string& verb, const std::vector<std::string>& files) {
    for (const std::string& file : files) {
        std::error_code no_file;
        if (names_file(file) || std::filesystem::exists(file, no_file)) continue;
        refuse_for(verb, meant_for_file(file));
    }
}

std::string stem(const std::string& file) { return std::filesystem::path(file).stem().string(); }

Network single_layer(std::string name, Einsum einsum) {
    Network network;
    network.name = name;
    std::string op = "Einsum";
    network.layers.push_back({std::move(name), std::move(op), std::move(einsum), 1, {}});
    return network;
}

std::vector<std::filesystem::path> folders_of(const std::vector<std::string>& files) {
    std::vector<std::filesystem::path> folders;
    folders.reserve(files.size());
    for (const std::string& file : files) folders.push_back(std::filesystem::path(file).parent_path());
    return folders;
}

// Returns what the user should know.
std::vector<std::string> give_bits(const std::string& verb, const std::vector<std::string>& bits, Cascade& cascade) {
    const std::vector<TensorWidth> widths = read_widths(verb, bits);
    const auto set = [&] {
        const bool counts_sums = verb == "evaluate" || verb == "map";
        require_fused_words(have_partial_sums(widths) && !counts_sums, have_blocks(widths));
        return set_widths(cascade, widths);
    };
    return in_the_words_of(verb, set, "--bits: ");
}

}  // namespace

Inputs::Inputs(std::string verb, InputOptions options)
    : verb_(std::move(verb)), options_(std::move(options)), densities_(verb_, options_.density) {
    refuse_names_of_the_zoo(verb_, options_.files);
    for (const std::string& file : options_.files) check_input_size(options_.largest_input_mib, file);
    for (const std::string& file : options_.nets)
        if (names_file(file)) check_input_size(options_.largest_input_mib, file);
    if (names_file(options_.arch)) check_input_size(options_.largest_input_mib, options_.arch);
    std::vector<std::string> yaml_files;
    for (const std::string& file : options_.files)
        (is_onnx(file) || is_dataflow_file(file) || is_topology(file) || is_cascade_file(file) ? options_.nets
                                                                                               : yaml_files)
            .push_back(file);
    options_.files = yaml_files = without_accelforge(without_zigzag(yaml_files));
    options_.nets = without_accelforge(without_zigzag(options_.nets));
    if (names_file(options_.arch) && without_accelforge(without_zigzag({options_.arch})).empty()) options_.arch.clear();
    accelforge_.load(template_settings(options_, verb_));
    note_read(accelforge_.included());
    note_core();
    if (!yaml_files.empty()) read_yaml(yaml_files);
    if (!options_.arch.empty()) read_arch();
    root_ = without_what_is_read_over(root_);
    take_apart();
    apply_settings();
    check_widths();
    take_network_for_zigzag();
    if (!options_.einsum.empty() && !options_.nets.empty()) fail_usage(verb_, "give --einsum or --net, not both");
    check_dims();
}

void Inputs::refuse_zigzag(const std::string& why) {
    if (zigzag_.decide()) fail_usage(verb_, why);
}

void Inputs::note_core() {
    const std::string& file = zigzag_.core_file();
    if (!file.empty()) return note_read(std::vector<std::string>{file});
    if (!options_.core.empty())
        fail_usage(verb_, "--core chooses among several cores: no file here has a list of 'cores' (Stream)");
}

void Inputs::apply_settings() {
    std::vector<timeloop::Setting> settings;
    for (const std::string& text : options_.set) {
        const explore::Knob knob = setting_of(text, verb_);
        if (is_template_knob(knob.name)) continue;
        settings.push_back({knob.name, knob.values.front(), knob.where});
        read_.push_back({"--set " + knob.name, content_hash(knob.values.front())});
    }
    if (!settings.empty()) change(settings);
}

void Inputs::change(const std::vector<timeloop::Setting>& settings) {
    if (zigzag_.decide()) fail_usage(verb_, "--set changes Timeloop's machines, not ZigZag's");
    if (accelforge_.has_machine())
        fail_usage(verb_, "--set changes Timeloop's machines; AccelForge's take --jinja NAME=VALUE");
    if (!has_architecture()) fail_usage(verb_, "--set needs a machine: give --arch NAME or a file with 'architecture'");
    if (!options_.sparse) {
        root_ = timeloop::with_settings(root_, settings);
        return;
    }
    root_ = timeloop::with_settings(zeros_.root(), settings);
    take_apart();
}

// What is said about sparse tensors stands in zeros_ only, without a word.
void Inputs::take_apart() {
    if (!options_.sparse || root_.is_null()) return;
    zeros_.replace(root_);
    root_ = dense_part(root_);
}

yaml::Node Inputs::dense_part(const yaml::Node& tree) const {
    Notes unused;
    return timeloop::read_over(tree, {options_.strict, true, true}, unused);
}

std::optional<sparse::Design> Inputs::sparse_design(const Layer& layer, const Architecture& architecture) {
    std::optional<sparse::Design> design = zeros_.design(layer, architecture, &void_names_);
    if (!design) return std::nullopt;
    if (const std::string note = note_about(*design); !note.empty()) note_once(note);
    return design;
}

// A dimension that no network takes would be lost.
void Inputs::check_dims() const {
    if (options_.nets.empty() && (options_.cascade || !options_.phase.empty()))
        fail_usage(verb_, "--cascade and --phase are about a network: give --net");
    if (options_.dims.empty()) return;
    static_cast<void>(assignments(verb_, "--dim", options_.dims));
    const bool any = std::any_of(options_.nets.begin(), options_.nets.end(),
                                 [](const std::string& net) { return is_onnx(net) || !names_file(net); });
    if (!any) fail_usage(verb_, "--dim is for ONNX files and networks of the zoo; a problem file says its own extents");
}

// So would names and widths of tensors that do not exist.
void Inputs::check_widths() {
    if (!options_.bits.empty() && zigzag_.decide() && zigzag_.has_workload())
        fail_usage(verb_, "--bits: ZigZag's workloads say it themselves (operand_precision)");
    if (!has_network() && (!options_.bits.empty() || !options_.rename.empty()))
        fail_usage(verb_, "--rename and --bits are about a network: give --net, --einsum or a problem file");
}

timeloop::Unnamed Inputs::unnamed() const {
    if (options_.unnamed == "ignore") return timeloop::Unnamed::ignore;
    return options_.unnamed == "error" ? timeloop::Unnamed::refuse : timeloop::Unnamed::ignore_in_zoo;
}

Constraints Inputs::constraints(const Architecture& architecture, const Einsum& einsum) {
    Constraints constraints = given_constraints(architecture, einsum);
    if (!options_.expressible.empty()) timeloop::keep_to_directives(constraints, architecture.memory_count());
    return constraints;
}

Constraints Inputs::given_constraints(const Architecture& architecture, const Einsum& einsum) {
    if (accelforge_.has_machine()) return accelforge_.constraints(architecture, einsum);
    try {
        return timeloop::read_constraints(root_, architecture, einsum, unnamed(), &void_names_);
    } catch (const InputError& error) {
        const bool lacks = error.code() == ErrorCode::unknown_name || error.code() == ErrorCode::unknown_tensor;
        if (!lacks || !error.message().starts_with("there is no ") || !options_.unnamed.empty()) throw;
        const auto layer = std::ranges::find(own_, einsum, &Layer::einsum);
        throw InputError(error.code(), error.where(),
                         error.message() + (layer == own_.end() ? "" : " (layer '" + layer->name + "')") +
                             "; --unnamed ignore voids the constraints on it");
    }
}

std::vector<std::string> Inputs::notes() const {
    std::vector<std::string> notes = notes_;
    for (std::string& note : accelforge_.notes()) notes.push_back(std::move(note));
    notes.insert(notes.end(), estimates_.begin(), estimates_.end());
    for (std::string& note : timeloop::notes_about(void_names_)) notes.push_back(std::move(note));
    return notes;
}

void Inputs::tell_notes() const {
    for (const std::string& note : notes_) print_error("note: " + note);
    for (const std::string& note : accelforge_.notes()) print_error("note: " + note);
}

// ZigZag's hardware runs networks of any kind.
void Inputs::take_network_for_zigzag() {
    if (!zigzag_.decide() || zigzag_.has_workload()) return;
    if (!has_network()) return;
    Network network = unfiltered_network();
    rename_as_asked(verb_, options_.rename, network);
    set_bits(network);
    zigzag_.take(network);
}

// Takes ZigZag's files from among these and returns the others.
std::vector<std::string> Inputs::without_zigzag(const std::vector<std::string>& files) {
    std::vector<std::string> others;
    for (const std::string& file : files) {
        const bool another = is_onnx(file) || is_dataflow_file(file) || is_topology(file) || is_scalesim_config(file);
        if (!names_file(file) || another || !zigzag_.take(file, options_.core, most_bytes(file)))
            others.push_back(file);
        else
            read_.push_back({file, content_hash(read_file(file, most_bytes(file)))});
    }
    return others;
}

std::vector<std::string> Inputs::without_accelforge(const std::vector<std::string>& files) {
    std::vector<std::string> others;
    for (const std::string& file : files) {
        if (!names_file(file) || !accelforge_.take(file, most_bytes(file)))
            others.push_back(file);
        else
            read_.push_back({file, content_hash(read_file(file, most_bytes(file)))});
    }
    return others;
}

bool Inputs::has_architecture() const {
    return root_.has("architecture") || root_.has("arch") || accelforge_.has_machine();
}

bool Inputs::has_network() const {
    return !options_.einsum.empty() || !options_.nets.empty() || root_.has("problem") || root_.has("network") ||
           zigzag_.has_workload() || accelforge_.has_workload();
}

template <class Files>
void Inputs::note_read(const Files& files) {
    for (const std::string& file : files) {
        const auto is_it = [&](const report::Input& input) { return input.name == file; };
        if (std::ranges::none_of(read_, is_it))
            read_.push_back({file, content_hash(read_file(file, most_bytes(file)))});
    }
}

// With what they include, as answers and workers elsewhere depend on that, too.
yaml::Node Inputs::loaded(const std::vector<std::string>& files) {
    note_read(files);
    yaml::Node tree =
        options_.mistakes == nullptr
            ? timeloop::load(paths_of(files), template_settings(options_, verb_))
            : timeloop::load_tolerantly(paths_of(files), template_settings(options_, verb_), *options_.mistakes);
    std::set<std::string> included = timeloop::files_of(tree);
    for (const std::string& file : files) included.erase(file);
    note_read(included);
    return tree;
}

// SCALE-Sim's machine becomes one of Timeloop's.
void Inputs::read_scalesim(const std::string& file) {
    if (scalesim_) throw InputError(ErrorCode::duplicate_key, {file}, "two of the files are machines of SCALE-Sim's");
    note_read(std::vector{file});
    scalesim_ = scalesim::read_config(read_file(file, most_bytes(file)), file);
    for (std::string& note : scalesim::notes_about(*scalesim_, options_.strict)) notes_.push_back(std::move(note));
    // Not by the name of the file, whose ending promises another notation.
    add_to_root(timeloop::load_text(scalesim::machine_text(*scalesim_), file + " as a machine of Timeloop's"));
}

void Inputs::read_yaml(const std::vector<std::string>& given) {
    std::vector<std::string> files;
    for (const std::string& file : given) {
        if (is_scalesim_config(file))
            read_scalesim(file);
        else
            files.push_back(file);
    }
    if (files.empty()) return;
    const yaml::Node tree = loaded(files);
    for (std::string& note : options_.mistakes == nullptr ? timeloop::unused_sections(tree)
                                                          : timeloop::unused_sections(tree, *options_.mistakes))
        notes_.push_back(std::move(note));
    add_to_root(tree);
}

yaml::Node Inputs::without_what_is_read_over(const yaml::Node& root) {
    if (root.is_null()) return root;
    Notes notes;
    yaml::Node rest = timeloop::read_over(
        root, {options_.strict, options_.dense, options_.sparse && timeloop::is_sparse(root)}, notes);
    timeloop::note_uncounted(rest, options_.strict, notes);
    for (std::string& note : notes.texts()) notes_.push_back(std::move(note));
    return rest;
}

// Two trees merge at their top-level keys; the same key in both is a mistake.
void Inputs::add_to_root(const yaml::Node& tree) {
    std::vector<yaml::Node::Entry> entries = root_.entries();
    for (const yaml::Node::Entry& entry : tree.entries()) {
        if (root_.has(entry.key) && entry.key != "variables")
            entry.key_node.fail(ErrorCode::duplicate_key,
                                "'" + entry.key + "' is given twice: here and at " + root_.at(entry.key).where().file);
        entries.push_back(entry);
    }
    root_ = yaml::Node::map(std::move(entries), tree);
}

void Inputs::read_arch() {
    if (names_file(options_.arch)) return read_yaml({options_.arch});
    refuse_for(verb_, meant_for_arch(options_.arch));
    add_to_root(timeloop::zoo_architecture(options_.arch));
    const Architecture architecture = unestimated_architecture();
    read_.push_back({"zoo:" + options_.arch, content_hash(report::show_json(&architecture, nullptr))});
}

Architecture Inputs::unestimated_architecture() const {
    if (!has_architecture()) fail_usage(verb_, "no architecture: give --arch NAME or a file with 'architecture'");
    if (accelforge_.has_machine()) return AccelforgeInputs(accelforge_).architecture();
    Architecture architecture = timeloop::read_architecture(root_);
    // Whether or not they will count, they have to be sound.
    silicon::read_silicon(root_, architecture);
    static_cast<void>(timeloop::read_device(root_));
    static_cast<void>(timeloop::read_vector_unit(root_, architecture));
    return architecture;
}

Architecture Inputs::architecture() {
    if (accelforge_.has_machine()) return accelforge_.architecture();
    Architecture architecture = unestimated_architecture();
    timeloop::forget_given(architecture, forgotten_);
    const Estimator which = options_.estimator == "pat" ? Estimator::timeloop_pat : Estimator::tables;
    for (std::string& note : estimate(architecture, which)) estimates_.push_back(std::move(note));
    for (const std::string& note : timeloop::notes_about_array(root_)) note_once(note);
    return architecture;
}

// Of a problem file: it may use what the other files name; what it says itself counts.
yaml::Node Inputs::with_variables(const yaml::Node& tree) const {
    std::vector<yaml::Node::Entry> entries = tree.entries();
    for (const yaml::Node::Entry& ours : root_.entries()) {
        if (ours.key != "variables") continue;
        const auto own = std::ranges::find(entries, ours.key, &yaml::Node::Entry::key);
        if (own == entries.end())
            entries.push_back(ours);
        else
            own->value = yaml::Node::merged(ours.value, own->value);
    }
    return yaml::Node::map(std::move(entries), tree);
}

Network Inputs::network_from(const std::string& name) {
    if (name.find('[') != std::string::npos)
        fail_usage(verb_,
                   "--net takes names of networks and files; an einsum is given with --einsum \"O[m,n] += ...\"");
    if (is_cascade(verb_, options_, name)) return layers_of(cascade_from(name));
    if (!names_file(name)) return network_from_zoo(name);
    if (is_topology(name)) {
        note_read(std::vector{name});
        Notes words;
        Network network = scalesim::read_topology(read_file(name, most_bytes(name)), name, words);
        for (const std::string& note : words.texts()) note_once(note);
        return network;
    }
    if (!is_dataflow_file(name) && !is_onnx(name)) {
        std::set<std::string> shapes;
        yaml::Node tree = with_variables(without_what_is_read_over(loaded({name})));
        if (options_.sparse && zeros_.add_problem(tree)) tree = dense_part(tree);
        if (tree.has("network")) return native::read_network(tree.at("network"));
        const Einsum einsum = timeloop::read_problem(tree, folders_of({name}), &shapes);
        note_read(shapes);
        return single_layer(stem(name), einsum);
    }
    read_.push_back({name, content_hash(read_file(name, most_bytes(name)))});
    if (is_dataflow_file(name)) {
        if (has_sparse_machine()) densities_.add(dataflow_densities(name, most_bytes(name)));
        return dataflow_network(name, most_bytes(name), options_.strict, notes_);
    }
    onnx::ReadOptions options;
    options.dimensions = assignments(verb_, "--dim", options_.dims);
    Notes notes;
    options.notes = &notes;
    std::vector<onnx::CountedWeights> weights;
    if (densities_.counts_weights()) options.weights = &weights;
    Network network = onnx::read_onnx(name, options);
    densities_.add(name, std::move(weights));
    for (std::string& note : notes.texts()) notes_.push_back(std::move(note));
    return network;
}

Cascade Inputs::cascade_from(const std::string& name) {
    Cascade cascade = read_cascade(verb_, options_, name, notes_);
    if (names_file(name))
        read_.push_back({name, content_hash(read_file(name, most_bytes(name)))});
    else
        read_.push_back({"zoo:" + name, content_hash(report::cascade_json(cascade))});
    return cascade;
}

bool Inputs::has_cascade() const {
    if (has_cascade_text(options_) || takes_accelforge_workload()) return true;
    return options_.nets.size() == 1 && is_cascade(verb_, options_, options_.nets.front());
}

// A network from elsewhere comes before a workload that stands beside it.
bool Inputs::takes_accelforge_workload() const {
    return accelforge_.has_workload() && options_.nets.empty() && options_.einsum.empty();
}

Cascade Inputs::cascade() {
    Cascade cascade = takes_accelforge_workload()  ? accelforge_.cascade()
                      : has_cascade_text(options_) ? cascade_of_text(verb_, options_)
                                                   : cascade_from(options_.nets.front());
    for (const std::string& note : give_bits(verb_, options_.bits, cascade)) note_once(note);
    return cascade;
}

// Einsum by einsum: what a cascade costs where nothing is fused.
// On a machine with a vector unit only its contractions are layers.
Network Inputs::layers_of(const Cascade& cascade) {
    if (!has_architecture()) return network_of(cascade);
    if (!root_.has("vector_unit")) {
        if (verb_ == "map" && options_.layers.empty()) note_on_array(cascade);
        return network_of(cascade);
    }
    std::vector<bool> mapped;
    for (int i = 0; i < cascade.einsum_count(); ++i) {
        const CascadeEinsum& one = cascade.einsums[i];
        mapped.push_back(one.kind == EinsumKind::contraction);
        if (!mapped.back() && options_.layers.empty()) vector_work_.push_back({one, repeats_of(cascade, i)});
    }
    if (verb_ != "map" && !vector_work_.empty())
        note_once(fmt::format("{} einsums of '{}' run on the vector unit; only `tilewright map` counts them",
                              vector_work_.size(), cascade.name));
    Network network = network_of(cascade, mapped);
    std::erase_if(network.unmapped, [](const UnmappedOperator& one) { return one.reason == kOnlyMovesData; });
    return network;
}

// What is no product: multiply-accumulate units do it one operation a cycle each.
void Inputs::note_on_array(const Cascade& cascade) {
    const auto others = std::ranges::count_if(cascade.einsums, [](const CascadeEinsum& one) {
        return one.kind != EinsumKind::contraction && one.kind != EinsumKind::copy;
    });
    if (others > 0)
        note_once(
            fmt::format("{} {} on the array (softmax, norms, activations, additions), an operation of any "
                        "kind taking as long as a multiply-accumulate: the machine has no vector unit; `vector_unit:` "
                        "in its file gives it one, and `init --vector-lanes N` writes one",
                        others, others == 1 ? "einsum other than products runs" : "einsums other than products run"));
}

std::optional<VectorUnit> Inputs::vector_unit(const Architecture& architecture) const {
    return timeloop::read_vector_unit(root_, architecture);
}

Network Inputs::network_from_zoo(const std::string& name) {
    const std::map<std::string, std::int64_t> extents = assignments(verb_, "--dim", options_.dims);
    for (const auto& [dimension, extent] : extents)
        if (extent > kMostZooExtent)
            fail_usage(verb_,
                       fmt::format("--dim {}={} is too large; the most is {}", dimension, extent, kMostZooExtent));
    refuse_for(verb_, meant_for_net(name));
    Network network = zoo_network(name, extents);
    read_.push_back({"zoo:" + name, content_hash(report::show_json(nullptr, &network))});
    return network;
}

Network Inputs::network_from_root() {
    std::set<std::string> shapes;
    const Einsum einsum = timeloop::read_problem(root_, folders_of(options_.files), &shapes);
    note_read(shapes);
    const std::string file = root_.at("problem").where().file;
    return single_layer(stem(file), einsum);
}

Network Inputs::network_from_einsum() {
    if (has_cascade_text(options_)) return layers_of(cascade_of_text(verb_, options_));
    static_cast<void>(assignments(verb_, "--extents", options_.extents));  // refuses names that come twice
    std::vector<std::pair<std::string, std::int64_t>> extents;
    extents.reserve(options_.extents.size());
    for (const std::string& extent : options_.extents) extents.push_back(assignment(verb_, "--extents", extent));
    return single_layer("einsum", parse_einsum(options_.einsum, extents));
}

Network Inputs::unfiltered_network() {
    if (!options_.einsum.empty()) return network_from_einsum();
    if (takes_accelforge_workload()) return layers_of(accelforge_.cascade());
    if (options_.nets.empty() && root_.has("network")) return joined({native::read_network(root_.at("network"))});
    if (options_.nets.empty() && root_.has("problem")) return network_from_root();
    if (options_.nets.empty() && zigzag_.has_workload()) return zigzag_.as_network(verb_);
    if (options_.nets.empty())
        fail_usage(verb_, "no network: give --net NAME, --einsum TEXT or a file with 'problem' or 'network'");
    return joined_networks();
}

// Layers keep their order and may get other names.
Network Inputs::joined_networks() {
    std::vector<Network> networks;
    densities_.begin();
    for (const std::string& net : options_.nets) {
        networks.push_back(network_from(net));
        densities_.end_network(networks.back().layers.size());
    }
    Network network = joined(std::move(networks));
    densities_.name_layers(network);
    return network;
}

std::vector<bool> Inputs::wanted(const std::vector<std::string>& names, const std::string& network) const {
    return in_the_words_of(verb_, [&] { return matching_layers(names, options_.layers, network); }, "--layers: ");
}

void Inputs::keep_layers(Network& network) {
    if (options_.layers.empty()) return;
    const std::vector<bool> keep =
        in_the_words_of(verb_, [&] { return matching_layers(network, options_.layers); }, "--layers: ");
    for (std::size_t i = 0; i < keep.size(); ++i)
        if (!keep[i]) left_out_.insert(network.layers[i].name);
    network = select_layers(network, options_.layers);
}

Network Inputs::network_of_one_width(const std::string& what) {
    Network all = network();
    if (const std::string own = own_width_in(all); !own.empty())
        fail_usage(verb_, fmt::format("{}, and {} words that are as wide as the memories' only (--bits TENSOR=0 takes "
                                      "a tensor's as such)",
                                      own, what));
    return all;
}

void Inputs::set_bits(Network& network) const {
    const std::vector<TensorWidth> widths = read_widths(verb_, options_.bits);
    if (have_partial_sums(widths) && !takes_words_)
        fail_usage(verb_, "--bits with FINAL/PARTIAL bits is for the exact model; here a result has one width");
    if (have_blocks(widths) && !takes_words_)
        fail_usage(
            verb_,
            "--bits with blocks of words that share a scale is for the exact model, and for llm; here words have a "
            "width of their own each");
    in_the_words_of(verb_, [&] { set_widths(network, widths); }, "--bits: ");
}

DetailsOf Inputs::details(const Network& network, const Architecture& architecture) {
    return [this, &network, &architecture, all = words(network)](std::size_t layer) {
        LayerDetails details;
        if (!all.empty()) details.words = all[layer];
        details.zeros = sparse_design(network.layers[layer], architecture);
        return details;
    };
}

std::vector<Words> Inputs::words(const Network& network) const {
    return in_the_words_of(verb_, [&] { return words_of(network, read_widths(verb_, options_.bits)); }, "--bits: ");
}

NetworkProblem Inputs::problem(const Network& network, const Architecture& architecture) {
    return network_problem(
        network, architecture, [&](const Einsum& einsum) { return constraints(architecture, einsum); },
        details(network, architecture));
}

void Inputs::note_once(const std::string& note) {
    if (std::ranges::find(notes_, note) == notes_.end()) notes_.push_back(note);
}

Network Inputs::network() {
    Network network = unfiltered_network();
    keep_layers(network);
    const bool from_elsewhere = !options_.nets.empty() || !options_.einsum.empty() || root_.has("network");
    if (options_.rename.empty() && from_elsewhere && root_.has("problem"))
        for (const std::string& note : name_by_role(root_, folders_of(options_.files), network)) note_once(note);
    else
        rename_as_asked(verb_, options_.rename, network);
    set_bits(network);
    if (densities_.any_given() && !has_sparse_machine())
        fail_usage(verb_,
                   "--density is about machines that do something about zeros (sparse_optimizations): this one does "
                   "not, or is read as one that does not");
    zeros_.give(densities_.given(network, left_out_, notes_));
    own_ = network.layers;
    return padded_as_mapped(root_, std::move(network));
}

std::optional<Einsum> Inputs::unpadded(const Layer& layer) const {
    const auto own = std::ranges::find(own_, layer.name, &Layer::name);
    if (own == own_.end() || own->einsum == layer.einsum) return std::nullopt;
    return own->einsum;
}

}  // namespace tilewright::cli
