#include "zigzag/forms/uneven_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "base/error.hpp"

namespace tilewright::zigzag {
namespace {

std::string loop_text(const Layer& layer, const TemporalLoop& loop) {
    const std::string& name = layer.dimensions[loop.dimension].name;
    const bool ends_in_digit = name.back() >= '0' && name.back() <= '9';
    return name + (ends_in_digit ? ":" : "") + std::to_string(loop.size);
}

std::string factor_text(double factor) {
    char text[40];
    std::snprintf(text, sizeof text, "%.6g", factor);
    return text;
}

class LevelsParser {
   public:
    LevelsParser(const Accelerator& accelerator, const Layer& layer, int operand, std::string_view text)
        : accelerator_(accelerator), layer_(layer), operand_(layer.operands[operand]), text_(text) {}

    std::vector<LevelLoops> parse() {
        std::vector<LevelLoops> levels;
        const int count = accelerator_.level_count(operand_.memory);
        for (int l = 0; l < count; ++l) {
            expect_memory(accelerator_.memory_at(operand_.memory, l).name, l, count);
            expect('[');
            LevelLoops& loops = levels.emplace_back();
            while (!accept(']')) loops.push_back(loop());
        }
        skip_blanks();
        if (place_ != text_.size()) fail(ErrorCode::syntax, "expected the end: that was the outermost memory");
        return levels;
    }

   private:
    void skip_blanks() {
        while (place_ < text_.size() && (text_[place_] == ' ' || text_[place_] == '\n' || text_[place_] == '\t'))
            ++place_;
    }

    bool accept(char c) {
        skip_blanks();
        if (place_ == text_.size() || text_[place_] != c) return false;
        ++place_;
        return true;
    }

    void expect(char c) {
        if (!accept(c)) fail(ErrorCode::syntax, std::string("expected '") + c + "'");
    }

    /// Up to a blank or a bracket.
    std::string_view word() {
        skip_blanks();
        const std::size_t begin = place_;
        while (place_ < text_.size() && std::string_view(" \n\t[]").find(text_[place_]) == std::string_view::npos)
            ++place_;
        return text_.substr(begin, place_ - begin);
    }

    void expect_memory(const std::string& name, int level, int count) {
        skip_blanks();
        const std::size_t begin = place_;
        if (word() == name) return;
        place_ = begin;
        fail(ErrorCode::unknown_level, "memory " + std::to_string(level + 1) + " of the " + std::to_string(count) +
                                           " of operand " + operand_.name + " is '" + name + "'");
    }

    /// "K4", or "D1:4" for a dimension name ending in a digit.
    TemporalLoop loop() {
        skip_blanks();
        const std::size_t begin = place_;
        const std::string_view whole = word();
        std::size_t digits = whole.size();
        while (digits > 0 && whole[digits - 1] >= '0' && whole[digits - 1] <= '9') --digits;
        const bool colon = digits > 0 && whole[digits - 1] == ':';
        const std::string_view name = whole.substr(0, colon ? digits - 1 : digits);
        TemporalLoop loop{find_dimension(layer_, name), 0};
        place_ = begin;
        if (name.empty()) fail(ErrorCode::syntax, "expected a loop such as 'K4' or ']'");
        if (loop.dimension < 0) fail(ErrorCode::unknown_name, "the layer has no dimension '" + std::string(name) + "'");
        const auto [end, error] = std::from_chars(whole.data() + digits, whole.data() + whole.size(), loop.size);
        if (error != std::errc{} || loop.size < 1) fail(ErrorCode::bad_value, "expected an extent of at least 1");
        place_ = begin + whole.size();
        return loop;
    }

    [[noreturn]] void fail(ErrorCode code, const std::string& message) const {
        throw InputError(code, {"", 1, static_cast<int>(place_) + 1}, message, text_);
    }

    const Accelerator& accelerator_;
    const Layer& layer_;
    const Operand& operand_;
    std::string_view text_;
    std::size_t place_ = 0;
};

/// The operand's memory below each loop of the nest, innermost first.
std::vector<std::string> holders(const Accelerator& accelerator, const Operand& operand,
                                 const std::vector<LevelLoops>& levels) {
    std::vector<std::string> names;
    for (std::size_t l = 0; l < levels.size(); ++l)
        names.insert(names.end(), levels[l].size(), accelerator.memory_at(operand.memory, static_cast<int>(l)).name);
    return names;
}

/// Rows of cells as lines with aligned columns.
std::string aligned(const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()), 0);
        for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
    }
    std::string text;
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t c = 0; c < row.size(); ++c) {
            line += row[c];
            if (c + 1 < row.size()) line += std::string(widths[c] - row[c].size() + 2, ' ');
        }
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
}

/// Loops on the array, outermost level first, placed by the first operand's memories.
std::vector<ParallelLoop> parallel_loops(const SpatialMapping& spatial) {
    std::vector<ParallelLoop> loops;
    const auto& levels = spatial.loops.front();
    for (auto level = levels.rbegin(); level != levels.rend(); ++level)
        loops.insert(loops.end(), level->begin(), level->end());
    return loops;
}

}  // namespace

std::string levels_text(const Accelerator& accelerator, const Layer& layer, int operand,
                        const std::vector<LevelLoops>& levels) {
    std::string text;
    for (std::size_t l = 0; l < levels.size(); ++l) {
        if (l > 0) text += ' ';
        text += accelerator.memory_at(layer.operands[operand].memory, static_cast<int>(l)).name + " [";
        for (std::size_t i = 0; i < levels[l].size(); ++i) text += (i > 0 ? " " : "") + loop_text(layer, levels[l][i]);
        text += ']';
    }
    return text;
}

std::string to_text(const Accelerator& accelerator, const Layer& layer, const UnevenMapping& mapping) {
    std::string text;
    for (int i = 0; i < layer.operand_count(); ++i)
        text += layer.operands[i].name + ": " + levels_text(accelerator, layer, i, mapping.operands[i]) + "\n";
    return text;
}

std::vector<LevelLoops> parse_levels(const Accelerator& accelerator, const Layer& layer, int operand,
                                     std::string_view text) {
    return LevelsParser(accelerator, layer, operand, text).parse();
}

std::string nest_text(const Accelerator& accelerator, const Layer& layer, const SpatialMapping& spatial,
                      const UnevenMapping& mapping) {
    std::vector<std::vector<std::string>> rows{{"loop"}};
    std::vector<std::vector<std::string>> columns;
    for (int i = 0; i < layer.operand_count(); ++i) {
        rows[0].push_back(layer.operands[i].name);
        columns.push_back(holders(accelerator, layer.operands[i], mapping.operands[i]));
    }
    LevelLoops nest;
    for (const LevelLoops& loops : mapping.operands.front()) nest.insert(nest.end(), loops.begin(), loops.end());
    std::string indent;
    for (std::size_t n = nest.size(); n-- > 0; indent += ' ') {
        rows.push_back({indent + "for " + layer.dimensions[nest[n].dimension].name +
                        " in [0:" + std::to_string(nest[n].size) + ")"});
        for (const std::vector<std::string>& column : columns) rows.back().push_back(column[n]);
    }
    for (const ParallelLoop& loop : parallel_loops(spatial))
        if (loop.size > 1)
            rows.push_back({indent + "parallel for " + layer.dimensions[loop.dimension].name +
                            " in [0:" + factor_text(loop.size) + ")"});
    return aligned(rows);
}

}  // namespace tilewright::zigzag
