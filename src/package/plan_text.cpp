#include "package/plan_text.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/error.hpp"

namespace tilewright::package {
namespace {

bool needs_quotes(const std::string& name) {
    return name.empty() || name.find_first_of(" \t,#\"/") != std::string::npos;
}

std::string quoted(const std::string& name) { return needs_quotes(name) ? '"' + name + '"' : name; }

std::string cores_text(const std::vector<int>& team) {
    std::string text;
    for (std::size_t i = 0; i < team.size();) {
        std::size_t end = i + 1;
        while (end < team.size() && team[end] == team[end - 1] + 1) ++end;
        text += (text.empty() ? "" : ",") + std::to_string(team[i]);
        if (end - i > 1) text += ".." + std::to_string(team[end - 1]);
        i = end;
    }
    return text;
}

std::string stage_text(const Stage& stage, const CascadeEinsum& einsum, const Cascade& cascade) {
    const std::vector<Dimension>& dimensions = einsum.einsum.dimensions;
    std::string text = "  stage " + quoted(einsum.name) + " on " + cores_text(stage.team);
    if (!stage.split.empty()) text += " split";
    for (const Split& split : stage.split)
        text += " " + dimensions[split.dimension].name + "/" + std::to_string(split.parts);
    if (stage.sums.way != Sums::Way::root)
        text += std::string(" sums ") + (stage.sums.way == Sums::Way::ring ? "ring " : "scatter ") +
                dimensions[result_dimensions(einsum)[stage.sums.axis]].name;
    bool is_first = true;
    for (int operand = 0; operand < einsum.einsum.tensor_count(); ++operand) {
        if ((stage.streamed >> operand & 1U) == 0) continue;
        text += (is_first ? " stream " : ",") + quoted(cascade.tensors[einsum.accesses[operand].tensor].name);
        is_first = false;
    }
    return text + "\n";
}

struct Word {
    std::string text;
    int column = 0;
};

class PlanParser {
   public:
    PlanParser(const Cascade& cascade, int core_count, const std::string& file)
        : cascade_(cascade), core_count_(core_count), file_(file) {}

    Plan parse(std::string_view text) {
        while (!text.empty()) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            take_line(text.substr(0, end));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
        close_run();
        if (plan_.runs.empty()) fail(ErrorCode::syntax, {}, "a plan without runs: expected 'run DIMENSION by SIZE'");
        return std::move(plan_);
    }

   private:
    [[noreturn]] void fail(ErrorCode code, const Word& at, const std::string& message) const {
        throw InputError(code, {file_, line_, at.column}, message, excerpt_);
    }
    [[noreturn]] void fail_at_end(const std::string& message) const {
        fail(ErrorCode::syntax, {"", static_cast<int>(excerpt_.size()) + 1}, message);
    }

    void take_line(std::string_view line) {
        ++line_;
        excerpt_ = line;
        words_ = split(line);
        next_ = 0;
        if (words_.empty()) return;
        const Word& verb = words_[next_++];
        if (verb.text == "run")
            begin_run();
        else if (verb.text == "stage")
            add_stage();
        else
            fail(ErrorCode::syntax, verb, "expected 'run' or 'stage', found '" + verb.text + "'");
        if (next_ < words_.size()) fail(ErrorCode::syntax, words_[next_], "unexpected '" + words_[next_].text + "'");
    }

    std::vector<Word> split(std::string_view line) const {
        std::vector<Word> words;
        std::size_t i = 0;
        while (i < line.size() && line[i] != '#') {
            if (line[i] == ' ' || line[i] == '\t' || line[i] == '\r') {
                ++i;
                continue;
            }
            const std::size_t begin = i;
            std::string word;
            while (i < line.size() && line[i] != ' ' && line[i] != '\t' && line[i] != '\r' && line[i] != '#') {
                if (line[i] != '"') {
                    word += line[i++];
                    continue;
                }
                const std::size_t end = line.find('"', i + 1);
                if (end == std::string_view::npos)
                    throw InputError(ErrorCode::syntax, {file_, line_, static_cast<int>(i) + 1},
                                     "a name without its second '\"'", line);
                word += line.substr(i + 1, end - i - 1);
                i = end + 1;
            }
            words.push_back({word, static_cast<int>(begin) + 1});
        }
        return words;
    }

    const Word& word(const char* expected) {
        if (next_ == words_.size()) fail_at_end(std::string("expected ") + expected);
        return words_[next_++];
    }
    void keyword(const char* text) {
        const Word& found = word((std::string("'") + text + "'").c_str());
        if (found.text != text)
            fail(ErrorCode::syntax, found, std::string("expected '") + text + "', found '" + found.text + "'");
    }
    std::int64_t number(const Word& at, std::string_view text, const char* expected) const {
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size() || value < 0)
            fail(ErrorCode::syntax, at, std::string("expected ") + expected + ", found '" + std::string(text) + "'");
        return value;
    }

