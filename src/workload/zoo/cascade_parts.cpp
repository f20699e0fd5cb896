#include "workload/zoo/cascade_parts.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers/checked.hpp"
#include "workload/cascade/text.hpp"

namespace tilewright::zoo {
namespace {

// "b,m,d" -> "b,m" and "d".
std::pair<std::string, std::string> rows_and_last(const std::string& dims) {
    const std::size_t comma = dims.rfind(',');
    return {dims.substr(0, comma), dims.substr(comma + 1)};
}

void replace_all(std::string& text, const std::string& what, const std::string& with) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
}

// Text with `$a` for the first of `values`, `$b` for the second, ...
std::string filled(std::string text, const std::vector<std::string>& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
        replace_all(text, std::string("$") + static_cast<char>('a' + i), values[i]);
    return text;
}

}  // namespace

Experts mean_experts(std::int64_t all, std::int64_t chosen, const Tokens& tokens) {
    const std::int64_t rows = checked_mul(tokens.batch, tokens.now);
    const std::int64_t pairs = checked_mul(rows, chosen);
    const double left_out = 1.0 - static_cast<double>(chosen) / static_cast<double>(all);  // by one token
    const double mean = static_cast<double>(all) * (1.0 - std::pow(left_out, static_cast<double>(rows)));
    const std::int64_t in_use = std::clamp<std::int64_t>(std::llround(mean), chosen, std::min(all, pairs));
    return {in_use, ceil_div(pairs, in_use)};
}

std::string rms_norm(const std::string& name, const std::string& from, const std::string& to, const std::string& dims) {
    const auto [rows, last] = rows_and_last(dims);
    return filled(R"(
        weight $c_gain;
        $a.statistics: $c_scale[$e] += square($b[$d]);
        $a: $c[$d] = $b[$d] * $c_scale[$e] * $c_gain[$f];
    )",
                  {name, from, to, dims, rows, last});
}

std::string layer_norm(const std::string& name, const std::string& from, const std::string& to,
                       const std::string& dims) {
    const auto [rows, last] = rows_and_last(dims);
    return filled(R"(
        weight $c_gain, $c_shift;
        $a.statistics: $c_mean[$e], $c_scale[$e] += moments($b[$d]);
        $a: $c[$d] = ($b[$d] - $c_mean[$e]) * $c_scale[$e] * $c_gain[$f] + $c_shift[$f];
    )",
                  {name, from, to, dims, rows, last});
}

std::string attention_core(const std::string& q) {
    return filled(R"(
        %attention.scores: %scores[b,h,g,m,l] += $a[b,m,h,g,e] * %K[b,h,l,e];
        %attention.softmax.statistics: online %top[b,h,g,m], %total[b,h,g,m] += softmax(%scores[b,h,g,m,l]);
        %attention.softmax: %shares[b,h,g,m,l] = exp(%scores[b,h,g,m,l] - %top[b,h,g,m]) * %total[b,h,g,m];
        %attention.mix: %mixed[b,m,h,g,e] += %shares[b,h,g,m,l] * %V[b,h,l,e];
    )",
                  {q});
}

std::string attention_core_of_heads(const std::string& q) {
    return filled(R"(
        attention.scores: scores[b,h,m,l] += $a[b,m,h,e] * K[b,h,l,e];
        attention.softmax.statistics: online top[b,h,m], total[b,h,m] += softmax(scores[b,h,m,l]);
        attention.softmax: shares[b,h,m,l] = exp(scores[b,h,m,l] - top[b,h,m]) * total[b,h,m];
        attention.mix: mixed[b,m,h,e] += shares[b,h,m,l] * V[b,h,l,e];
    )",
                  {q});
}

std::string gated_mlp(const std::string& from, const std::string& activation) {
    return filled(R"(
        weight %up_w, %gate_w, %down_w;
        %mlp.up: %up[b,m,f] += $a[b,m,d] * %up_w[d,f];
        %mlp.gate: %gate[b,m,f] += $a[b,m,d] * %gate_w[d,f];
        %mlp.activation: %inner[b,m,f] = $b(%gate[b,m,f]) * %up[b,m,f];
        %mlp.down: %mlp[b,m,d] += %inner[b,m,f] * %down_w[f,d];
    )",
                  {from, activation});
}

std::string prefixed(std::string text, const std::string& prefix) {
    replace_all(text, "%", prefix);
    return text;
}

std::string last_token_head(const std::string& from, const std::string& head) {
    return filled(R"(
        weight final_gain;
        final_norm.statistics: final_scale[b] += square($a[b,@Z,d]);
        final_norm: final[b,d] = $a[b,@Z,d] * final_scale[b] * final_gain[d];
        lm_head: logits[b,v] += final[b,d] * $b[v,d];
    )",
                  {from, head});
}

Cascade model(const std::string& name, std::string text, const Tokens& tokens, Sizes sizes) {
    replace_all(text, "@C", std::to_string(tokens.before));
    replace_all(text, "@Z", std::to_string(tokens.now - 1));
    sizes.emplace_back("b", tokens.batch);
    sizes.emplace_back("m", tokens.now);
    if (text.find(",l]") != std::string::npos || text.find(",l,") != std::string::npos)
        sizes.emplace_back("l", checked_add(tokens.now, tokens.before));
    return parse_cascade(text, sizes, name, name);
}

}  // namespace tilewright::zoo
