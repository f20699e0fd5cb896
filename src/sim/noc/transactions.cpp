#include "sim/noc/transactions.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace tilewright::sim {
namespace {

constexpr std::int64_t kPacketBytes = 32;
constexpr std::int64_t kNoEvent = std::numeric_limits<std::int64_t>::max();

void check_transaction(const Transaction& transaction, std::size_t index, std::size_t count,
                       const HybridTerminals& terminals) {
    const auto refuse = [&](const std::string& why) {
        throw std::invalid_argument("transaction " + std::to_string(index) + ": " + why);
    };
    const auto exists = [&](int terminal) { return terminal >= 0 && terminal < terminals.count(); };
    const bool multicast = transaction.kind == TransactionKind::multicast;
    if (!exists(transaction.actor)) refuse("there is no terminal " + std::to_string(transaction.actor));
    if (transaction.size < 1) refuse("expected a size of at least 1");
    if (transaction.kind == TransactionKind::count && !transaction.destinations.empty())
        refuse("a count has no destinations");
    if (transaction.kind == TransactionKind::unicast && transaction.destinations.size() != 1)
        refuse("expected one destination");
    if (multicast && transaction.destinations.empty()) refuse("expected destinations");
    TerminalSet seen = 0;
    for (const int terminal : transaction.destinations) {
        if (!exists(terminal)) refuse("there is no terminal " + std::to_string(terminal));
        if (!multicast) continue;
        if (terminal >= terminals.mesh.nodes()) refuse("a multicast reaches only the terminals at routers");
        if ((seen >> terminal & 1U) != 0) refuse("terminal " + std::to_string(terminal) + " is named twice");
        seen |= TerminalSet{1} << terminal;
    }
    for (const int other : transaction.after) {
        if (other < 0 || static_cast<std::size_t>(other) >= count)
            refuse("waits for transaction " + std::to_string(other) + ", which there is not");
    }
}

class TransactionEngine {
   public:
    TransactionEngine(Mesh mesh, std::span<const Transaction> transactions, const OneReadMemory& memory)
        : network_(mesh), transactions_(transactions), memory_(memory), state_(transactions.size()) {
        if (memory.terminal >= 0) {
            const std::string problem = dram::problem_with(memory.device, memory.options);
            if (!problem.empty()) throw std::invalid_argument(problem);
            dram_.emplace(memory.device, memory.options);
        }
        const HybridTerminals& terminals = network_.terminals();
        terminals_.resize(static_cast<std::size_t>(terminals.count()));
        for (std::size_t i = 0; i < transactions.size(); ++i) prepare(i);
        left_ = transactions.size();
    }

    TransactionRun run(const StopSource* stop);

   private:
    struct State {
        std::vector<int> waits;             ///< for these still
        std::vector<int> dependents;        ///< transactions waiting for it
        std::vector<std::int64_t> arrived;  ///< packets per destination
        std::int64_t sent = 0;
        std::int64_t written = 0;  ///< packets arrived at the memory
        std::size_t open = 0;      ///< incomplete destinations
        bool started = false, finished = false;
        TransactionTimes times;
    };
    struct Terminal {
        std::priority_queue<int, std::vector<int>, std::greater<>> ready;  ///< without dependences, not started
        int current = -1;
        int next_flit = HybridNetwork::kPacketFlits;  ///< of the packet being sent
    };

    void prepare(std::size_t index);
    void receive(int terminal);
    void arrive(int index, int terminal);
    void choose(int terminal);
    void work(int terminal);
    void begin_packet(int terminal);
    void acknowledge(int terminal);
    void send(int terminal);
    void finish(int index);
    void release(int dependent, int index);
    bool data_missing(int terminal) const;
    std::int64_t next_event() const;
    [[noreturn]] void report_circle() const;