    // Its dimension is looked up where the run ends: it is one of the last stage's einsum.
    void begin_run() {
        close_run();
        run_line_ = line_;
        run_excerpt_ = excerpt_;
        dimension_ = word("a dimension");
        keyword("by");
        const Word size = word("the size of a step");
        Run run;
        run.first = next_einsum_;
        run.last = next_einsum_ - 1;
        run.step = number(size, size.text, "the size of a step");
        if (run.step < 1) fail(ErrorCode::bad_value, size, "a step has at least one word");
        open_ = run;
    }

    void close_run() {
        if (!open_) return;
        line_ = run_line_;
        excerpt_ = run_excerpt_;
        if (open_->stages.empty()) fail(ErrorCode::bad_value, dimension_, "a run without stages");
        const CascadeEinsum& last = cascade_.einsums[open_->last];
        const std::vector<int> dimensions = result_dimensions(last);
        std::vector<std::string> known;
        for (std::size_t axis = 0; axis < dimensions.size(); ++axis) {
            if (dimensions[axis] < 0) continue;
            known.push_back(last.einsum.dimensions[dimensions[axis]].name);
            if (known.back() == dimension_.text) open_->axis = static_cast<int>(axis);
        }
        if (std::ranges::count(known, dimension_.text) == 0)
            fail(ErrorCode::unknown_name, dimension_,
                 "'" + dimension_.text + "' is no dimension of the result of '" + last.name + "'" +
                     did_you_mean(dimension_.text, known) + "; it has " + list_words(known));
        plan_.runs.push_back(std::move(*open_));
        open_.reset();
    }

    void add_stage() {
        if (!open_) fail(ErrorCode::syntax, words_.front(), "a stage before the first 'run'");
        const CascadeEinsum& einsum = next_einsum(word("an einsum"));
        Stage stage;
        keyword("on");
        stage.team = team();
        while (next_ < words_.size()) {
            const Word& part = words_[next_++];
            if (part.text == "split")
                take_split(einsum, stage);
            else if (part.text == "sums")
                stage.sums = sums(einsum);
            else if (part.text == "stream")
                stage.streamed = streamed(einsum);
            else
                fail(ErrorCode::syntax, part, "expected 'split', 'sums' or 'stream', found '" + part.text + "'");
        }
        open_->stages.push_back(std::move(stage));
        open_->last = next_einsum_++;
    }

    const CascadeEinsum& next_einsum(const Word& name) const {
        const int found = find_einsum(cascade_, name.text);
        if (found < 0) {
            std::vector<std::string> known;
            for (const CascadeEinsum& one : cascade_.einsums) known.push_back(one.name);
            fail(ErrorCode::unknown_name, name,
                 "no einsum is called '" + name.text + "'" + did_you_mean(name.text, known));
        }
        if (found != next_einsum_)
            fail(ErrorCode::bad_value, name,
                 next_einsum_ < cascade_.einsum_count() ? "stages stand in the order of the cascade: expected '" +
                                                              cascade_.einsums[next_einsum_].name + "'"
                                                        : "all einsums have their stages already");
        return cascade_.einsums[found];
    }

    std::vector<int> team() {
        const Word& at = word("cores, such as 0..3");
        std::vector<int> cores;
        std::string_view rest = at.text;
        while (true) {
            const std::size_t end = std::min(rest.find(','), rest.size());
            const std::string_view one = rest.substr(0, end);
            const std::size_t dots = one.find("..");
            const std::int64_t low = number(at, one.substr(0, dots), "cores, such as 0..3");
            const std::int64_t high =
                dots == std::string_view::npos ? low : number(at, one.substr(dots + 2), "cores, such as 0..3");
            if (high < low || high >= core_count_)
                fail(ErrorCode::bad_value, at,
                     "there are cores 0 to " + std::to_string(core_count_ - 1) + ", found '" + std::string(one) + "'");
            for (std::int64_t core = low; core <= high; ++core) cores.push_back(static_cast<int>(core));
            if (end == rest.size()) return cores;
            rest.remove_prefix(end + 1);
        }
    }

    int dimension(const CascadeEinsum& einsum, const Word& at, const std::string& name) const {
        const int found = find_dimension(einsum.einsum, name);
        if (found >= 0) return found;
        std::vector<std::string> known;
        for (const Dimension& one : einsum.einsum.dimensions) known.push_back(one.name);
        fail(ErrorCode::unknown_name, at,
             "'" + einsum.name + "' has no dimension '" + name + "'" + did_you_mean(name, known) + "; it has " +
                 list_words(known));
    }

