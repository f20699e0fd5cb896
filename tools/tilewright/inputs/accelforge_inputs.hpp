// AccelForge's files among what the user gave: machine, workload and mapping, and the figures of its component library.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "accelforge/files/machine.hpp"
#include "accelforge/values/workload.hpp"
#include "arch/architecture.hpp"
#include "mapspace/constraints.hpp"
#include "report/accelforge/accelforge_report.hpp"
#include "workload/cascade/cascade.hpp"
#include "yaml/jinja/jinja.hpp"

namespace tilewright::cli {

/// The AccelForge files of one run. Not thread-safe.
class AccelforgeInputs {
   public:
    /// True, and the file is kept for load(), when it is one of AccelForge's.
    bool take(const std::string& file, std::uintmax_t most_bytes);
    /// Reads all that was taken. Throws InputError.
    void load(const jinja::Settings& settings);

    bool any() const { return !files_.empty(); }
    bool has_machine() const { return root_.has("arch"); }
    bool has_workload() const { return root_.has("workload"); }
    bool has_mapping() const { return root_.has("mapping"); }
    const std::vector<std::string>& included() const { return included_; }
    std::vector<std::string> notes() const { return notes_.texts(); }

    /// As ours. Require has_machine() and has_workload().
    Architecture architecture();
    Constraints constraints(const Architecture& architecture, const Einsum& einsum) const;
    Cascade cascade();

    /// What the mapping costs as AccelForge counts. Throws InputError(usage) where a file is missing.
    report::AccelforgeReport evaluated(const std::string& verb);

   private:
    const accelforge::Workload& workload();
    const accelforge::Figures& figures();
    accelforge::EinsumSpec usual_einsum();
    std::string name_of(const char* section) const;
    double bits() const;

    std::vector<std::filesystem::path> files_;
    std::map<std::string, accelforge::Figures> figures_;
    std::optional<accelforge::Figures> all_figures_;
    std::vector<std::string> included_;
    yaml::Node root_;
    std::optional<accelforge::Workload> workload_;
    Notes notes_;
};

}  // namespace tilewright::cli