    HybridNetwork network_;
    std::span<const Transaction> transactions_;
    OneReadMemory memory_;
    std::optional<EventMemory> dram_;
    std::vector<State> state_;
    std::vector<Terminal> terminals_;
    std::size_t left_ = 0;
    std::int64_t now_ = 0;
    bool moved_ = false;       ///< progress in this cycle
    bool data_there_ = false;  ///< of the packet sent by the memory
    std::deque<int> writes_;   ///< transactions of the packets, by arrival: the oldest one is written
};

void TransactionEngine::prepare(std::size_t index) {
    const Transaction& transaction = transactions_[index];
    check_transaction(transaction, index, transactions_.size(), network_.terminals());
    State& state = state_[index];
    state.waits = transaction.after;
    std::ranges::sort(state.waits);
    state.waits.erase(std::ranges::unique(state.waits).begin(), state.waits.end());
    for (const int other : state.waits) state_[other].dependents.push_back(static_cast<int>(index));
    state.arrived.resize(transaction.destinations.size());
    state.open = transaction.destinations.size();
    state.times.ends.assign(std::max<std::size_t>(1, state.open), -1);
    if (state.waits.empty())
        terminals_[static_cast<std::size_t>(transaction.actor)].ready.push(static_cast<int>(index));
}

void TransactionEngine::release(int dependent, int index) {
    State& state = state_[dependent];
    if (std::erase(state.waits, index) == 0 || !state.waits.empty()) return;
    const int actor = transactions_[dependent].actor;
    terminals_[actor].ready.push(dependent);
}

void TransactionEngine::finish(int index) {
    State& state = state_[index];
    state.finished = true;
    --left_;
    for (const int dependent : state.dependents) release(dependent, index);
}

/// A packet of transaction `index` is complete at a terminal.
void TransactionEngine::arrive(int index, int terminal) {
    const Transaction& transaction = transactions_[index];
    State& state = state_[index];
    const auto at = static_cast<std::size_t>(std::ranges::find(transaction.destinations, terminal) -
                                             transaction.destinations.begin());
    if (++state.arrived[at] != transaction.size) return;
    state.times.ends[at] = now_;
    for (const int dependent : state.dependents) {
        if (transactions_[dependent].actor == terminal) release(dependent, index);
    }
    if (--state.open == 0) finish(index);
}

void TransactionEngine::receive(int terminal) {
    const auto flit = network_.take(terminal);
    if (!flit) return;
    moved_ = true;
    if (!flit->tail()) return;
    if (terminal == memory_.terminal) {
        std::int64_t& packet = state_[flit->tag].written;
        dram_->request(true, memory_.write_to + kPacketBytes * packet++, now_);
        writes_.push_back(flit->tag);
    } else {
        arrive(flit->tag, terminal);
    }
}

/// The current transaction ends a cycle after its last flit or count; the next one begins then.
void TransactionEngine::choose(int at) {
    Terminal& terminal = terminals_[at];
    if (terminal.current >= 0) {
        const State& state = state_[terminal.current];
        const Transaction& transaction = transactions_[terminal.current];
        const bool sent = transaction.kind != TransactionKind::count && state.sent == transaction.size;
        if (sent || state.finished) terminal.current = -1;
    }
    if (terminal.current >= 0 || terminal.ready.empty()) return;
    terminal.current = terminal.ready.top();
    terminal.ready.pop();
    state_[terminal.current].times.start = now_;
    moved_ = true;
}

void TransactionEngine::work(int at) {
    Terminal& terminal = terminals_[at];
    if (terminal.current < 0) return;
    State& state = state_[terminal.current];
    const Transaction& transaction = transactions_[terminal.current];
    if (transaction.kind != TransactionKind::count) {
        if (terminal.next_flit == HybridNetwork::kPacketFlits) begin_packet(at);
    } else if (!state.finished && now_ - state.times.start >= transaction.size) {
        state.times.ends[0] = now_;
        finish(terminal.current);
        moved_ = true;
    }
}

void TransactionEngine::begin_packet(int at) {
    Terminal& terminal = terminals_[at];
    terminal.next_flit = 0;
    if (at != memory_.terminal) return;
    data_there_ = false;
    dram_->request(false, memory_.read_from + kPacketBytes * state_[terminal.current].sent, now_);
}

void TransactionEngine::acknowledge(int at) {
    if (at != memory_.terminal) return;
    const std::optional<EventMemory::Out> out = dram_->take();
    if (!out) return;
    moved_ = true;
    if (*out == EventMemory::Out::read) {
        data_there_ = true;
        return;
    }
    arrive(writes_.front(), at);
    writes_.pop_front();
}

/// The memory sends four flits of a packet at once; the last one waits for the data.
bool TransactionEngine::data_missing(int at) const {
    const Terminal& terminal = terminals_[at];
    return at == memory_.terminal && terminal.next_flit == HybridNetwork::kPacketFlits - 1 && !data_there_;
}

void TransactionEngine::send(int at) {
    Terminal& terminal = terminals_[at];
    if (terminal.current < 0 || terminal.next_flit == HybridNetwork::kPacketFlits || data_missing(at)) return;
    const Transaction& transaction = transactions_[terminal.current];
    HybridFlit flit;
    flit.tag = terminal.current;
    flit.position = static_cast<std::int8_t>(terminal.next_flit);
    flit.multicast = transaction.kind == TransactionKind::multicast;
    if (flit.multicast) {
        for (const int destination : transaction.destinations) flit.destinations |= TerminalSet{1} << destination;
    } else {
        flit.destination = static_cast<std::int16_t>(transaction.destinations.front());
    }
    if (!network_.offer(at, flit)) return;
    moved_ = true;
    if (++terminal.next_flit == HybridNetwork::kPacketFlits) ++state_[terminal.current].sent;
}

/// Next end of a count or memory event, while no flit moves.
std::int64_t TransactionEngine::next_event() const {
    std::int64_t next = kNoEvent;
    if (dram_ && !dram_->idle()) next = dram_->next_event(now_);
    for (const Terminal& terminal : terminals_) {
        if (terminal.current < 0) continue;
        const auto index = static_cast<std::size_t>(terminal.current);
        if (transactions_[index].kind != TransactionKind::count || state_[index].finished) continue;
        next = std::min(next, state_[index].times.start + transactions_[index].size);
    }
    return next;
}

void TransactionEngine::report_circle() const {
    for (std::size_t i = 0; i < state_.size(); ++i) {
        if (state_[i].finished || state_[i].waits.empty()) continue;
        throw std::invalid_argument("transaction " + std::to_string(i) + ": waits for transaction " +
                                    std::to_string(state_[i].waits.front()) +
                                    ", which never ends: they wait in a circle");
    }
    throw std::logic_error("transactions are left and none of them waits");
}

TransactionRun TransactionEngine::run(const StopSource* stop) {
    TransactionRun result;
    std::int64_t steps = 0;
    while (left_ > 0 && !result.stopped) {
        if ((++steps & 0xfff) == 0 && stop != nullptr && stop->requested()) result.stopped = true;
        moved_ = false;
        network_.advance();
        for (int terminal = 0; terminal < static_cast<int>(terminals_.size()); ++terminal) {
            receive(terminal);
            choose(terminal);
            work(terminal);
            acknowledge(terminal);
            send(terminal);
        }
        network_.step();
        if (dram_) dram_->tick(now_);
        result.cycles = now_;
        if (moved_ || !network_.idle()) {
            ++now_;
            continue;
        }
        const std::int64_t next = next_event();
        if (left_ > 0 && next == kNoEvent) report_circle();
        now_ = std::max(now_ + 1, next);
    }
    result.delivered = network_.delivered();
    for (State& state : state_) result.times.push_back(std::move(state.times));
    return result;
}

/// The network's clock starts after its reset, the DRAM's at 0: requests look newer by this much.
constexpr std::int64_t kReset = 2;

}  // namespace

