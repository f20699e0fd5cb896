// Turns what the user named - files, zoo names, an einsum - into values. Shared by all verbs.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "arch/vector_unit.hpp"
#include "base/error.hpp"
#include "inputs/accelforge_inputs.hpp"
#include "inputs/densities.hpp"
#include "inputs/zigzag_inputs.hpp"
#include "options/options.hpp"
#include "report/report.hpp"
#include "run/map_network.hpp"
#include "run/zeros/sparse_files.hpp"
#include "scalesim/config.hpp"
#include "sparse/design.hpp"
#include "timeloop/machine/constraint_names.hpp"
#include "timeloop/machine/settings.hpp"
#include "timeloop/mapping/mapping.hpp"
#include "workload/cascade/cascade.hpp"
#include "workload/network.hpp"
#include "workload/words.hpp"
#include "yaml/jinja/jinja.hpp"
#include "yaml/node.hpp"

namespace tilewright::cli {

/// What the user wrote.
struct InputOptions {
    std::vector<std::string> files;  ///< YAML files that merge, and ONNX files
    std::string arch;                ///< zoo name or file
    std::string core;                ///< one of several, by number or name
    std::vector<std::string> nets;   ///< zoo names, ONNX files, problem files
    std::string einsum;
    std::vector<std::string> extents;  ///< "n=1"
    std::vector<std::string> dims;     ///< "batch_size=1"
    std::vector<std::string> rename;   ///< "C=K": of dimensions and tensors of all layers
    std::vector<std::string> bits;     ///< "Weights=4", "conv2*:Inputs=8"
    std::vector<std::string> density;  ///< "Weights=0.3", "conv2*:Inputs=2:4", "list.csv", "onnx"
    std::vector<std::string> layers;   ///< names or patterns; empty: all
    std::string estimator = "tables";
    std::string unnamed;      ///< "ignore", "error" or "": ignore in the zoo's machines
    std::string expressible;  ///< "timeloop": mappings that its directives have words for; "": all
    bool restore_remainders = false;
    std::optional<std::int64_t> largest_input_mib;  ///< of one file; empty: 64, and 2048 for ONNX
    bool dense = false;
    bool sparse = false;  ///< the verb counts sparse tensors: what the files say of them is read apart
    bool strict = false;
    bool cascade = false;                         ///< ONNX files and zoo networks that are both: as cascades
    std::string phase;                            ///< "prefill", "decode" or "": of the zoo's language models
    std::vector<std::string> jinja;               ///< "arch=eyeriss_like"
    std::vector<std::string> set;                 ///< "buffer.depth=4096"
    std::vector<InputError>* mistakes = nullptr;  ///< takes what is wrong with sections; empty: the first is thrown

    void declare_files(Options& options);
    /// With --set.
    void declare_arch(Options& options);
    void declare_machine(Options& options);
    void declare_net(Options& options);
    void declare_mapping(Options& options);
    void declare_expressible(Options& options);
    void declare(Options& options);  ///< files, a machine, a network and a mapping
};

/// What a file may have where --largest-input gives `mib`; if it does not: 64 MiB, and 2048 MiB of ONNX.
std::uintmax_t most_input_bytes(std::optional<std::int64_t> mib, const std::string& file);
/// Throws InputError for a file that is larger than that.
void check_input_size(std::optional<std::int64_t> mib, const std::string& file);
/// The option itself.
void declare_largest_input(Options& options, std::optional<std::int64_t>& mib);

/// Reads each thing once, when asked for; keeps the names and hashes of what it read. Not thread-safe.
class Inputs {
   public:
    Inputs(std::string verb, InputOptions options);

    /// All YAML that was given, merged; null when none was.
    const yaml::Node& root() const { return root_; }
    /// ZigZag's own files, which merge with nothing.
    ZigzagInputs& zigzag() { return zigzag_; }
    /// Throws InputError(usage) with this reason where the files are ZigZag's own.
    void refuse_zigzag(const std::string& why);
    /// AccelForge's own files, which merge with each other only.
    AccelforgeInputs& accelforge() { return accelforge_; }
    /// SCALE-Sim's machine, which is in root() as well; null: there is none.
    const scalesim::Config* scalesim() const { return scalesim_ ? &*scalesim_ : nullptr; }
    bool has_architecture() const;
    bool has_network() const;

    /// The machine, with all its energies and areas. Throws InputError(usage) when none was given.
    Architecture architecture();
    /// As written: energies that were not given are still missing.
    Architecture unestimated_architecture() const;

    /// Changes the machine that was read. Throws InputError at the setting.
    void change(const std::vector<timeloop::Setting>& settings);
    /// What the machine does about zeros in this layer; nothing where the files say nothing, or were read as dense.
    std::optional<sparse::Design> sparse_design(const Layer& layer, const Architecture& architecture);
    /// All YAML that was given with what it says about zeros; null where it says nothing, or was read as dense.
    const yaml::Node* sparse_root() const { return has_sparse_machine() ? &zeros_.root() : nullptr; }
    /// What is said about zeros, by the files and in their place. Requires network() to have been called.
    const SparseFiles& zeros() const { return zeros_; }
    /// Whether the machine does anything about them, and the verb counts it.
    bool has_sparse_machine() const { return zeros_.acts(); }

