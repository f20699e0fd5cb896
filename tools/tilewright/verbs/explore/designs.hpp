// The designs of an exploration, as the words of a command say what varies.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "explore/store.hpp"
#include "inputs/cascades.hpp"
#include "inputs/inputs.hpp"
#include "options/search.hpp"
#include "run/explore/design.hpp"
#include "run/explore/design_knobs.hpp"

namespace tilewright::cli {

/// Why a front of mappings is refused there.
inline constexpr const char* kOneMapping =
    "--fuse measures a machine by one mapping: --objective energy, latency or edp";

class Designs : public DesignSource {
   public:
    /// Refuses knobs and values that no machine or search has, whatever the point.
    /// `reestimate`: given energies and areas of what the knobs resize are estimated instead. `fuse`: the network is a
    /// cascade, mapped as a whole.
    Designs(const InputOptions& options, const SearchPlan& plan, const DesignKnobs& knobs, bool reestimate,
            bool fuse = false);

    Design design(explore::Point point) override;

    /// "alexnet on simba"
    std::string title();
    /// What decides the designs beside the space.
    std::vector<std::pair<std::string, std::string>> given();
    const MapOptions& options() const override { return settings_.map; }
    /// Notes of all designs so far, each once.
    const std::vector<std::string>& notes() const { return notes_; }
    /// Names of everything that was read. Complete after given().
    std::vector<std::string> read() const;
    /// Whether the files hold the mappings: nothing is searched, every design is what they cost on it.
    bool has_given_mappings() const { return has_mappings(base_.root()); }
    /// Distinct layers of the first design: how much work a point is.
    std::size_t layers_of_first();

   private:
    struct Variant;
    Variant variant(explore::Point point) const;
    /// The files of a point, before its settings change the machine, and the network in them.
    struct Files {
        Inputs inputs;
        Network network;
        std::optional<Cascade> cascade;  ///< in its place
    };
    InputOptions options_of(const Variant& variant) const;
    const Files& files(const Variant& variant);
    void check_values() const;
    void read_files(std::size_t knob, explore::Point point);
    void take_given_mappings();
    void give_mappings(Inputs& inputs, const Network& network, Design& design) const;
    static std::string name_of(const Files& files) { return files.cascade ? files.cascade->name : files.network.name; }
    FusedProblem fused_problem(Inputs& inputs, const Cascade& cascade, const Architecture& architecture,
                               const MapOptions& options) const;
    void note_given(const Architecture& architecture);
    void add_notes(const std::vector<std::string>& notes);

    InputOptions options_;
    SearchPlan plan_;
    PlannedSearch settings_;
    const DesignKnobs& knobs_;
    const explore::Space& space_;
    bool reestimate_;
    bool fuse_;
    Inputs base_;                         ///< of the first point
    std::map<std::string, Files> files_;  ///< by networks, extents and what templates are given
    std::vector<std::string> notes_;
};

}  // namespace tilewright::cli
