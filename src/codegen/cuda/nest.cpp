#include "codegen/cuda/kernel.hpp"

#include <set>

#include "base/numbers/checked.hpp"

namespace tilewright::cuda {
namespace {

// Copies an operand's tile from device to shared memory, all threads together, with zeros beyond the tensor. The
// threads of a block share a tile's words, neighbours taking neighbours.
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

class Body {
   public:
    Body(const Plan& plan, Code& code)
        : plan_(plan), loops_(plan.tiling.loops), whole_(whole_extents(plan.einsum)), code_(code) {
        for (const Role role : {Role::tile, Role::step})
            for (int i = 0; i < static_cast<int>(loops_.size()); ++i)
                if (loops_[i].role == role) walk_.push_back(i);
        tile_count_ = static_cast<int>(plan.tiling.with(Role::tile).size());
        for (int t = 0; t < plan.einsum.tensor_count(); ++t)
            depth_.push_back(
                innermost_mover(t, t == plan.tiling.written ? static_cast<int>(walk_.size()) : tile_count_));
    }

    void write() {
        declare_tiles();
        declare_thread();
        declare_axes();
        leave_empty_blocks();
        level(0);
    }

   private:
    /// Depth in the walk's first `count` loops below which a tensor's tile is constant.
    int innermost_mover(int tensor, int count) const {
        for (int i = count; i > 0; --i)
            if (is_relevant(plan_.einsum.tensors[tensor], loops_[walk_[i - 1]].dimension)) return i;
        return 0;
    }

    void declare_tiles() {
        if (plan_.launch.shared_bytes == 0) return;
        code_.line("extern __shared__ float shared[];");
        std::int64_t offset = 0;
        for (int t = 0; t < plan_.einsum.tensor_count(); ++t) {
            if (plan_.tile_words[t] == 0) continue;
            code_.line("float* const " + plan_.names.tensors[t] + "_tile = shared" +
                       (offset == 0 ? "" : " + " + std::to_string(offset)) + ";  // " +
                       std::to_string(plan_.tile_words[t]) + " words");
            offset += plan_.tile_words[t];
        }
    }

    void declare_thread() {
        if (plan_.launch.shared_bytes == 0) return;
        const Dim3& block = plan_.launch.block;
        Sum thread;
        if (block.x > 1) thread.add("threadIdx.x");
        if (block.y > 1) thread.add("threadIdx.y", block.x);
        if (block.z > 1) thread.add("threadIdx.z", block.x * block.y);
        code_.line("const int thread = " + thread.text() + ";");
    }

    // The counters of block and thread loops, and their consequences.
    void declare_axes() {
        write_axes(plan_.grid_axes, "blockIdx");
        write_axes(plan_.block_axes, "threadIdx");
        for (int d = 0; d < plan_.einsum.dimension_count(); ++d) {
            if (!plan_.has_loop(d, Role::tile)) declare_base(d);
            if (!plan_.has_loop(d, Role::step)) declare_at(d);
        }
    }

    void write_axes(const std::array<std::vector<int>, 3>& axes, const std::string& index) {
        static constexpr std::array<const char*, 3> kAxis{".x", ".y", ".z"};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            std::int64_t inside = 1;
            for (std::size_t i = 0; i < axes[axis].size(); ++i) {
                const int loop = axes[axis][i];
                std::string value = index + kAxis[axis];
                if (inside > 1) value += " / " + std::to_string(inside);
                if (i + 1 < axes[axis].size()) value += " % " + std::to_string(loops_[loop].extent);
                inside *= loops_[loop].extent;
                code_.line("const int " + plan_.loop_names[loop] + " = " + value + ";");
            }
        }
    }

    void declare_base(int dimension) {
        if (plan_.base(dimension).empty()) return;
        code_.line("const " + plan_.index_type + " " + plan_.base(dimension).text() + " = " +
                   plan_.along(dimension, {Role::tile, Role::block}).text() + ";");
    }

    void declare_at(int dimension) {
        if (plan_.at(dimension).empty()) return;
        code_.line("const int " + plan_.at(dimension).text() + " = " +
                   plan_.along(dimension, {Role::step, Role::thread}).text() + ";");
    }

    void leave_empty_blocks() {
        for (int d = 0; d < plan_.einsum.dimension_count(); ++d)
            if (plan_.tiling.imperfect[d] && plan_.has_loop(d, Role::block) && !plan_.has_loop(d, Role::tile))
                code_.line("if (" + plan_.base(d).text() + " >= " + std::to_string(whole_[d]) + ") return;");
    }

    /// The code inside the first `depth` loops of the walk.
    void level(int depth) {
        const bool sums_here = depth_[plan_.tiling.written] == depth;
        if (sums_here) start_sums(depth);
        if (depth <= tile_count_) fetch(depth);
        const int outside = code_.depth();
        if (depth == tile_count_) skip_idle_threads();
        if (depth == static_cast<int>(walk_.size())) {
            multiply();
        } else {
            open_walk(walk_[depth]);
            level(depth + 1);
            code_.close();
        }
        code_.close_to(outside);
        if (sums_here) end_sums();
    }

    void fetch(int depth) {
        std::vector<int> tensors;
        for (int t = 0; t < plan_.einsum.tensor_count(); ++t)
            if (plan_.tile_words[t] > 0 && depth_[t] == depth) tensors.push_back(t);
        if (tensors.empty()) return;
        if (depth > 0) code_.line("__syncthreads();  // the old tile is not needed any more");
        for (const int tensor : tensors) Fetch(plan_, tensor, code_).write();
        code_.line("__syncthreads();");
    }

