#include "codegen/c/program.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/numbers/checked.hpp"
#include "codegen/cuda/code.hpp"
#include "mapping/text.hpp"
#include "mapping/tile.hpp"

namespace tilewright::c_form {
namespace {

using cuda::Code;

constexpr std::int64_t kMostMoments = 100'000'000;

/// Where the work stands along one dimension, as C expressions.
struct Along {
    std::string low = "0";
    std::string last = "1";   ///< whether no iteration outside is to come
    std::int64_t points = 1;  ///< of a full step
};

class Writer {
   public:
    Writer(const Einsum& einsum, const Mapping& mapping, int memories)
        : einsum_(einsum), levels_(levels_of(mapping, memories)), along_(einsum.dimensions.size()) {
        for (std::size_t d = 0; d < along_.size(); ++d) along_[d].points = einsum.dimensions[d].extent;
    }

    void write(const std::string& name, Code& code) {
        write_tables(code);
        code.line(kRuntime);
        std::string parameters;
        for (int t = 0; t < einsum_.tensor_count(); ++t)
            parameters += std::string(is_written(t) ? "" : "const ") + "float* t" + std::to_string(t) + ", ";
        code.open("void " + name + "(" + parameters + "int64_t counts[MEMORIES][TENSORS][3])");
        for (int t = 0; t < einsum_.tensor_count(); ++t) {
            const std::string tensor = std::to_string(t);
            code.line("whole[" + tensor + "] = " + box_text(t) + ";");
            code.line("begin(" + tensor + ", (float*)t" + tensor + ");");
        }
        code.line("const int64_t id0 = 0;");
        write_level(0, code);
        for (int t = 0; t < einsum_.tensor_count(); ++t) code.line("end(" + std::to_string(t) + ", counts);");
        code.close();
    }

    /// Requests that a memory passes on for a tensor at once; 0: none.
    std::int64_t moments(int memory, int tensor) const {
        if (keeps(memory, tensor) || keeper_outside(memory, tensor) < 0) return 0;
        std::int64_t product = 1;
        for (int m = memory; m < memory_count() && (m == memory || !keeps(m, tensor)); ++m)
            for (const Loop& loop : levels_[m].temporal) product = saturating_mul(product, loop.extent);
        return product;
    }

   private:
    int memory_count() const { return static_cast<int>(levels_.size()); }
    bool keeps(int memory, int tensor) const { return levels_[memory].keep.has(tensor); }
    bool is_written(int tensor) const { return einsum_.tensors[tensor].written; }
    int keeper_outside(int memory, int tensor) const {
        int outer = memory - 1;
        while (outer >= 0 && !keeps(outer, tensor)) --outer;
        return outer;
    }
    static std::int64_t product_of(const std::vector<Loop>& loops) {
        std::int64_t product = 1;
        for (const Loop& loop : loops) product = checked_mul(product, loop.extent);
        return product;
    }

    template <typename Value>
    void write_table(Code& code, const std::string& type, const std::string& name, Value value) const {
        std::string text = "static const " + type + " " + name + "[MEMORIES][TENSORS] = {";
        for (int m = 0; m < memory_count(); ++m) {
            text += m == 0 ? "{" : ", {";
            for (int t = 0; t < einsum_.tensor_count(); ++t) text += (t == 0 ? "" : ", ") + std::to_string(value(m, t));
            text += "}";
        }
        code.line(text + "};");
    }

    void write_tables(Code& code) {
        for (const Tensor& tensor : einsum_.tensors) ranks_ = std::max(ranks_, tensor.ranks.size());
        code.line("enum { MEMORIES = " + std::to_string(memory_count()) + ", TENSORS = " +
                  std::to_string(einsum_.tensor_count()) + ", RANKS = " + std::to_string(ranks_) + " };");
        write_table(code, "int", "kKept", [&](int m, int t) { return keeps(m, t) ? 1 : 0; });
        write_table(code, "int", "kOuter", [&](int m, int t) { return keeper_outside(m, t); });
        write_table(code, "int64_t", "kBelow", [&](int m, int t) { return moments(m, t); });
        std::string blocks;
        for (const MappingLevel& level : levels_)
            blocks += (blocks.empty() ? "" : ", ") + std::to_string(product_of(level.spatial));
        code.line("static const int64_t kBlock[MEMORIES] = {" + blocks + "};");
        std::string written;
        for (int t = 0; t < einsum_.tensor_count(); ++t)
            written += std::string(t == 0 ? "" : ", ") + (is_written(t) ? "1" : "0");
        code.line("static const int kWritten[TENSORS] = {" + written + "};");
    }

