// A machine's constraints in the form of a file. Internal to write_machine.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "timeloop/write/write_machine.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// A branch of a !Parallel group; without memories a !Nothing, with `nothing` behind it.
struct WrittenBranch {
    std::vector<std::string> memories;
    std::string nothing;
};

struct WrittenGroup {
    std::vector<WrittenBranch> branches;

    int memory_count() const;
};

class WrittenConstraints {
   public:
    /// Throws InputError(unsupported) for constraints beyond version 0.3.
    WrittenConstraints(const yaml::Node& root, const Architecture& architecture, MachineForm form);

    /// The group beginning with this memory, or null.
    const WrittenGroup* group_of(const std::string& memory) const;
    /// "{dataspace: .., temporal: .., spatial: ..}" of a memory and its spreading level ("" for none); or "".
    std::string in_place(const std::string& memory, const std::string& spreader) const;
    /// Sections beside the architecture.
    std::string sections(const Architecture& architecture) const;

   private:
    void take_in_place(const yaml::Node& root);
    void take_sections(const yaml::Node& root);
    static void refuse_newer_words(const std::string& level, const yaml::Node& constraint);
    std::string still_text(const std::string& spreader) const;

    MachineForm form_;
    bool from_hierarchy_ = false;
    std::vector<WrittenGroup> groups_;
    std::map<std::string, std::map<std::string, yaml::Node>> placed_;  // by memory and subject
    std::vector<std::string> order_;                                   // of placed_, outermost first
    std::string bypasses_;                                             // of groups, for the tree
    std::vector<std::string> dimensions_;                              // named by constraints
    std::vector<std::pair<std::string, yaml::Node>> sections_;
};

bool is_constraint_section(const std::string& key);

/// First difference between both files' constraints for a convolution, in words; or "". The tree leaves
/// single-iteration dimensions in place, for the same mappings.
std::string constraint_difference(const yaml::Node& root, const yaml::Node& written, const Architecture& architecture,
                                  MachineForm form);

}  // namespace tilewright::timeloop