    // A tile or step loop, and the positions known once it is open.
    void open_walk(int index) {
        const KernelLoop& loop = loops_[index];
        const bool tile = loop.role == Role::tile;
        Sum where = tile ? Sum() : plan_.base(loop.dimension);
        where.add(tile ? plan_.along(loop.dimension, {Role::tile}, index)
                       : plan_.along(loop.dimension, {Role::step}, index));
        where.add(plan_.along(loop.dimension, {tile ? Role::block : Role::thread}));
        open_loop(index, where, plan_.index_type);
        for (std::size_t later = index + 1; later < loops_.size(); ++later)
            if (loops_[later].dimension == loop.dimension && loops_[later].role == loop.role) return;
        if (tile)
            declare_base(loop.dimension);
        else
            declare_at(loop.dimension);
    }

    // `where`: the least index touched by the loop's body.
    void open_loop(int index, const Sum& where, const std::string& type) {
        const KernelLoop& loop = loops_[index];
        const std::string& name = plan_.loop_names[index];
        std::string condition = name + " < " + std::to_string(loop.extent);
        if (plan_.tiling.imperfect[loop.dimension])
            condition += " && " + where.text() + " < " + std::to_string(whole_[loop.dimension]);
        code_.open("for (" + type + " " + name + " = 0; " + condition + "; ++" + name + ")");
    }

    // Threads with a share beyond the dimension's end, unless a loop checks it.
    void skip_idle_threads() {
        for (int d = 0; d < plan_.einsum.dimension_count(); ++d) {
            const bool loops_tell = plan_.has_loop(d, Role::step) || plan_.has_loop(d, Role::point);
            if (!plan_.tiling.imperfect[d] || !plan_.has_loop(d, Role::thread) || loops_tell) continue;
            code_.open("if (" + plan_.base(d).add(plan_.at(d)).text() + " < " + std::to_string(whole_[d]) + ")");
        }
    }

    void open_points(bool all) {
        for (int i = 0; i < static_cast<int>(loops_.size()); ++i) {
            const int d = loops_[i].dimension;
            if (loops_[i].role != Role::point || (!all && plan_.is_sum_dimension(d))) continue;
            code_.line("#pragma unroll");
            open_loop(i, plan_.base(d).add(plan_.at(d)).add(plan_.along(d, {Role::point}, i)), "int");
        }
    }

    // "[4][2]" with `extent`, "[k][p]" without.
    std::string sum_ranks(bool extent) const {
        std::string text;
        for (int d = 0; d < plan_.einsum.dimension_count(); ++d)
            if (!plan_.is_sum_dimension(d) && plan_.tiling.thread_box[d] > 1)
                text += "[" + (extent ? std::to_string(plan_.tiling.thread_box[d]) : plan_.point(d).text()) + "]";
        return text;
    }

    void start_sums(int depth) {
        code_.line("float sum" + sum_ranks(true) + " = {};");
        std::string earlier;
        for (int i = 0; i < depth; ++i)
            if (plan_.is_sum_dimension(loops_[walk_[i]].dimension))
                earlier += (earlier.empty() ? "" : " || ") + plan_.loop_names[walk_[i]] + " > 0";
        if (earlier.empty()) return;
        const int outside = code_.depth();
        code_.open("if (" + earlier + ")");
        skip_idle_threads();
        open_points(false);
        code_.line("sum" + sum_ranks(false) + " = " + element(plan_.tiling.written) + ";");
        code_.close_to(outside);
    }

    void end_sums() {
        const int outside = code_.depth();
        skip_idle_threads();
        open_points(false);
        code_.line(element(plan_.tiling.written) + " = sum" + sum_ranks(false) + ";");
        code_.close_to(outside);
    }

    void multiply() {
        open_points(true);
        std::string product;
        for (int t = 0; t < plan_.einsum.tensor_count(); ++t)
            if (t != plan_.tiling.written) product += (product.empty() ? "" : " * ") + element(t);
        code_.line("sum" + sum_ranks(false) + " += " + product + ";");
    }

    // The word of a tensor at a point: in its tile, or in device memory.
    std::string element(int tensor) const {
        const bool in_tile = plan_.tile_words[tensor] > 0;
        const Tensor& accessed = plan_.einsum.tensors[tensor];
        const std::vector<std::int64_t> strides = rank_strides(accessed, in_tile ? plan_.tiling.block_box : whole_);
        Sum index;
        for (std::size_t rank = 0; rank < accessed.ranks.size(); ++rank) {
            Sum position;
            for (const Term& term : accessed.ranks[rank].terms) {
                Sum where = in_tile ? Sum() : plan_.base(term.dimension);
                where.add(plan_.at(term.dimension)).add(plan_.point(term.dimension));
                position.add(where, term.coefficient);
            }
            index.add(position, strides[rank]);
        }
        return plan_.names.tensors[tensor] + (in_tile ? "_tile[" : "[") + index.text() + "]";
    }

    const Plan& plan_;
    const std::vector<KernelLoop>& loops_;
    Extents whole_;
    Code& code_;
    std::vector<int> walk_;  // tile loops, then step loops, outermost first
    int tile_count_ = 0;
    std::vector<int> depth_;  // by tensor: depth of its tile in the walk
};

}  // namespace

void write_body(const Plan& plan, Code& code) { Body(plan, code).write(); }

}  // namespace tilewright::cuda