    void take_split(const CascadeEinsum& einsum, Stage& stage) {
        const std::size_t begin = next_;
        while (next_ < words_.size() && words_[next_].text.find('/') != std::string::npos) {
            const Word& at = words_[next_++];
            const std::size_t slash = at.text.rfind('/');
            Split split;
            split.dimension = dimension(einsum, at, at.text.substr(0, slash));
            split.parts = number(at, std::string_view(at.text).substr(slash + 1), "a number of parts");
            if (split.parts < 1) fail(ErrorCode::bad_value, at, "expected at least one part");
            stage.split.push_back(split);
        }
        if (next_ == begin) {
            if (next_ == words_.size()) fail_at_end("expected a split, such as k/2");
            fail(ErrorCode::syntax, words_[next_], "expected a split, such as k/2, found '" + words_[next_].text + "'");
        }
    }

    Sums sums(const CascadeEinsum& einsum) {
        const Word& way = word("'root', 'scatter' or 'ring'");
        if (way.text == "root") return {};
        if (way.text != "scatter" && way.text != "ring")
            fail(ErrorCode::syntax, way, "expected 'root', 'scatter' or 'ring', found '" + way.text + "'");
        const bool is_ring = way.text == "ring";
        const Word& at = word("a dimension of the result");
        const int along = dimension(einsum, at, at.text);
        const std::vector<int> axes = result_dimensions(einsum);
        const auto found = std::ranges::find(axes, along);
        if (found == axes.end())
            fail(ErrorCode::bad_value, at, "'" + at.text + "' is no dimension of the result of '" + einsum.name + "'");
        return {is_ring ? Sums::Way::ring : Sums::Way::scatter, static_cast<int>(found - axes.begin())};
    }

    std::uint32_t streamed(const CascadeEinsum& einsum) {
        const Word& at = word("tensors, such as W1,X");
        std::uint32_t set = 0;
        std::string_view rest = at.text;
        while (true) {
            const std::size_t end = std::min(rest.find(','), rest.size());
            const std::string name(rest.substr(0, end));
            std::uint32_t found = 0;
            std::vector<std::string> known;
            for (int operand = 0; operand < einsum.einsum.tensor_count(); ++operand) {
                if (einsum.einsum.tensors[operand].written) continue;
                known.push_back(cascade_.tensors[einsum.accesses[operand].tensor].name);
                if (known.back() == name) found |= 1U << operand;
            }
            if (found == 0)
                fail(ErrorCode::unknown_name, at,
                     "'" + einsum.name + "' reads no tensor '" + name + "'" + did_you_mean(name, known) +
                         "; it reads " + list_words(known));
            set |= found;
            if (end == rest.size()) return set;
            rest.remove_prefix(end + 1);
        }
    }

    const Cascade& cascade_;
    int core_count_;
    std::string file_;
    Plan plan_;
    std::optional<Run> open_;
    Word dimension_;
    int next_einsum_ = 0;
    int line_ = 0;
    int run_line_ = 0;
    std::string excerpt_;
    std::string run_excerpt_;
    std::vector<Word> words_;
    std::size_t next_ = 0;
};

}  // namespace

int result_operand(const CascadeEinsum& einsum) {
    for (int operand = 0; operand < einsum.einsum.tensor_count(); ++operand)
        if (einsum.einsum.tensors[operand].written) return operand;
    return -1;
}

std::vector<int> result_dimensions(const CascadeEinsum& einsum) {
    std::vector<int> dimensions;
    const int operand = result_operand(einsum);
    if (operand < 0) return dimensions;
    for (const Coordinate& coordinate : einsum.accesses[operand].coordinates) {
        const bool is_plain =
            coordinate.offset == 0 && coordinate.terms.size() == 1 && coordinate.terms.front().coefficient == 1;
        dimensions.push_back(is_plain ? coordinate.terms.front().dimension : -1);
    }
    return dimensions;
}

std::string to_text(const Plan& plan, const Cascade& cascade) {
    std::string text;
    for (const Run& run : plan.runs) {
        const CascadeEinsum& last = cascade.einsums[run.last];
        text += "run " + last.einsum.dimensions[result_dimensions(last)[run.axis]].name + " by " +
                std::to_string(run.step) + "\n";
        for (int e = run.first; e <= run.last; ++e)
            text += stage_text(run.stages[e - run.first], cascade.einsums[e], cascade);
    }
    return text;
}

Plan parse_plan(std::string_view text, const Cascade& cascade, int core_count, const std::string& file) {
    return PlanParser(cascade, core_count, file).parse(text);
}

}  // namespace tilewright::package