std::int64_t TransactionTimes::end() const { return *std::ranges::max_element(ends); }

TransactionRun run_transactions(Mesh mesh, std::span<const Transaction> transactions, const OneReadMemory& memory,
                                const StopSource* stop) {
    return TransactionEngine(mesh, transactions, memory).run(stop);
}

void EventMemory::request(bool write, std::int64_t address, std::int64_t cycle) {
    events_.push({.time = cycle + kReset, .arrival = arrivals_++, .in = true, .write = write, .address = address});
}

void EventMemory::tick(std::int64_t cycle) {
    while (memory_.now() < cycle) {
        const std::int64_t quiet = std::min(memory_.next_event() - 1, cycle);
        if (quiet > memory_.now()) {
            memory_.skip_to(quiet);
        } else {
            memory_.tick();
        }
    }
    if (!overflow_.empty() && memory_.offer(overflow_.front())) overflow_.pop_front();
    memory_.tick();
    for (const dram::Done& done : memory_.completed())
        events_.push({.time = cycle, .arrival = arrivals_++, .in = false, .write = done.write, .address = 0});
    if (events_.empty()) return;
    const Event event = events_.top();
    events_.pop();
    serve(event);
}

void EventMemory::serve(const Event& event) {
    if (!event.in) {
        out_ = event.write ? Out::written : Out::read;
        return;
    }
    const dram::Request request{event.address, event.write, 0};
    if (!memory_.offer(request)) overflow_.push_back(request);
}

std::optional<EventMemory::Out> EventMemory::take() { return std::exchange(out_, std::nullopt); }

std::int64_t EventMemory::next_event(std::int64_t cycle) const {
    if (!events_.empty() || !overflow_.empty() || out_) return cycle + 1;
    return memory_.next_event() - 1;  // its clock is a tick further after that tick
}

}  // namespace tilewright::sim
