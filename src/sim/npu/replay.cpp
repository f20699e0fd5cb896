#include "sim/npu/replay.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <stdexcept>
#include <utility>

#include "sim/dram/device.hpp"
#include "sim/npu/dependences.hpp"

namespace tilewright::sim::npu {
namespace {

using schedule::Execution;
using schedule::Transfer;

constexpr int kNobody = -1;

class Machine {
   public:
    Machine(const schedule::OperationGraph& graph, const schedule::Schedule& schedule, const Dependences& dependences,
            const ReplayOptions& options, const Control& control)
        : graph_(graph),
          machine_(graph.problem.machine),
          schedule_(schedule),
          dependences_(dependences),
          control_(control),
          placement_(graph, options.layout),
          missing_(dependences.missing),
          released_by_(at(dependences.nodes()), kNobody),
          began_(at(dependences.nodes()), 0),
          ended_(at(dependences.nodes()), kNotYet),
          left_in_phase_(dependences.phase_size),
          waiting_(dependences.phase_size.size()) {
        if (options.dram)
            dma_.emplace(*options.dram, options.dram_options,
                         1000.0 / options.clock_ghz / options.dram->timing.clock_ps, machine_.dma_channels,
                         machine_.bytes_per_cycle, control.stop);
    }

    Replay run() {
        for (int node = 0; node < dependences_.nodes(); ++node)
            if (dependences_.missing[at(node)] == 0) ready(node, kNobody);
        for (std::int64_t turn = 0; done_ < activities(); ++turn) {
            if (!go_on(turn)) break;
            while (!finishing_.empty() && finishing_.top().at <= now_) {
                const int node = finishing_.top().node;
                finishing_.pop();
                finish(node);
            }
            if (done_ < activities()) pass_time();
        }
        return result();
    }

   private:
    static constexpr Cycle kNotYet = -1;
    static constexpr Cycle kNever = std::numeric_limits<Cycle>::max();
    struct Finish {
        Cycle at;
        int node;
        bool operator>(const Finish& other) const { return at != other.at ? at > other.at : node > other.node; }
    };

    std::int64_t activities() const { return std::int64_t{dependences_.transfers} + dependences_.executions; }
    const Execution& execution(int node) const { return schedule_.executions[at(node - dependences_.transfers)]; }
    const Transfer& transfer(int node) const { return schedule_.transfers[at(node)]; }

    bool go_on(std::int64_t turn) {
        if ((turn & 1023) == 0 && control_.progress) control_.progress(done_, activities());
        interrupted_ = control_.stop != nullptr && control_.stop->requested();
        return !interrupted_;
    }

    void pass_time() {
        take_ended();
        if (!dma_ || !dma_->busy()) {
            if (finishing_.empty()) throw std::logic_error("the replayed schedule waits for itself");
            now_ = finishing_.top().at;
            return;
        }
        dma_->step(now_);
        take_ended();
        Cycle next = dma_->busy() ? dma_->next_event(now_) : kNever;
        if (!finishing_.empty()) next = std::min(next, finishing_.top().at);
        now_ = std::max(next, now_ + 1);
    }

    void take_ended() {
        if (!dma_) return;
        for (const Dma::Ended& one : dma_->take_ended()) finishing_.push({std::max(one.at, now_ + 1), one.transfer});
    }

    /// A node's dependences are complete, except possibly its phase.
    void ready(int node, int released_by) {
        released_by_[at(node)] = released_by;
        if (dependences_.is_block(node)) return pass_on(node);
        const int phase = dependences_.phase[at(node)];
        if (phase > phase_) {
            waiting_[at(phase)].push_back(node);
        } else {
            begin(node);
        }
    }

    void begin(int node) {
        began_[at(node)] = now_;
        if (!dependences_.is_transfer(node)) {
            finishing_.push({now_ + graph_.operation(execution(node).operation).cycles, node});
            return;
        }
        const Transfer& one = transfer(node);
        if (dma_) {
            dma_->start(one.channel, node, one.kind != schedule::TransferKind::load, placement_.pieces(one), now_);
        } else {
            finishing_.push({now_ + schedule::transfer_cycles(machine_, one.bytes), node});
        }
    }

    void finish(int node) {
        ended_[at(node)] = now_;
        last_ = node;
        ++done_;
        if (dependences_.is_transfer(node))
            moved_bytes_[at(static_cast<int>(transfer(node).kind))] += transfer(node).bytes;
        --left_in_phase_[at(dependences_.phase[at(node)])];
        pass_on(node);
        while (phase_ + 1 < static_cast<int>(left_in_phase_.size()) && left_in_phase_[at(phase_)] == 0) {
            for (const int next : waiting_[at(++phase_)]) {
                released_by_[at(next)] = node;
                begin(next);
            }
        }
    }

    void pass_on(int node) {
        for (std::size_t i = dependences_.begins[at(node)]; i < dependences_.begins[at(node) + 1]; ++i) {
            const int next = dependences_.after[i];
            if (--missing_[at(next)] == 0) ready(next, node);
        }
    }

    // ---- what came of it

