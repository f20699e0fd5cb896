// One run of a program. Internal to sim/machine; the interface is replay.hpp.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <queue>
#include <vector>

#include "sim/machine/banks.hpp"
#include "sim/machine/moment.hpp"
#include "sim/machine/outermost.hpp"
#include "sim/machine/replay.hpp"

namespace tilewright::sim {

/// Maximum lead of words in flight over the steps of all elements.
inline constexpr std::int64_t kStepsAhead = 4;

/// A transfer of words between nodes, packet by packet.
struct Job {
    enum class Kind : std::uint8_t { load, send, drain, store };
    Kind kind = Kind::send;
    std::int64_t step = 0;
    Transfer transfer;
    int source = 0;  ///< node; -1: between co-located memories
    std::vector<int> destinations;
    std::int64_t words_left = 0;     ///< not sent yet
    std::int64_t packets = 0;        ///< to each destination
    std::int64_t tails_left = 0;     ///< missing arrivals
    std::vector<std::int64_t> left;  ///< [destination] missing packets
    std::size_t hop = 0;             ///< of a drain: elements of its group passed
    bool merges = false;             ///< of a drain: one edge of a tree, from a source or merge node
    std::vector<std::int64_t> came;  ///< [incoming edge] packets received
    int onward = -1;                 ///< the next edge of its packets; -1: they are at the memory
    std::size_t place = 0;           ///< in onward's `came`
    std::int64_t sent = 0;           ///< packets
    bool fetching = false;
    bool waited_for_bank = false;  ///< its next packet
    int stream = -1;
    Cycle begin = -1;
};

/// Levels with room for two tiles.
struct Buffers {
    std::vector<char> doubled;  ///< [memory], and the compute units, which take whatever arrives
};
Buffers buffers_of(const Architecture& architecture, const Evaluation& evaluation, bool always_doubled);

class ReplayRun {
   public:
    ReplayRun(const Einsum& einsum, const Architecture& architecture, const Program& program,
              const std::vector<std::uint32_t>& steps, const Evaluation& evaluation, const MachineOptions& options,
              const ReplayControl& control);

    ReplayResult run();

   private:
    using JobId = int;
    struct Element {
        std::int64_t done = 0;                      ///< steps
        Cycle busy_until = -1;                      ///< -1: does not compute
        Cycle due_since = 0;                        ///< end of the last step, or issue of the step
        std::array<Cycle, kWaits> waited_before{};  ///< waited_ at that moment
        Cycle for_others = 0;                       ///< waited for others since its last computation
        std::int64_t sat_out = -1;                  ///< its last step without work
        bool worked = false;
    };
    /// A step in flight.
    struct Live {
        std::vector<int> missing;  ///< [element] transfers
        int elements_left = 0;
        std::vector<char> works;  ///< [element]
    };
    struct Finish {
        Cycle at;
        int element;
        bool operator>(const Finish& other) const { return at != other.at ? at > other.at : element > other.element; }
    };
    /// Outgoing jobs of a node, in order; several lists of a node take turns.
    struct Outlet {
        int node = 0;
        std::vector<std::deque<JobId>> lists;
        std::size_t turn = 0;
    };
    /// Causes holding up a step's words.
    struct Holdup {
        std::int64_t step = 0;
        Wait why = Wait::flight;
    };

    /// Step numbers exclude skipped ones.
    const Step& step_at(std::int64_t step) const { return program_.kinds[steps_[step + skipped_steps_]]; }
    std::int64_t load_step(std::size_t index) const { return load_steps_[index] - skipped_steps_; }
    /// Cycles so far, skipped ones included.
    Cycle clock() const { return network_.now() + skipped_cycles_; }
    const Flow& flow_of(const Job& job) const { return program_.flows[job.transfer.flow]; }
    int node_of_element(int element) const;
    std::int64_t step_count() const { return static_cast<std::int64_t>(steps_.size()) - skipped_steps_; }

    void issue_steps();
    void issue(std::int64_t step);
    void issue_loads();
    JobId new_job(Job::Kind kind, std::int64_t step, const Transfer& transfer, int source,
                  std::vector<int> destinations);
    void enqueue(Outlet& outlet, std::size_t list, JobId job);

    bool may_start(const Job& job) const;
    std::optional<Wait> why_not_started(const Job& job) const;
    bool room_at_elements(const Job& job) const;
    bool loaded(const Job& job) const;
    bool written_before(const std::map<std::int64_t, int>& outstanding, std::int64_t step) const;
    bool may_load(const Job& job) const;

