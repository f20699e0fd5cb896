#include "codegen/cuda/tiling.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"

namespace tilewright::cuda {
namespace {

constexpr int kWordBits = 32;

[[noreturn]] void refuse(const std::string& why) {
    throw InputError(ErrorCode::unsupported, {}, "no CUDA kernel: " + why);
}

// Device memory, shared memory, registers.
std::array<int, 3> storing_memories(const Architecture& architecture) {
    std::vector<int> storing;
    std::vector<std::string> names;
    for (int m = 0; m < architecture.memory_count(); ++m) {
        if (architecture.memories[m].spreads_only) continue;
        storing.push_back(m);
        names.push_back(architecture.memories[m].name);
    }
    if (storing.size() != 3)
        refuse("'" + architecture.name + "' has " + std::to_string(storing.size()) + " memories (" + list_words(names) +
               "), a GPU three: device memory, shared memory and registers");
    for (const int m : storing)
        if (const Memory& memory = architecture.memories[m]; memory.word_bits != kWordBits)
            refuse("'" + memory.name + "' has words of " + std::to_string(memory.word_bits) +
                   " bits; kernels work on float, 32 bits");
    return {storing[0], storing[1], storing[2]};
}

int written_tensor(const Einsum& einsum) {
    int written = -1;
    int operands = 0;
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        const Tensor& tensor = einsum.tensors[t];
        if (tensor.bits != 0 && tensor.bits != kWordBits)
            refuse("'" + tensor.name + "' has words of " + std::to_string(tensor.bits) +
                   " bits; kernels work on float, 32 bits");
        if (!tensor.written)
            ++operands;
        else if (written >= 0)
            refuse("two tensors are written");
        else
            written = t;
    }
    if (operands == 0) refuse("the einsum has no operand");
    return written;
}

void check_addresses(const Einsum& einsum, int written) {
    std::vector<int> seen;
    for (const Rank& rank : einsum.tensors[written].ranks) {
        if (rank.terms.empty()) continue;
        const Term& term = rank.terms.front();
        if (rank.terms.size() > 1 || term.coefficient != 1 ||
            std::find(seen.begin(), seen.end(), term.dimension) != seen.end())
            refuse("'" + einsum.tensors[written].name +
                   "' is not addressed by one dimension per rank, so several threads would add to one sum");
        seen.push_back(term.dimension);
    }
    for (const Tensor& tensor : einsum.tensors)
        for (const Rank& rank : tensor.ranks)
            for (const Term& term : rank.terms)
                if (term.coefficient < 0)
                    refuse("'" + tensor.name + "' is addressed backwards, with a negative coefficient");
}

class Reader {
   public:
    Reader(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping)
        : einsum_(einsum), architecture_(architecture), mapping_(mapping), memories_(storing_memories(architecture)) {}

    Tiling read() {
        tiling_.written = written_tensor(einsum_);
        check_addresses(einsum_, tiling_.written);
        read_nodes();
        set_strides();
        set_boxes();
        return tiling_;
    }

   private:
    void read_nodes() {
        int memory = -1;
        for (const Node& node : mapping_.nodes) {
            if (const Store* store = std::get_if<Store>(&node)) {
                memory = store->memory;
                read_store(*store);
            } else if (const Loop& loop = std::get<Loop>(node); loop.extent > 1) {
                tiling_.loops.push_back({loop.dimension, loop.extent, 1, role_of(loop, memory)});
            }
        }
    }

    void read_store(const Store& store) {
        const bool keeps_sums = store.tensors.has(tiling_.written);
        const std::string& sums = einsum_.tensors[tiling_.written].name;
        const std::string& name = architecture_.memories[store.memory].name;
        if (store.memory == memories_[0] && store.tensors != TensorSet::all(einsum_.tensor_count()))
            refuse("'" + name + "' does not keep every tensor");
        if (store.memory == memories_[1] && keeps_sums)
            refuse("'" + name + "' keeps '" + sums + "'; sums live in registers");
        if (store.memory == memories_[2] && !keeps_sums)
            refuse("'" + name + "' does not keep '" + sums + "'; sums live in registers");
        if (store.memory == memories_[1]) tiling_.staged = store.tensors;
    }

    // Loops of spread-only levels belong to the outer memory.
    Role role_of(const Loop& loop, int memory) const {
        const bool inside_registers = memory >= memories_[2];
        if (loop.is_spatial()) {
            if (inside_registers)
                refuse("the spatial loop over " + einsum_.dimensions[loop.dimension].name +
                       " would spread over parts of a thread");
            if (!is_relevant(einsum_.tensors[tiling_.written], loop.dimension))
                refuse("the spatial loop over " + einsum_.dimensions[loop.dimension].name + " at " +
                       architecture_.memories[memory].name + " would spread a sum over threads");
            return memory < memories_[1] ? Role::block : Role::thread;
        }
        if (inside_registers) return Role::point;
        return memory < memories_[1] ? Role::tile : Role::step;
    }

    // A loop whose every step beyond some point leaves the dimension stops there.
    void set_strides() {
        Extents covered;
        covered.fill(1);
        for (auto loop = tiling_.loops.rbegin(); loop != tiling_.loops.rend(); ++loop) {
            std::int64_t& inside = covered[loop->dimension];
            loop->stride = inside;
            inside = checked_mul(inside, loop->extent);
            loop->extent = std::min(loop->extent, ceil_div(einsum_.dimensions[loop->dimension].extent, loop->stride));
        }
        for (int d = 0; d < einsum_.dimension_count(); ++d)
            tiling_.imperfect[d] = covered[d] > einsum_.dimensions[d].extent;
        std::erase_if(tiling_.loops, [](const KernelLoop& loop) { return loop.extent == 1; });
    }

    void set_boxes() {
        tiling_.block_box.fill(1);
        tiling_.thread_box.fill(1);
        for (const KernelLoop& loop : tiling_.loops) {
            if (loop.role == Role::tile || loop.role == Role::block) continue;
            grow(tiling_.block_box, loop);
            if (loop.role == Role::point) grow(tiling_.thread_box, loop);
        }
    }

    void grow(Extents& box, const KernelLoop& loop) const {
        std::int64_t& extent = box[loop.dimension];
        extent = std::min(checked_mul(extent, loop.extent), einsum_.dimensions[loop.dimension].extent);
    }

    const Einsum& einsum_;
    const Architecture& architecture_;
    const Mapping& mapping_;
    std::array<int, 3> memories_;
    Tiling tiling_;
};

}  // namespace

std::vector<KernelLoop> Tiling::with(Role role) const {
    std::vector<KernelLoop> found;
    std::copy_if(loops.begin(), loops.end(), std::back_inserter(found),
                 [role](const KernelLoop& loop) { return loop.role == role; });
    return found;
}

Tiling tiling_of(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping) {
    return Reader(einsum, architecture, mapping).read();
}

}  // namespace tilewright::cuda