    // "{{k_low, ...}, {k_high, ...}}": the words of a tensor that the step at hand touches.
    std::string box_text(int tensor) const {
        std::string low;
        std::string high;
        for (std::size_t r = 0; r < ranks_; ++r) {
            cuda::Sum first;
            cuda::Sum last;
            if (r < einsum_.tensors[tensor].ranks.size())
                for (const Term& term : einsum_.tensors[tensor].ranks[r].terms) {
                    const bool forward = term.coefficient > 0;
                    first.add(forward ? low_of(term.dimension) : top_of(term.dimension), term.coefficient);
                    last.add(forward ? top_of(term.dimension) : low_of(term.dimension), term.coefficient);
                }
            low += (r == 0 ? "" : ", ") + first.text();
            high += (r == 0 ? "" : ", ") + last.text() + " + 1";
        }
        return "(box){{" + low + "}, {" + high + "}}";
    }
    std::string low_of(int dimension) const { return along_[dimension].low; }
    // The last point of the step.
    std::string top_of(int dimension) const {
        const Along& along = along_[dimension];
        std::string extent = std::to_string(einsum_.dimensions[dimension].extent - 1);
        if (along.last == "1") return extent;
        if (along.points == 1) return along.low;
        return "(" + along.last + " ? " + extent + " : " + along.low + " + " + std::to_string(along.points - 1) + ")";
    }

    // Opens the loop; the counter's name.
    std::string open_loop(const Loop& loop, Code& code) {
        Along& along = along_[loop.dimension];
        const std::string number = std::to_string(loops_++);
        const std::string name = "i" + number + "_" + cuda::identifier(einsum_.dimensions[loop.dimension].name);
        along.points = inside(loop.dimension);
        std::string trips = std::to_string(loop.extent);
        if (!loop.is_perfect()) {
            trips = "trips_" + number;
            code.line("const int64_t " + trips + " = " + along.last + " ? " + std::to_string(loop.remainder) + " : " +
                      std::to_string(loop.extent) + ";");
        }
        code.open("for (int64_t " + name + " = 0; " + name + " < " + trips + "; ++" + name + ")" +
                  (loop.is_spatial() ? " /* a neighbour each */" : ""));
        const std::string step = along.points == 1 ? name : name + " * " + std::to_string(along.points);
        code.line("const int64_t low_" + number + " = " + (along.low == "0" ? step : along.low + " + " + step) + ";");
        code.line("const int last_" + number + " = " + (along.last == "1" ? "" : along.last + " && ") + name +
                  " == " + trips + " - 1;");
        code.line("(void)last_" + number + ";");
        along.low = "low_" + number;
        along.last = "last_" + number;
        return name;
    }
    // Points of a dimension that loops after those opened so far cover.
    std::int64_t inside(int dimension) const {
        std::int64_t points = 1;
        int at = 0;
        for (const MappingLevel& level : levels_)
            for (const std::vector<Loop>* loops : {&level.temporal, &level.spatial})
                for (const Loop& loop : *loops)
                    if (loop.extent > 1 && ++at > loops_ && loop.dimension == dimension)
                        points = checked_mul(points, loop.extent);
        return points;
    }

    // When the neighbours below `memory` ask, of the moments that it passes on.
    std::string moment_at(int memory, int tensor) const {
        return keeps(memory, tensor) ? "0" : "time" + std::to_string(memory);
    }

    void write_level(int memory, Code& code) {
        const std::string number = std::to_string(memory);
        for (int t = 0; t < einsum_.tensor_count(); ++t)
            if (keeps(memory, t) && keeper_outside(memory, t) >= 0)
                code.line("take(" + number + ", " + std::to_string(t) + ", id" + number + ", &" + box_text(t) + ", " +
                          moment_at(memory - 1, t) + "); /* " + cuda::comment(einsum_.tensors[t].name) + " */");
        const int depth = code.depth();
        std::string time = "0";
        for (const Loop& loop : levels_[memory].temporal) {
            if (loop.extent == 1) continue;
            const std::string counter = open_loop(loop, code);
            time = time == "0" ? counter : "(" + time + ") * " + std::to_string(loop.extent) + " + " + counter;
        }
        code.line("const int64_t time" + number + " = " + time + ";");
        code.line("(void)time" + number + ";");
        write_block(memory, code);
        code.close_to(depth);
        for (int t = 0; t < einsum_.tensor_count(); ++t)
            if (!keeps(memory, t) && keeper_outside(memory, t) >= 0)
                code.line("pass_on(" + number + ", " + std::to_string(t) + ", " + moment_at(memory - 1, t) +
                          (keeps(memory - 1, t) ? "" : " * " + std::to_string(moments(memory, t))) + ");");
    }