    bool push_out();
    bool push_out(Outlet& outlet);
    void hold_up(const Outlet& outlet, const Job& job, Wait why);
    void pass(Cycle cycles);
    bool has_come(const Job& job) const;
    void advance_one_that_has_come(std::deque<JobId>& list) const;
    bool push_packet(Outlet& outlet, std::deque<JobId>& list);
    std::optional<Wait> taken_from_source(Job& job, std::int64_t words);
    std::optional<Wait> taken_from_memory(Job& job, std::size_t memory, std::int64_t words);
    void written_to_banks(const Job& job, int memory, std::int64_t number);
    double memory_words(const Job& job, int memory, std::int64_t words) const;
    void make_banks(const Evaluation& evaluation);
    void prefetch(const std::deque<JobId>& list);
    std::int64_t word_bits_of(const Job& job) const;
    std::int64_t packet_words(const Job& job) const;

    void arrive(const Arrival& arrival);
    void finish_job(JobId id);
    void arrived_at_element(std::int64_t step, int element);
    void start_drain(JobId id);
    void create_tree(std::int64_t step, const Transfer& transfer);
    void try_start(int element);
    void wait_ended(Element& one);
    void waited_for_others(Element& one);
    void step_retired(std::int64_t step);
    bool finish_computations();
    void element_done(int element);
    void create_drains(std::int64_t step);
    void retire_steps();
    void settle_steps();

    void look_for_repetition();
    void note_moment();
    void visit(Moment& moment);
    void visit_jobs(Moment& moment);
    void visit_job(Moment& moment, JobId id);
    void visit_steps(Moment& moment);
    void visit_loads(Moment& moment);
    void visit_elements(Moment& moment);
    void visit_element(Moment& moment, Element& one);
    void visit_ports(Moment& moment);
    void visit_step(Moment& moment, std::int64_t& step) const;
    std::vector<std::int64_t*> own_counters();
    std::vector<std::int64_t> counters();
    std::int64_t times_to_jump(const NotedMoment& before, const Period& period) const;
    void jump(const Period& period, std::int64_t times);

    bool finished() const;
    void skip_idle();
    void sample();
    void record(const std::string& track, const std::string& name, Cycle begin, Cycle end, int element = -1);
    void record_step(int element, Cycle cycles);
    std::string track_of(const Job& job) const;
    std::string name_of(const Job& job) const;
    PacketSeen seen(const Job& job, std::size_t destination, const Arrival& arrival) const;
    ReplayResult result() const;

    const Einsum& einsum_;
    const Architecture& architecture_;
    const Program& program_;
    const std::vector<std::uint32_t>& steps_;
    const MachineOptions& options_;
    const ReplayControl& control_;
    Buffers buffers_;
    double stretch_ = 1.0;  ///< of computations, by slow memories inside the elements
    Network network_;
    Outermost outermost_;
    std::vector<Pace> read_ports_;             ///< [memory] outside the array
    std::vector<std::optional<Banks>> banks_;  ///< [memory], if simulated

    std::deque<Job> jobs_;  ///< stable addresses
    std::vector<JobId> free_jobs_;
    std::vector<int> free_streams_;
    int streams_ = 0;
    std::vector<Outlet> outlets_;  ///< elements, then the outermost memory, then the others
    std::vector<int> ready_outlets_;
    std::vector<char> is_ready_;
    std::vector<Element> elements_;
    std::map<std::int64_t, Live> live_;
    std::priority_queue<Finish, std::vector<Finish>, std::greater<>> finishing_;
    std::int64_t issued_ = 0;
    std::int64_t retired_ = 0;
    std::vector<std::int64_t> load_steps_;                  ///< steps with loads
    std::size_t loads_issued_ = 0;                          ///< of load_steps_
    std::vector<std::map<std::int64_t, int>> loads_left_;   ///< [tensor] by step
    std::vector<std::map<std::int64_t, int>> drains_left_;  ///< [tensor] by step
    std::vector<std::map<std::int64_t, int>> stores_left_;  ///< [tensor] by step
    int jobs_alive_ = 0;
    std::int64_t packets_ = 0;
    std::int64_t bank_conflicts_ = 0;
    ElementTime time_;
    std::array<Cycle, kWaits> waited_{};  ///< cycles so far, by cause of the oldest step's delay
    std::optional<Holdup> holdup_;        ///< in this cycle
    Cycle last_computed_ = 0;
    std::vector<TraceEvent> trace_;
    std::vector<Occupancy> occupancy_;
    bool trace_complete_ = true;
    bool interrupted_ = false;
    int nothing_next_ = 0;  ///< consecutive cycles without a next event
    std::vector<Cycle> iteration_ends_;
    bool element_advanced_ = false;

    // Repetition.
    Moment moment_;
    Moments moments_;
    std::array<std::int64_t, kWaits> waited_in_jump_{};  ///< during a jump
    std::int64_t noted_step_ = 0;
    std::int64_t noted_packets_ = 0;
    std::int64_t apart_ = 1;  ///< steps between snapshots; packets, in units of kPacketsApart
    std::int64_t skipped_steps_ = 0;
    Cycle skipped_cycles_ = 0;
    std::vector<std::int64_t> skipped_counts_;  ///< of the outermost memory and the routers
};

}  // namespace tilewright::sim
