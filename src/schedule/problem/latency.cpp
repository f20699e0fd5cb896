#include "schedule/problem/latency.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"

namespace tilewright::schedule {
namespace {

constexpr std::array<const char*, 6> kNames{"ow", "oh", "ic", "oc", "kw", "kh"};
constexpr std::size_t kLongest = 1000;
constexpr int kDeepest = 100;

}  // namespace

// By recursive descent: sums of products of signed factors.
class LatencyParser {
   public:
    using Kind = LatencyExpression::Kind;

    explicit LatencyParser(std::string_view text) : text_(text) {}

    std::vector<LatencyExpression::Instruction> parse() {
        if (text_.size() > kLongest) fail("at most " + std::to_string(kLongest) + " characters");
        sum();
        skip_blanks();
        if (at_ != text_.size()) fail("an operator or the end");
        return std::move(steps_);
    }

   private:
    [[noreturn]] void fail(const std::string& expected) const {
        throw InputError(ErrorCode::bad_value, {},
                         "the latency expression: expected " + expected + " at character " + std::to_string(at_ + 1));
    }

    void skip_blanks() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
    }
    bool take(char wanted) {
        skip_blanks();
        if (at_ == text_.size() || text_[at_] != wanted) return false;
        ++at_;
        return true;
    }
    void need(char wanted) {
        if (!take(wanted)) fail(std::string("'") + wanted + "'");
    }
    void add(Kind kind, double number = 0.0, std::size_t name = 0) { steps_.push_back({kind, number, name}); }

    void sum() {
        if (++depth_ > kDeepest) fail("less nesting");
        product();
        while (true) {
            if (take('+')) {
                product();
                add(Kind::plus);
            } else if (take('-')) {
                product();
                add(Kind::minus);
            } else {
                break;
            }
        }
        --depth_;
    }

    void product() {
        factor();
        while (true) {
            if (take('*')) {
                factor();
                add(Kind::times);
            } else if (take('/')) {
                factor();
                add(Kind::over);
            } else {
                return;
            }
        }
    }

    void factor() {
        bool negative = false;
        while (take('-')) negative = !negative;
        atom();
        if (negative) add(Kind::negate);
    }

    void atom() {
        if (take('(')) {
            sum();
            need(')');
            return;
        }
        const std::string_view rest = text_.substr(at_);
        double number = 0.0;
        const auto [end, error] =
            std::from_chars(rest.data(), rest.data() + rest.size(), number, std::chars_format::fixed);
        if (error == std::errc{} && std::isfinite(number)) {
            at_ += static_cast<std::size_t>(end - rest.data());
            return add(Kind::number, number);
        }
        std::size_t length = 0;
        while (length < rest.size() && rest[length] >= 'a' && rest[length] <= 'z') ++length;
        word(rest.substr(0, length));
    }

    void word(std::string_view name) {
        const auto* const found = std::find(kNames.begin(), kNames.end(), name);
        if (found != kNames.end()) {
            at_ += name.size();
            return add(Kind::name, 0.0, static_cast<std::size_t>(found - kNames.begin()));
        }
        constexpr std::array<std::pair<const char*, Kind>, 4> kFunctions{
            {{"ceil", Kind::ceil}, {"floor", Kind::floor}, {"min", Kind::least}, {"max", Kind::most}}};
        for (const auto& [function, kind] : kFunctions) {
            if (name != function) continue;
            at_ += name.size();
            need('(');
            sum();
            if (kind == Kind::least || kind == Kind::most) {
                need(',');
                sum();
            }
            need(')');
            return add(kind);
        }
        fail("a number, ow, oh, ic, oc, kw, kh, ceil, floor, min, max or '('");
    }

    const std::string_view text_;
    std::size_t at_ = 0;
    int depth_ = 0;
    std::vector<LatencyExpression::Instruction> steps_;
};

LatencyExpression::LatencyExpression(std::string text) : text_(std::move(text)), steps_(LatencyParser(text_).parse()) {}

double LatencyExpression::value(const TileShape& tile) const {
    const std::array<std::int64_t, 6> sizes{tile.out_w, tile.out_h,    tile.in_c,
                                            tile.out_c, tile.kernel_w, tile.kernel_h};
    std::vector<double> stack;
    const auto pop = [&] {
        const double top = stack.back();
        stack.pop_back();
        return top;
    };
    for (const Instruction& step : steps_) {
        if (step.kind == Kind::number || step.kind == Kind::name) {
            stack.push_back(step.kind == Kind::number ? step.number : static_cast<double>(sizes[step.name]));
            continue;
        }
        const bool one = step.kind == Kind::negate || step.kind == Kind::ceil || step.kind == Kind::floor;
        const double b = pop();
        const double a = one ? 0.0 : pop();
        switch (step.kind) {
            case Kind::plus: stack.push_back(a + b); break;
            case Kind::minus: stack.push_back(a - b); break;
            case Kind::times: stack.push_back(a * b); break;
            case Kind::over: stack.push_back(a / b); break;
            case Kind::negate: stack.push_back(-b); break;
            case Kind::ceil: stack.push_back(std::ceil(b)); break;
            case Kind::floor: stack.push_back(std::floor(b)); break;
            case Kind::least: stack.push_back(std::min(a, b)); break;
            case Kind::most: stack.push_back(std::max(a, b)); break;
            case Kind::number:
            case Kind::name: break;
        }
    }
    return stack.back();
}

std::int64_t LatencyExpression::cycles(const TileShape& tile) const {
    const double cycles = std::ceil(value(tile));
    if (cycles >= 1.0 && cycles <= kMostExact) return static_cast<std::int64_t>(cycles);
    throw InputError(ErrorCode::bad_value, {},
                     "the latency expression gives no number from 1 to 2^53 for a tile of ow=" +
                         std::to_string(tile.out_w) + " oh=" + std::to_string(tile.out_h) +
                         " ic=" + std::to_string(tile.in_c) + " oc=" + std::to_string(tile.out_c) +
                         " kw=" + std::to_string(tile.kernel_w) + " kh=" + std::to_string(tile.kernel_h));
}

std::int64_t ListedCycles::cycles(const TileShape& tile) const {
    const auto found = list_.find(tile);
    if (found == list_.end())
        throw InputError(ErrorCode::bad_value, {}, "the file lists no cycles for a tile of " + to_text(tile));
    return found->second;
}

std::string to_text(const TileShape& tile) {
    const auto pair = [](std::int64_t a, std::int64_t b) { return std::to_string(a) + " x " + std::to_string(b); };
    std::string text = pair(tile.out_w, tile.out_h) + " outputs, " + std::to_string(tile.in_c) + " input and " +
                       std::to_string(tile.out_c) + " output channels, kernel " + pair(tile.kernel_w, tile.kernel_h);
    if (tile.stride_w > 1 || tile.stride_h > 1) text += ", stride " + pair(tile.stride_w, tile.stride_h);
    if (tile.dilation_w > 1 || tile.dilation_h > 1) text += ", dilation " + pair(tile.dilation_w, tile.dilation_h);
    return text;
}

}  // namespace tilewright::schedule
