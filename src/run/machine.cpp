#include "run/machine.hpp"

#include <optional>
#include <set>

#include "arch/estimation/estimate.hpp"
#include "base/files/file.hpp"
#include "base/notes.hpp"
#include "base/numbers/hash.hpp"
#include "report/json.hpp"
#include "run/mapping/mapping_file.hpp"
#include "run/zeros/sparse_files.hpp"
#include "scalesim/config.hpp"
#include "silicon/files/silicon.hpp"
#include "timeloop/additions/additions.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/files/search_options.hpp"
#include "timeloop/files/sections.hpp"
#include "timeloop/files/zoo.hpp"
#include "timeloop/machine/architecture.hpp"
#include "timeloop/machine/array.hpp"
#include "timeloop/machine/part_costs.hpp"
#include "timeloop/machine/read_over.hpp"
#include "timeloop/machine/settings.hpp"
#include "timeloop/mapping/mapping.hpp"
#include "timeloop/mapping/nest.hpp"
#include "timeloop/problem/problem.hpp"
#include "timeloop/sparse/read_sparse.hpp"

namespace tilewright {
namespace {

std::vector<timeloop::Setting> placed(const std::vector<std::pair<std::string, std::string>>& settings) {
    std::vector<timeloop::Setting> all;
    for (const auto& [name, value] : settings) all.push_back({name, value, {name + "=" + value}});
    return all;
}

bool is_scalesim(const std::filesystem::path& file) {
    return file.extension() == ".cfg" && scalesim::is_config(read_file(file));
}

constexpr const char* kTranslated = " as a machine of Timeloop's";

// SCALE-Sim's machine as one of Timeloop's.
yaml::Node scalesim_machine(const std::string& text, const std::string& file, std::vector<std::string>& notes) {
    const scalesim::Config config = scalesim::read_config(text, file);
    for (std::string& note : scalesim::notes_about(config, false)) notes.push_back(std::move(note));
    // Not by the name of the file, whose ending promises another notation.
    return timeloop::load_text(scalesim::machine_text(config), file + kTranslated);
}

// All files, merged at their top-level keys; those of SCALE-Sim's with notes.
yaml::Node loaded(const std::vector<std::filesystem::path>& files, std::vector<std::string>& notes) {
    std::vector<std::filesystem::path> others;
    std::optional<yaml::Node> machine;
    for (const std::filesystem::path& file : files) {
        if (!is_scalesim(file)) {
            others.push_back(file);
            continue;
        }
        if (machine)
            throw InputError(ErrorCode::duplicate_key, {file.string()}, "two of the files are machines of SCALE-Sim's");
        machine = scalesim_machine(read_file(file), file.string(), notes);
    }
    if (!machine) return timeloop::load(files);
    return others.empty() ? *machine : timeloop::merged_documents(*machine, timeloop::load(others));
}

}  // namespace

struct Machine::Contents {
    yaml::Node root;                             ///< as if all were dense
    SparseFiles zeros;                           ///< nothing where the machine does nothing about them
    std::vector<std::filesystem::path> folders;  ///< where the shapes of problems may lie
    std::vector<report::Input> inputs;
    std::vector<std::string> notes_of_files;
    Architecture architecture;
    timeloop::Unnamed unnamed = timeloop::Unnamed::ignore_in_zoo;
    std::optional<silicon::Silicon> built;
    std::vector<std::string> notes;  ///< of files and estimates

    // Names and values are checked, and what has no bearing is read over.
    static Contents of(const yaml::Node& whole) {
        Contents contents;
        contents.notes_of_files = timeloop::unused_sections(whole);
        Notes read_over;
        const yaml::Node read = timeloop::read_over(whole, {}, read_over);
        timeloop::note_uncounted(read, false, read_over);
        contents.take(read);
        for (std::string& note : read_over.texts()) contents.notes_of_files.push_back(std::move(note));
        return contents;
    }

    // With what was read, and what there is to say of that.
    static std::shared_ptr<const Contents> of(const yaml::Node& whole, std::vector<report::Input> read,
                                              const std::vector<std::string>& notes) {
        Contents contents = of(whole);
        contents.notes_of_files.insert(contents.notes_of_files.begin(), notes.begin(), notes.end());
        std::set<std::string> included = timeloop::files_of(whole);
        for (const report::Input& one : read) {
            contents.folders.push_back(std::filesystem::path(one.name).parent_path());
            included.erase(one.name);
            included.erase(one.name + kTranslated);
        }
        contents.inputs = std::move(read);
        for (const std::string& file : included) contents.inputs.push_back({file, content_hash(read_file(file))});
        contents.complete();
        return std::make_shared<const Contents>(std::move(contents));
    }

    // What is said about zeros stands in `zeros` only.
    void take(const yaml::Node& tree) {
        const bool acts = timeloop::is_sparse(tree);
        zeros = acts ? SparseFiles(tree) : SparseFiles();
        Notes unused;
        root = acts ? timeloop::read_over(tree, {.strict = false, .dense = true, .quiet = true}, unused) : tree;
    }

