// Boxes and machines in two or three metrics: the subjects of a search for a front (codesign/front.hpp).
//
//     MachineFront machines(designs, {specification, roles, {energy, area}, roles_of}, cache, stop);
//     codesign::search_front(machines.subjects(), specification.space, {}, stop)
//
// Each metric has its own mappings (MachineSubject): a machine's energy is that of its least-energy mappings, its
// latency that of its fastest, as it may run in either way. Area needs none. A limit on a metric of the front applies
// to that metric's own value; any other to all mappings.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "codesign/front.hpp"
#include "codesign/journal.hpp"
#include "codesign/parts.hpp"
#include "run/codesign/machine_subject.hpp"
#include "run/explore/design_knobs.hpp"

namespace tilewright {

struct FrontQuestion {
    const explore::Specification& specification;  ///< of mapping_metrics()
    const std::vector<codesign::Role>& roles;     ///< by knob, of the first machine
    std::vector<std::size_t> metrics;             ///< two or three of energy, latency, EDP and area
    std::function<std::vector<codesign::Role>(const Architecture&)> roles_of = {};  ///< as MachineQuestion
};

/// A metric possible in a front.
bool is_of_fronts(const explore::Metric& metric);

class MachineFront {
   public:
    /// All outlive it. Throws InputError for impossible metrics, or areas only. `journal`: for answers; may be nullptr.
    MachineFront(DesignSource& designs, const FrontQuestion& question, AnswerCache& cache, const StopSource& stop,
                 codesign::Journal* journal = nullptr);
    ~MachineFront();

    /// By metric.
    const std::vector<codesign::Subject*>& subjects() const { return subjects_; }

    /// The row of a machine with the mappings for that metric of the question; for area those of the first other one.
    explore::Row row(explore::Point point, std::size_t metric);

   private:
    class Designs;
    class Area;
    /// A metric decided by mappings.
    struct Mapped {
        std::unique_ptr<Designs> designs;
        explore::Specification specification;  ///< with its own limits
        std::unique_ptr<MachineQuestion> question;
        std::unique_ptr<MachineSubject> subject;
        std::unique_ptr<codesign::Remembered> remembered;
    };
    void add_mapped(DesignSource& designs, const FrontQuestion& question, std::size_t metric, AnswerCache& cache,
                    const StopSource& stop, codesign::Journal* journal);

    std::mutex designing_;
    std::vector<std::unique_ptr<Mapped>> mapped_;
    std::vector<std::size_t> mapped_of_;  ///< by metric of the question: index among the mapped
    std::unique_ptr<Area> area_;
    std::vector<codesign::Subject*> subjects_;
};

// The role of an exploration's knob, by its name: a part of the machine, a number of parts, or anything at all.

/// By knob of the space. `architecture`: one of its machines, for the names of its parts. Knobs not known to be about
/// one part may change anything.
std::vector<codesign::Role> knob_roles(const DesignKnobs& knobs, const Architecture& architecture);

}  // namespace tilewright
