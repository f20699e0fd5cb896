// ReadySets: the ready operations indexed by shared and by resident tiles, to find the next set without scanning all
// (Flexer, Algorithm 1, line 20, and section 4.2).
//
// Equal to distinct_sets() (data_flow.hpp), the definition of classes; a test compares the two.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedule/problem/data_flow.hpp"

namespace tilewright::schedule {

// PlaceBits: a set of numbers 0 .. n-1 with a quick successor search, even if sparse.

class PlaceBits {
   public:
    PlaceBits() = default;
    explicit PlaceBits(std::size_t size) : words_(size / 64 + 1, 0), blocks_(size / 4096 + 1, 0) {}

    void insert(std::size_t i) {
        words_[i / 64] |= bit(i);
        blocks_[i / 4096] |= bit(i / 64);
    }
    void erase(std::size_t i) {
        words_[i / 64] &= ~bit(i);
        if (words_[i / 64] == 0) blocks_[i / 4096] &= ~bit(i / 64);
    }
    bool contains(std::size_t i) const { return (words_[i / 64] & bit(i)) != 0; }

    static constexpr std::size_t kNone = ~std::size_t{0};

    /// The least member >= `from`, or kNone.
    std::size_t next(std::size_t from) const {
        std::size_t word = from / 64;
        if (word >= words_.size()) return kNone;
        const std::uint64_t here = words_[word] & (~std::uint64_t{0} << (from % 64));
        if (here != 0) return word * 64 + static_cast<std::size_t>(std::countr_zero(here));
        ++word;
        std::size_t block = word / 64;
        if (block >= blocks_.size()) return kNone;
        std::uint64_t left = blocks_[block] & (~std::uint64_t{0} << (word % 64));
        while (left == 0)
            if (++block == blocks_.size())
                return kNone;
            else
                left = blocks_[block];
        word = block * 64 + static_cast<std::size_t>(std::countr_zero(left));
        return word * 64 + static_cast<std::size_t>(std::countr_zero(words_[word]));
    }

   private:
    static std::uint64_t bit(std::size_t i) { return std::uint64_t{1} << (i % 64); }

    std::vector<std::uint64_t> words_;
    std::vector<std::uint64_t> blocks_;  ///< index of non-empty words
};

/// A set of ready operations, in order of addition, with its resident tiles.
struct ReadySet {
    std::array<int, kLargestSet> operations{};
    int size = 0;
    std::int64_t reused_bytes = 0;   ///< resident, once per operation
    std::int64_t missing_bytes = 0;  ///< not resident
    std::int64_t bytes = 0;          ///< of all its tiles: they must be resident together
};

/// State of the scratchpad for a request.
struct Room {
    std::int64_t bytes = 0;       ///< in all
    std::int64_t free_bytes = 0;  ///< free
};

class ReadySets {
   public:
    /// Initially nothing is ready. `data_flow` numbers the operations (list_scheduler.hpp).
    ReadySets(const OperationGraph& graph, const std::array<Dim, kDims>& data_flow, const std::vector<char>& resident);

    void add(int operation);
    void remove(int operation);
    /// After a tile's arrival or departure.
    void set_resident(int tile, bool resident);

    int count() const { return count_; }
    /// The lowest-numbered one. Requires one.
    int first() const { return operation_at_[all_.next(0)]; }
    /// Upper bound on resident bytes reused by a set of `size` ready operations (every tile taken as the largest).
    std::int64_t most_reused(int size) const;

    static constexpr std::int64_t kAny = -(std::int64_t{1} << 52);

    /// Whether any set of `size` operations may fit in these bytes, by the smallest tile of every operand.
    bool may_fit(int size, std::int64_t bytes) const;
    /// Those of distinct_sets(), in its order, whose class may fit the room with a memory benefit of at least `least`
    /// bytes: resident tiles taken as the largest, missing ones as the smallest; each evicted byte reduces the benefit
    /// by at least one over the number of cores (most_references()).
    const std::vector<ReadySet>& distinct(int size, std::int64_t least, const Room& room);
    /// Upper bound on the benefit of classes left out by the last call; below kAny: none was.
    std::int64_t left_out() const { return left_out_; }

   private:
    static constexpr std::size_t kFlags = 8;  ///< bits: input, weight, output resident