    /// The end releasing a node; a block stands for its last user.
    int cause_of(int node) const {
        int cause = released_by_[at(node)];
        while (cause != kNobody && dependences_.is_block(cause)) cause = released_by_[at(cause)];
        return cause;
    }

    Path path() const {
        Path path;
        for (int node = last_; node != kNobody; node = cause_of(node)) {
            const Cycle took = ended_[at(node)] - began_[at(node)];
            if (!dependences_.is_transfer(node)) {
                path.computing += took;
                continue;
            }
            const std::int64_t least = schedule::transfer_cycles(machine_, transfer(node).bytes);
            path.moving += least;
            path.memory += took - least;
        }
        return path;
    }

    CoreTime core_time(Cycle cycles) const {
        CoreTime time;
        std::vector<std::pair<Cycle, int>> order;  // of completed executions
        for (int node = dependences_.transfers; node < activities(); ++node)
            if (ended_[at(node)] != kNotYet) order.emplace_back(began_[at(node)], node);
        std::sort(order.begin(), order.end());
        std::vector<Cycle> free(at(machine_.cores), 0);
        for (const auto& [begin, node] : order) {
            Cycle& since = free[at(execution(node).core)];
            const bool for_room = released_by_[at(node)] != kNobody && dependences_.is_block(released_by_[at(node)]);
            const int cause = cause_of(node);
            if (for_room) {
                time.waiting_for_room += begin - since;
            } else if (cause != kNobody && dependences_.is_transfer(cause)) {
                time.waiting_for_words += begin - since;
            }
            time.computing += ended_[at(node)] - begin;
            since = ended_[at(node)];
        }
        time.other = machine_.cores * cycles - time.computing - time.waiting_for_words - time.waiting_for_room;
        return time;
    }

    Replay result() {
        Replay result;
        const Cycle last_end = last_ == kNobody ? 0 : ended_[at(last_)];
        result.cycles = interrupted_ ? now_ : last_end;
        if (dma_ && !interrupted_) result.cycles = dma_->settled(last_end);
        result.schedule.rule = schedule_.rule;
        for (int node = 0; node < activities(); ++node) {
            if (ended_[at(node)] == kNotYet) continue;
            if (dependences_.is_transfer(node)) {
                result.schedule.transfers.push_back(transfer(node));
                result.schedule.transfers.back().start = began_[at(node)];
                result.schedule.transfers.back().end = ended_[at(node)];
                result.schedule.traffic_bytes += transfer(node).bytes;
                result.channel_cycles += ended_[at(node)] - began_[at(node)];
            } else {
                result.schedule.executions.push_back(execution(node));
                result.schedule.executions.back().start = began_[at(node)];
                result.schedule.executions.back().end = ended_[at(node)];
            }
        }
        result.schedule.latency_cycles = last_end;
        result.cores = core_time(result.cycles);
        result.path = path();
        result.path.draining = result.cycles - last_end;
        result.moved_bytes = moved_bytes_;
        result.done = done_;
        result.interrupted = interrupted_;
        if (dma_) {
            result.dram_reads = dma_->reads();
            result.dram_writes = dma_->writes();
            result.dram = dma_->memory().counts();
            result.dram_energy_pj = dma_->memory().energy_pj();
        }
        return result;
    }

    const schedule::OperationGraph& graph_;
    const schedule::MultiNpu& machine_;
    const schedule::Schedule& schedule_;
    const Dependences& dependences_;
    const Control& control_;
    const Placement placement_;
    std::optional<Dma> dma_;
    std::vector<int> missing_;
    std::vector<int> released_by_;  ///< [node] the end releasing it
    std::vector<Cycle> began_;
    std::vector<Cycle> ended_;
    std::vector<int> left_in_phase_;
    std::vector<std::vector<int>> waiting_;  ///< [phase] nodes waiting for it alone
    int phase_ = 0;
    std::priority_queue<Finish, std::vector<Finish>, std::greater<>> finishing_;
    Cycle now_ = 0;
    std::int64_t done_ = 0;
    int last_ = kNobody;
    std::array<std::int64_t, schedule::kTransferKindNames.size()> moved_bytes_{};
    bool interrupted_ = false;
};

}  // namespace

std::string problem_with(const ReplayOptions& options) {
    if (!(options.clock_ghz >= 0.001) || options.clock_ghz > 100.0)
        return "the clock has to be at least 0.001 and at most 100 GHz";
    return options.dram ? dram::problem_with(*options.dram, options.dram_options) : "";
}

Replay replay(const schedule::Problem& problem, const schedule::Schedule& schedule, const ReplayOptions& options,
              const Control& control) {
    const schedule::OperationGraph graph = make_graph(problem);
    const Dependences dependences = dependences_of(graph, schedule);
    ReplayOptions ideal = options;
    ideal.dram.reset();
    Control quiet;
    quiet.stop = control.stop;
    Replay first = Machine(graph, schedule, dependences, ideal, options.dram ? quiet : control).run();
    first.ideal_cycles = first.cycles;
    first.ideal_path = first.path;
    if (!options.dram || first.interrupted) return first;
    Replay result = Machine(graph, schedule, dependences, options, control).run();
    result.ideal_cycles = first.cycles;
    result.ideal_path = first.path;
    return result;
}

}  // namespace tilewright::sim::npu
