// All groups that end with one einsum and one choice of shared loops: labels from the last segment to the first.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "fusion/segment.hpp"

namespace tilewright::fusion {

struct GroupEnd {
    int last = 0;
    Marching marching{-1, -1};
    std::array<std::int64_t, 2> tile{1, 1};  ///< steps of the loops
    int first_allowed = 0;                   ///< groups are not longer than this allows
};

class Groups {
   public:
    using Close = std::function<void(int first, const Label& label)>;

    Groups(Context& context, Segments& segments) : context_(context), segments_(segments) {}

    /// `close` hears of every group that is of interest; its label's decision leads to all that was decided.
    void run(const GroupEnd& end, const Close& close);

   private:
    /// Labels of one state; joins of two are not decided on before the others are gone.
    struct Front {
        std::vector<Label> labels;
        std::size_t most = 256;  ///< beyond so many, those that others beat are dropped
    };
    using State = std::map<Needs, Front>;

    struct Exit {  // the group's own results
        TensorSet shared;
        std::int64_t room = 0;  ///< units of the buffer
        Cost cost;
    };

    /// Segments that may come before what was decided so far.
    struct Ask {
        Needs rest;  ///< of later einsums, besides the segment's results
        SegmentQuestion question;
        std::int64_t result_room = 0;  ///< of its results, where no step leaves any to the next
        std::vector<Label> labels;     ///< ascending values
    };

    void begin(const GroupEnd& end);
    void extend(const Needs& needs, const std::vector<Label>& labels, int before, const GroupEnd& end);
    void make(const Needs& rest, const std::vector<Need>& made_of, int e, const std::vector<Label>& labels,
              std::size_t next, const std::vector<Kept>& kept);
    void follow();
    void follow(const Ask& ask, const SegmentWays& ways);
    void settle(Front& front);
    void shut(const Needs& needs, std::size_t next, const Label& label, int first, const Close& close);
    std::vector<Exit> exits(const GroupEnd& end, const std::array<int, 2>& made);
    int earliest_of(const Needs& needs, int undecided) const;
    void keep(Label& label, int tensor, const Kept& kept);

    Context& context_;
    Segments& segments_;
    std::vector<State> states_;  ///< by the first einsum that is decided
    std::vector<Ask> asks_;
};

}  // namespace tilewright::fusion