    /// Distinct tiles of one operand in a set, with their numbers of sharing operations.
    struct Shares {
        std::array<int, kLargestSet> tile{};
        std::array<std::uint8_t, kLargestSet> count{};
        std::uint8_t there = 0;  ///< bit by tile
        int size = 0;
        /// Tile counts by number of sharers, resident and missing ones apart: four bits each.
        std::uint64_t code = 0;

        int find(int id) const;
        void add(int id, int known, bool resident);
        /// The code after add().
        std::uint64_t code_with(int known, bool resident) const;
    };
    /// Sums common to a set's class.
    struct Sums {
        std::uint64_t input = 0;  ///< codes
        std::uint64_t weight = 0;
        int outputs_there = 0;
        std::int64_t reused = 0;   ///< bytes, every tile as the largest
        std::int64_t missing = 0;  ///< same, as the smallest
        std::int64_t bytes = 0;    ///< same
    };
    struct Node {
        ReadySet set;
        Shares input;
        Shares weight;
        Sums sums;
    };
    struct Candidate {
        int number = 0;
        int operation = 0;
        int input = -1;  ///< index among the set's tiles; -1: a new one
        int weight = -1;
    };
    /// A ready operation, for enumerate().
    struct Ready {
        int number = 0;
        int operation = 0;
        int input = 0;
        int weight = 0;
        std::size_t flags = 0;
    };
    /// Whether one more operation's class may fit and reach the minimum, by its flags and new tiles (relation()).
    struct Outlook {
        std::uint32_t may = 0;                           ///< one bit each
        std::array<std::int64_t, kFlags * 4> promise{};  ///< upper bound of the benefit, times cores
    };
    /// Input or weight tiles with ready operations, in an order that numbers keep. Those of one input channel tile
    /// with equal patterns are alike (representatives(), data_flow.hpp).
    struct Lines {
        PlaceBits active;
        std::vector<std::uint64_t> pattern;  ///< sum over the ready operations: their place on the line, and flags
        std::vector<int> ready;              ///< their number
        int count = 0;                       ///< of active lines
        struct Line {
            std::size_t along = 0;  ///< rank of the place, or output channel tile
            std::size_t channel = 0;
        };
        std::vector<Line> kept;  ///< the first few of alike ones

        void resize(std::size_t size);
        void change(std::size_t line, std::size_t place, std::size_t flags, bool into);
        /// Keeps the first `few` of alike lines; false if more than `most` remain. `c`: of input channel tiles.
        bool keep_first(int few, std::size_t most, std::size_t c);

       private:
        static constexpr std::size_t kMostLines = 256;  ///< beyond, growing is quicker
        struct Alike {
            std::uint64_t pattern = 0;
            std::size_t channel = 0;
            int count = 0;            ///< of lines
            std::uint32_t stamp = 0;  ///< of the call that counts
        };
        std::vector<Alike> alike_ = std::vector<Alike>(kMostLines * 2);  ///< open addressing
        std::uint32_t stamp_ = 0;
    };
    /// For sets of one size: the key of data_flow(), packed.
    struct Class {
        std::uint64_t input = 0;
        std::uint64_t weight = 0;
        int outputs_there = 0;
        std::uint32_t stamp = 0;  ///< of the last search to see it
    };

    std::size_t flags_now(int operation) const;
    /// Of a ready operation.
    std::size_t flags_of(int operation) const { return flags_[operation]; }
    std::size_t number_of(int operation) const { return static_cast<std::size_t>(number_[operation]); }
    std::size_t weight_bits(std::size_t c, std::size_t k) const { return (c * k_ + k) * words_; }
    void rank_places(const std::array<Dim, kDims>& data_flow);
    void mark_ready(int operation, bool ready);
    void index(int operation, std::size_t flags);
    void unindex(int operation, std::size_t flags);
    /// Removes an operation from the index, or inserts it under its present flags.
    void move(int operation, bool into);
    void change_lines(int operation, std::size_t flags, bool into);
    void input_changed(int tile, bool resident);
    void weight_changed(int tile, bool resident);
    void output_changed(int tile, bool resident);

