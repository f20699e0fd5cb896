// Construction of the zoo's networks: layers in order, with producer links.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "workload/network.hpp"
#include "workload/shapes.hpp"

namespace tilewright::zoo {

/// A value in a network: its mapped producer layers, ascending. Unmapped operators (activations, additions, pooling)
/// pass it on or merge it.
using Value = std::vector<int>;

/// Dependences of an addition or a concatenation of two values.
inline Value merge(const Value& a, const Value& b) {
    Value both;
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return both;
}

class NetworkBuilder {
   public:
    explicit NetworkBuilder(std::string name) { network_.name = std::move(name); }

    /// Appends a layer reading `from`; returns its result.
    Value add(std::string name, std::string op, Einsum einsum, Value from) {
        network_.layers.push_back({std::move(name), std::move(op), std::move(einsum), 1, std::move(from)});
        return {static_cast<int>(network_.layers.size()) - 1};
    }
    Value conv(std::string name, Einsum einsum, Value from) {
        return add(std::move(name), "Conv", std::move(einsum), std::move(from));
    }
    Value linear(std::string name, std::int64_t rows, std::int64_t inner, std::int64_t columns, Value from) {
        return add(std::move(name), "Gemm", gemm(rows, inner, columns), std::move(from));
    }

    void pool(const std::string& name, std::int64_t channels, std::int64_t from_size, std::int64_t size) {
        network_.streamed.push_back({name, size == 1 ? "GlobalAveragePool" : "MaxPool",
                                     channels * from_size * from_size, channels * size * size});
    }
    void sum(const std::string& name, std::int64_t elements) {
        network_.streamed.push_back({name, "Add", 2 * elements, elements});
    }

    Network take() { return std::move(network_); }

   private:
    Network network_;
};

Network bert_base(std::int64_t tokens);
Network gpt2(std::int64_t tokens);
Network llama_7b_prefill(std::int64_t tokens);
/// `context`: tokens before the computed one.
Network llama_7b_decode(std::int64_t context);

/// `network` for this many independent inputs with shared weights: images, matrix rows and attention heads. Throws
/// OverflowError.
void set_batch(Network& network, std::int64_t batch);

}  // namespace tilewright::zoo