    /// From now on what the files give of the energies and areas of these components is estimated instead.
    void forget(std::set<std::string> components) { forgotten_ = std::move(components); }

    /// What the files say about mappings of this layer on this machine; names that are void become notes.
    Constraints constraints(const Architecture& architecture, const Einsum& einsum);

    /// Whether there is one network and it is read as a cascade (cascades.hpp).
    bool has_cascade() const;
    /// All of it. Requires has_cascade().
    Cascade cascade();

    /// The vector unit of the machine; nothing where it has none. Throws InputError.
    std::optional<VectorUnit> vector_unit(const Architecture& architecture) const;
    /// Einsums of the network's cascade that run on it and are therefore no layers; those of --layers only the others.
    /// Requires network() to have been called.
    struct VectorWork {
        CascadeEinsum einsum;
        std::int64_t repeats = 1;
    };
    const std::vector<VectorWork>& vector_work() const { return vector_work_; }

    /// The layers that were asked for (all, or those that --layers names).
    Network network();
    /// The same for what cannot tell words of different widths apart: `what` is "simulations know". Throws
    /// InputError(usage) where a layer says how many bits its words have.
    Network network_of_one_width(const std::string& what);

    /// From here on words may be wider in partial sums or lie in blocks that share a scale: details() has them.
    void take_words() { takes_words_ = true; }
    /// By layer of network(); empty where all are plain. Throws InputError(usage) for partial sums of operands.
    std::vector<Words> words(const Network& network) const;
    /// By layer of network(): its words, and what the machine does about zeros. Throws InputError(usage) for partial
    /// sums of operands.
    DetailsOf details(const Network& network, const Architecture& architecture);
    /// The layers of network() on the machine, with constraints() and details().
    NetworkProblem problem(const Network& network, const Architecture& architecture);

    /// What a layer of network() is where no mapping pads it; nothing where none does. Requires network() to have been
    /// called.
    std::optional<Einsum> unpadded(const Layer& layer) const;

    timeloop::Remainders remainders() const {
        return options_.restore_remainders ? timeloop::Remainders::restore : timeloop::Remainders::as_written;
    }

    /// Layers of the network that --layers left out. Requires network() to have been called.
    const std::set<std::string>& left_out() const { return left_out_; }

    /// Which of these layers --layers asks for. Throws InputError(usage) for a pattern that none matches.
    std::vector<bool> wanted(const std::vector<std::string>& names, const std::string& network) const;

    const std::vector<report::Input>& read() const { return read_; }
    /// What the user should know about the files and the estimates.
    std::vector<std::string> notes() const;
    /// Those about the files, what was read over among them, to standard error: of verbs whose output has no notes.
    void tell_notes() const;

   private:
    Constraints given_constraints(const Architecture& architecture, const Einsum& einsum);
    std::uintmax_t most_bytes(const std::string& file) const {
        return most_input_bytes(options_.largest_input_mib, file);
    }
    yaml::Node with_variables(const yaml::Node& tree) const;
    yaml::Node without_what_is_read_over(const yaml::Node& root);
    void take_apart();
    yaml::Node dense_part(const yaml::Node& tree) const;
    std::vector<std::string> without_zigzag(const std::vector<std::string>& files);
    std::vector<std::string> without_accelforge(const std::vector<std::string>& files);
    yaml::Node loaded(const std::vector<std::string>& files);
    void note_core();
    bool takes_accelforge_workload() const;
    template <class Files>
    void note_read(const Files& files);
    void read_yaml(const std::vector<std::string>& given);
    void add_to_root(const yaml::Node& tree);
    void read_scalesim(const std::string& file);
    void read_arch();
    void apply_settings();
    void take_network_for_zigzag();
    Network network_from(const std::string& name);
    Network network_from_root();
    void note_once(const std::string& note);
    Network network_from_einsum();
    Cascade cascade_from(const std::string& name);
    Network layers_of(const Cascade& cascade);
    void note_on_array(const Cascade& cascade);
    Network network_from_zoo(const std::string& name);
    timeloop::Unnamed unnamed() const;
    void check_dims() const;
    void check_widths();
    Network unfiltered_network();
    Network joined_networks();
    void keep_layers(Network& network);
    void set_bits(Network& network) const;

    std::string verb_;
    InputOptions options_;
    bool takes_words_ = false;
    yaml::Node root_;
    SparseFiles zeros_;  ///< root_ with what is said about sparse tensors, where the verb counts them
    ZigzagInputs zigzag_;
    AccelforgeInputs accelforge_;
    std::optional<scalesim::Config> scalesim_;
    std::vector<report::Input> read_;
    std::vector<std::string> notes_;      ///< about the files
    std::vector<std::string> estimates_;  ///< notes about them
    timeloop::VoidNamesByFile void_names_;
    GatheredDensities densities_;
    std::vector<VectorWork> vector_work_;
    std::set<std::string> left_out_;
    std::vector<Layer> own_;  ///< of network(), before mappings padded them
    std::set<std::string> forgotten_;
};

}  // namespace tilewright::cli
