// The judge of model/sparse: goes through every step of a small nest once, notes what each access moves and serves, and
// then counts, for given elements that are not zero, access by access, with every format written out for real. Shares
// nothing with what it judges.
//
//     const SparseWalk walk(einsum, mapping, design);
//     walk.count({0b0110, 0b1111, ~0ULL}).computes.actual;    // of A's four elements the two in the middle
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "mapping/mapping.hpp"
#include "sparse/design.hpp"
#include "sparse/expected.hpp"
#include "workload/einsum.hpp"

namespace tilewright::oracle {

/// By tensor: the elements that are not zero, the last rank fastest. No tensor has more than 64.
using Marks = std::vector<std::uint64_t>;

class SparseWalk {
   public:
    /// Requires a mapping, even or uneven, with or without remainders, groups of one option, no lists of flattened
    /// ranks.
    /// Between memories, tensors of which every rank is moved by one dimension.
    SparseWalk(const Einsum& einsum, const Mapping& mapping, const sparse::Design& design);

    /// Exactly, of these elements. Without what tiles hold.
    sparse::Expected count(const Marks& marks) const;

    int elements(int tensor) const { return elements_[tensor]; }
    /// Elements of a tensor in the order in which the nest comes to them first.
    std::vector<int> order(int tensor) const;

   private:
    struct Loop {
        int dimension = 0;
        int extent = 1;
        bool spatial = false;
    };
    struct Point {
        std::vector<int> at;        ///< by loop
        std::vector<int> elements;  ///< by tensor
    };
    /// What a memory holds of a tensor for a while, written as a format: by rank, outermost first, where each of its
    /// elements lies.
    struct Tile {
        std::uint64_t words = 0;
        std::vector<int> places;  ///< by rank
        std::map<int, std::vector<int>> element_at;
    };
    /// One access.
    struct Event {
        std::uint64_t words = 0;
        std::uint64_t before = 0;             ///< of these, what was at the memory before
        std::uint64_t finished = 0;           ///< and to what nothing is added any more, anywhere
        std::vector<std::uint64_t> children;  ///< by receiving memory: what was there before
        std::vector<std::uint64_t> touched;   ///< by tensor: all that its steps touch
        std::vector<int> points;
        int tile = -1;        ///< of the source (compute units), or of the child, in its source's format
        int child_tile = -1;  ///< of the child in its own
    };
    /// All accesses of a tensor at a memory.
    struct Flow {
        int tensor = 0;
        int source = 0;
        int child = 0;  ///< -1: compute units
        std::vector<Event> events;
        std::vector<int> event_of;  ///< by point
        std::vector<Tile> tiles;
    };
    struct Rule {
        int flow = 0;
        std::vector<int> conditions;
        bool gates = false;
    };
    struct Written {
        std::vector<sparse::RankWords> words;  ///< innermost first
    };

    void enumerate(const Mapping& mapping);
    void add_flows();
    Flow flow_of(int tensor, int source, int child) const;
    std::vector<int> key(const Point& point, int loops, bool spatial) const;
    int outside(int tensor, int memory) const;
    int add_tile(Flow& flow, int begin, const sparse::TensorFormat& format, const std::vector<int>& points) const;
    void add_rules(int memory, const std::vector<sparse::OptionGroup>& groups, bool gates);

    bool is_avoided(const Rule& rule, int point, const Marks& marks) const;
    bool any_avoided(const Flow& flow, const Event& event, bool gates, const Marks& marks) const;
    bool is_asked(const Flow& flow, const Event& event, const Marks& marks) const;
    bool is_served(const Flow& flow, const Event& event, bool gates, const Marks& marks) const;
    void count_flow(const Flow& flow, const Marks& marks, sparse::Expected& counts) const;
    void count_computes(const Marks& marks, sparse::Expected& counts) const;
    std::vector<sparse::RankWords> written(const Tile& tile, const sparse::TensorFormat& format,
                                           std::uint64_t marked) const;
    const sparse::TensorFormat* format(int memory, int tensor) const;
    bool stored_compressed(int tensor) const;

    const Einsum& einsum_;
    const sparse::Design& design_;
    std::vector<int> elements_;
    std::vector<Loop> loops_;
    std::vector<Point> points_;             ///< as time goes
    std::vector<std::vector<int>> begins_;  ///< by tensor and memory that keeps it: loops outside
    std::vector<std::vector<bool>> keeps_;  ///< by tensor and memory
    std::vector<Flow> flows_;
    std::vector<Rule> rules_;
};

}  // namespace tilewright::oracle
