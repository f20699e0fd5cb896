// write_fetch: the threads of a block share a tile's words, neighbours taking neighbours.
#include <set>

#include "base/numbers/checked.hpp"
#include "codegen/cuda/nest.hpp"

namespace tilewright::cuda {
namespace {

class Fetch {
   public:
    Fetch(const Plan& plan, int tensor, Code& code)
        : plan_(plan),
          tensor_(plan.einsum.tensors[tensor]),
          name_(plan.names.tensors[tensor]),
          whole_(whole_extents(plan.einsum)),
          code_(code) {}

    void write() {
        const Launch& launch = plan_.launch;
        const std::int64_t threads = launch.block.x * launch.block.y * launch.block.z;
        const std::int64_t words = box_words(tensor_, plan_.tiling.block_box);
        code_.open("for (int i = thread; i < " + std::to_string(words) + "; i += " + std::to_string(threads) + ")");
        declare_ranks();
        const std::string value = name_ + "[" + source().text() + "]";
        const std::string inside = condition();
        code_.line(name_ + "_tile[i] = " + (inside.empty() ? value : inside + " ? " + value + " : 0.0f") + ";");
        code_.close();
    }

   private:
    std::int64_t tile_extent(std::size_t rank) const {
        return rank_extent(tensor_.ranks[rank], plan_.tiling.block_box);
    }

    // "k", or "p_r" for a window.
    std::string rank_name(std::size_t rank) {
        std::string name;
        for (const Term& term : tensor_.ranks[rank].terms) {
            if (!name.empty()) name += '_';
            name += plan_.names.dimensions[term.dimension];
        }
        return taken_.insert(name).second ? name : name + "_" + std::to_string(rank);
    }

    // Coordinates of word i in the tile, rank by rank.
    void declare_ranks() {
        const std::vector<std::int64_t> strides = rank_strides(tensor_, plan_.tiling.block_box);
        locals_.assign(tensor_.ranks.size(), Sum());
        bool outermost = true;
        for (std::size_t rank = 0; rank < tensor_.ranks.size(); ++rank) {
            const std::int64_t extent = tile_extent(rank);
            if (extent == 1) continue;
            const std::string name = rank_name(rank);
            std::string definition = "const int ";
            definition.append(name).append(" = i");
            if (strides[rank] != 1) definition.append(" / ").append(std::to_string(strides[rank]));
            if (!outermost) definition.append(" % ").append(std::to_string(extent));
            outermost = false;
            code_.line(definition + ";");
            locals_[rank].add(name);
        }
    }

    Sum position(std::size_t rank) const {
        Sum sum;
        for (const Term& term : tensor_.ranks[rank].terms) sum.add(plan_.base(term.dimension), term.coefficient);
        return sum.add(locals_[rank]);
    }

    Sum source() const {
        const std::vector<std::int64_t> strides = rank_strides(tensor_, whole_);
        Sum sum;
        for (std::size_t rank = 0; rank < tensor_.ranks.size(); ++rank) sum.add(position(rank), strides[rank]);
        return sum;
    }

    // Only ranks of dimensions with a remainder can lie outside.
    std::string condition() const {
        std::string text;
        for (std::size_t rank = 0; rank < tensor_.ranks.size(); ++rank) {
            bool may_leave = false;
            for (const Term& term : tensor_.ranks[rank].terms) may_leave |= plan_.tiling.imperfect[term.dimension];
            const Sum where = position(rank);
            if (!may_leave || where.empty()) continue;
            text += (text.empty() ? "" : " && ") + where.text() + " < " +
                    std::to_string(rank_extent(tensor_.ranks[rank], whole_));
        }
        return text;
    }

    const Plan& plan_;
    const Tensor& tensor_;
    const std::string& name_;
    Extents whole_;
    Code& code_;
    std::set<std::string> taken_;
    std::vector<Sum> locals_;  // by rank
};

}  // namespace

void write_fetch(const Plan& plan, int tensor, Code& code) { Fetch(plan, tensor, code).write(); }

}  // namespace tilewright::cuda