    void write_block(int memory, Code& code) {
        const std::string number = std::to_string(memory);
        const std::int64_t block = product_of(levels_[memory].spatial);
        for (int t = 0; t < einsum_.tensor_count(); ++t)
            if (keeps(memory, t) && block > 1) code.line("forget(" + number + ", " + std::to_string(t) + ");");
        code.line("int64_t neighbour" + number + " = 0;");
        const int depth = code.depth();
        for (const Loop& loop : levels_[memory].spatial)
            if (loop.extent > 1) open_loop(loop, code);
        code.line("const int64_t id" + std::to_string(memory + 1) + " = id" + number + " * " + std::to_string(block) +
                  " + neighbour" + number + "++;");
        if (memory + 1 < memory_count())
            write_level(memory + 1, code);
        else
            write_compute(code);
        code.close_to(depth);
    }

    void write_compute(Code& code) {
        code.line("(void)id" + std::to_string(memory_count()) + ";");
        std::string product;
        std::string sum;
        for (int t = 0; t < einsum_.tensor_count(); ++t) {
            const std::string tensor = std::to_string(t);
            const int keeper = keeper_outside(memory_count(), t);
            std::string element;
            for (std::size_t r = 0; r < ranks_; ++r) {
                cuda::Sum coordinate;
                if (r < einsum_.tensors[t].ranks.size())
                    for (const Term& term : einsum_.tensors[t].ranks[r].terms)
                        coordinate.add(low_of(term.dimension), term.coefficient);
                element += (r == 0 ? "" : ", ") + coordinate.text();
            }
            code.line("float* word" + tensor + " = touch(" + std::to_string(keeper) + ", " + tensor + ", id" +
                      std::to_string(keeper) + ", (int64_t[RANKS]){" + element + "}, " +
                      moment_at(memory_count() - 1, t) + ");");
            if (is_written(t))
                sum = sum.empty() ? "*word" + tensor : sum;
            else
                product += (product.empty() ? "*word" : " * *word") + tensor;
        }
        code.line(sum + " += " + (product.empty() ? "1" : product) + ";");
    }

    const Einsum& einsum_;
    std::vector<MappingLevel> levels_;
    std::vector<Along> along_;
    std::size_t ranks_ = 1;
    int loops_ = 0;
};

}  // namespace

std::string problem_with(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping) {
    if (!is_even(mapping, architecture.memory_count()))
        return "the C form is of mappings that store all tensors of a memory at one place of the nest";
    if (std::ranges::count_if(einsum.tensors, &Tensor::written) != 1) return "the C form has one result";
    const Writer writer(einsum, mapping, architecture.memory_count());
    for (int m = 0; m < architecture.memory_count(); ++m)
        for (int t = 0; t < einsum.tensor_count(); ++t)
            if (writer.moments(m, t) > kMostMoments)
                return "the C form keeps every request for " + einsum.tensors[t].name + " that " +
                       architecture.memories[m].name + " passes on; there are more than 100,000,000";
    return "";
}

Program make_program(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                     const std::string& layer) {
    Code code;
    const std::string name = "run_" + cuda::identifier(layer);
    code.line("/* " + cuda::comment(layer) + " on " + cuda::comment(architecture.name) + ", written by tilewright.");
    std::string text = to_text(einsum) + "\n" + loop_nest_text(einsum, architecture, mapping);
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t stop = std::min(text.find('\n', begin), text.size());
        std::string line = cuda::comment(text.substr(begin, stop - begin));
        std::ranges::replace(line, '/', ' ');  // no end of a comment
        code.line(line.empty() ? " *" : " * " + line);
        begin = stop + 1;
    }
    code.line(" */");
    for (const char* header : {"stdint.h", "stdlib.h", "string.h"}) code.line(std::string("#include <") + header + ">");
    code.blank();
    Writer(einsum, mapping, architecture.memory_count()).write(name, code);
    return {name, code.text()};
}

}  // namespace tilewright::c_form
