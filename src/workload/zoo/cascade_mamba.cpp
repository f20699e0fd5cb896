// Mamba: a selective state space in place of attention. Sizes: config.json of state-spaces/mamba-2.8b (2.8 billion
// parameters, pinned in cascades_test.cpp).
//
// i: inner channels, n: words of state of each, u: rank of the step width. Each token multiplies the state by e^(step *
// A) and adds step * B * x; reading with C is one sum over n. The state is a cache changed in place by the scan, token
// after token.
#include "workload/zoo/cascade_parts.hpp"

namespace tilewright::zoo {

Cascade mamba(const Tokens& tokens) {
    const std::string text = R"(
        weight table[v,d];
        view x[b,m,d] of table;
        block mixer 64 {)" + rms_norm("norm", "x", "normed", "b,m,d") +
                             R"(
            weight in_w, gate_w, conv_w, conv_b, proj_w, b_w, c_w, step_w, step_b, A, D, out_w;
            cache recent[b,@T,i], state[b,i,n];
            in: recent[b,m+3,i] += normed[b,m,d] * in_w[d,i];
            gate: gate[b,m,i] += normed[b,m,d] * gate_w[d,i];
            conv: convolved[b,m,i] += recent[b,m+r,i] * conv_w[i,r];
            conv.activation: inner[b,m,i] = silu(convolved[b,m,i] + conv_b[i]);
            step.down: steps[b,m,u] += inner[b,m,i] * proj_w[i,u];
            input: B[b,m,n] += inner[b,m,i] * b_w[i,n];
            output: C[b,m,n] += inner[b,m,i] * c_w[i,n];
            step: wide[b,m,i] += steps[b,m,u] * step_w[u,i];
            step.activation: step[b,m,i] = softplus(wide[b,m,i] + step_b[i]);
            scan: scanned[b,m,i], state[b,i,n] += exp(step[b,m,i] * A[i,n]) * state[b,i,n]
                                                + step[b,m,i] * B[b,m,n] * inner[b,m,i] * C[b,m,n];
            skip: mixed[b,m,i] = (scanned[b,m,i] + D[i] * inner[b,m,i]) * silu(gate[b,m,i]);
            out: back[b,m,d] += mixed[b,m,i] * out_w[i,d];
            add: y[b,m,d] = x[b,m,d] + back[b,m,d];
            carry y -> x;
        })" + last_token_head("y", "table");
    std::string filled = text;
    const std::string words = std::to_string(tokens.now + 3);
    for (std::size_t at = filled.find("@T"); at != std::string::npos; at = filled.find("@T"))
        filled.replace(at, 2, words);
    return model("mamba", filled, tokens, {{"d", 2560}, {"i", 5120}, {"n", 16}, {"u", 160}, {"r", 4}, {"v", 50280}});
}

}  // namespace tilewright::zoo