    void complete() {
        architecture = timeloop::read_architecture(root);
        built = silicon::read_silicon(root, architecture);
        // Whether or not it will count, it has to be sound.
        static_cast<void>(timeloop::read_device(root));
        static_cast<void>(timeloop::read_vector_unit(root, architecture));
        notes = notes_of_files;
        for (std::string& note : timeloop::notes_about_array(root)) notes.push_back(std::move(note));
        for (std::string& note : estimate(architecture)) notes.push_back(std::move(note));
    }
};

Machine::Machine(std::shared_ptr<const Contents> contents) : contents_(std::move(contents)) {}

Machine Machine::named(const std::string& name) {
    Contents contents = Contents::of(timeloop::zoo_architecture(name));
    const Architecture written = timeloop::read_architecture(contents.root);
    contents.inputs = {{"zoo:" + name, content_hash(report::show_json(&written, nullptr))}};
    contents.complete();
    return Machine(std::make_shared<const Contents>(std::move(contents)));
}

Machine Machine::read(const std::vector<std::filesystem::path>& files) {
    std::vector<std::string> notes;
    const yaml::Node tree = loaded(files, notes);
    std::vector<report::Input> inputs;
    for (const std::filesystem::path& file : files) inputs.push_back({file.string(), content_hash(read_file(file))});
    return Machine(Contents::of(tree, std::move(inputs), notes));
}

Machine Machine::parse(const std::string& text, const std::string& name) {
    std::vector<std::string> notes;
    const yaml::Node tree =
        scalesim::is_config(text) ? scalesim_machine(text, name, notes) : timeloop::load_text(text, name);
    return Machine(Contents::of(tree, {{name, content_hash(text)}}, notes));
}

Machine Machine::with(const std::vector<std::pair<std::string, std::string>>& settings) const {
    Contents changed = *contents_;
    for (const auto& [name, value] : settings) changed.inputs.push_back({"--set " + name, content_hash(value)});
    changed.take(timeloop::with_settings(changed.zeros.acts() ? changed.zeros.root() : changed.root, placed(settings)));
    changed.complete();
    return Machine(std::make_shared<const Contents>(std::move(changed)));
}

Machine Machine::with_unnamed(bool ignored) const {
    Contents changed = *contents_;
    changed.unnamed = ignored ? timeloop::Unnamed::ignore : timeloop::Unnamed::refuse;
    return Machine(std::make_shared<const Contents>(std::move(changed)));
}

void Machine::check_names(const std::vector<std::pair<std::string, std::string>>& settings) const {
    static_cast<void>(timeloop::with_settings(contents_->root, placed(settings)));
}

const Architecture& Machine::architecture() const { return contents_->architecture; }

ConstraintsOf Machine::constraints() const {
    return [contents = contents_](const Einsum& einsum) {
        return timeloop::read_constraints(contents->root, contents->architecture, einsum, contents->unnamed);
    };
}

const silicon::Silicon* Machine::silicon() const { return contents_->built ? &*contents_->built : nullptr; }

const SparseFiles& Machine::zeros() const { return contents_->zeros; }

std::optional<VectorUnit> Machine::vector_unit() const {
    return timeloop::read_vector_unit(contents_->root, architecture());
}

Device Machine::device() const { return timeloop::read_device(contents_->root); }

void Machine::refuse_zeros() const {
    if (!zeros().acts()) return;
    const char* const problem = "the machine does something about zeros: dense layers only are counted here";
    try {
        static_cast<void>(timeloop::read_architecture(zeros().root()));
    } catch (const InputError& error) {
        if (error.code() != ErrorCode::unsupported) throw;  // another mistake
        // It knows the place, and speaks of --dense of the command line.
        throw InputError(error.code(), error.where(), problem);
    }
    throw InputError(ErrorCode::unsupported, {}, problem);
}

Einsum Machine::problem() const { return timeloop::read_problem(contents_->root, contents_->folders); }

Mapping Machine::mapping(const Einsum& einsum) const {
    return timeloop::read_mapping(contents_->root, einsum, contents_->architecture);
}

bool Machine::has_mappings() const { return tilewright::has_mappings(contents_->root); }

std::vector<LayerMapping> Machine::mappings(const Network& network) const {
    if (!has_mappings()) return {};
    return read_mapping_file(contents_->root, network, contents_->architecture);
}

SearchSettings Machine::settled(const SearchWishes& wishes) const {
    return tilewright::settled(wishes, timeloop::read_search_options(contents_->root));
}

const std::vector<std::string>& Machine::notes() const { return contents_->notes; }

std::size_t Machine::file_notes() const { return contents_->notes_of_files.size(); }

std::vector<std::string> Machine::notes_about(const Network& network, bool uses_vector_unit) const {
    timeloop::VoidNamesByFile names;
    std::vector<std::string> notes;
    if (!uses_vector_unit && vector_unit())
        notes.emplace_back("the vector unit is not used here: all einsums run on the array (`tilewright map` uses it)");
    if (zeros().acts())
        for (const Layer& layer : network.layers) static_cast<void>(zeros().design(layer, architecture(), &names));
    for (const DistinctLayer& shape : distinct_layers(network))
        static_cast<void>(timeloop::read_constraints(contents_->root, contents_->architecture, shape.einsum,
                                                     contents_->unnamed, &names));
    for (std::string& note : timeloop::notes_about(names)) notes.push_back(std::move(note));
    return notes;
}

const std::vector<report::Input>& Machine::inputs() const { return contents_->inputs; }

LayerProblem layer_problem(const Einsum& einsum, const Machine& machine) {
    machine.refuse_zeros();
    return {einsum, machine.architecture(), machine.constraints()(einsum)};
}

NetworkProblem network_problem(const Network& network, const Machine& machine) {
    machine.refuse_zeros();
    return network_problem(network, machine.architecture(), machine.constraints());
}

std::string mapping_yaml(const Mapping& mapping, const Einsum& einsum, const Architecture& architecture) {
    const bool can_say = timeloop::directives_can_say(mapping, architecture);
    return (can_say ? timeloop::write_mapping : timeloop::write_nest)(mapping, einsum, architecture);
}

}  // namespace tilewright