    /// Operations whose sets can be enumerated, into ready_; false if there are too many combinations.
    bool list_for(int size);
    void list_ready();
    bool list_representatives(int size);
    void enumerate(std::size_t from, const Node& node);
    void grow();
    /// Of sets of `size` operations, one more than the sums have.
    Outlook outlook(const Sums& sums, int size) const;
    static std::size_t relation(std::size_t flags, int input, int weight) {
        return flags * 4 + (input < 0 ? 1U : 0U) + (weight < 0 ? 2U : 0U);
    }
    /// False: left out.
    bool may_add(const Outlook& outlook, std::size_t relation);
    Sums added(const Node& node, const Candidate& candidate) const;
    bool add_class(const Node& node, const Candidate& candidate, Sums& sums);
    void find_candidates(const Node& node, const Outlook& outlook);
    void add_candidate(const Candidate& candidate, const Outlook& outlook);
    void sharing_an_input(const Node& node, int input, const Outlook& outlook);
    void sharing_a_weight(const Node& node, int weight, const Outlook& outlook);
    void sharing_nothing(const Node& node, const Outlook& outlook);
    void list_unrelated(std::size_t flags);
    Node extended(const Node& node, const Candidate& candidate, const Sums& sums) const;
    void add_to(ReadySet& set, const Candidate& candidate) const;
    bool place_class(const Class& wanted);
    void enlarge_classes();
    void forget_classes();

    const OperationGraph& graph_;
    std::size_t k_;                                   ///< numbers of tiles: output channels,
    std::size_t c_;                                   ///< input channels,
    std::size_t places_;                              ///< and places
    std::size_t words_;                               ///< of a set of places
    std::size_t run_ = 1;                             ///< consecutive numbers sharing a tile of
    Operand run_operand_ = Operand::output;           ///< this operand
    std::vector<int> number_;                         ///< by operation
    std::vector<int> operation_at_;                   ///< by number
    std::vector<int> rank_;                           ///< by place: its order in the data flow
    std::vector<int> place_at_;                       ///< by rank
    std::vector<char> there_;                         ///< by tile
    std::vector<std::uint8_t> flags_;                 ///< by operation, while ready
    std::array<std::int64_t, kFlags> reused_{};       ///< by flags
    std::array<std::int64_t, kOperands> smallest_{};  ///< block of each operand
    struct Bytes {
        std::int64_t missing = 0;
        std::int64_t all = 0;
    };
    std::array<std::array<Bytes, 4>, kFlags> more_{};  ///< of one more operation, by new input + 2 * new weight
    PlaceBits all_;                                    ///< ready, by number
    std::array<PlaceBits, kFlags> by_flags_;           ///< same, by resident tiles
    std::array<int, kFlags> count_of_{};
    int count_ = 0;
    std::vector<int> ready_of_chain_;          ///< by output; -1: none
    std::vector<std::uint64_t> ready_places_;  ///< by weight: ranks of its ready operations' places
    std::vector<std::uint64_t> input_there_;   ///< by input channel tile: ranks of places with resident input
    std::vector<std::uint64_t> output_there_;  ///< by output channel tile: same, outputs

    int size_ = 0;  ///< of the requested sets
    std::int64_t cores_;
    std::int64_t least_ = 0;     ///< times cores
    std::int64_t left_out_ = 0;  ///< same
    Room room_;
    std::int64_t most_ = 0;  ///< maximum resident bytes for one more operation
    bool changed_ = true;    ///< since the lists below were made
    std::vector<Ready> ready_;
    int listed_for_ = 0;                  ///< sets of so many: ready_ suffices for these, and for smaller ones
    int too_many_for_ = kLargestSet + 1;  ///< sets of so many cannot be enumerated
    Lines inputs_;                        ///< by rank of the place * input channel tiles + input channel tile
    Lines weights_;                       ///< by output channel tile * input channel tiles + input channel tile
    int unrelated_for_ = 0;               ///< sets of so many
    std::array<bool, kFlags> unrelated_known_{};
    std::array<std::vector<int>, kFlags> unrelated_;  ///< first operations with few tiles in common
    std::vector<int> listed_;                         ///< by tile: its listed operations
    std::vector<Node> nodes_;
    std::vector<Node> larger_;
    std::vector<Candidate> candidates_;
    std::vector<Class> classes_;  ///< open addressing
    std::uint32_t stamp_ = 0;
    std::size_t class_count_ = 0;
    std::vector<ReadySet> found_;
};

}  // namespace tilewright::schedule
