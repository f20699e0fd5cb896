#include "onnx/operators/microsoft.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"
#include "onnx/operators/numbers.hpp"
#include "onnx/operators/window.hpp"
#include "workload/shapes.hpp"

namespace tilewright::onnx {
namespace {

using Results = std::vector<std::optional<Extents>>;

std::string text(std::int64_t value) { return std::to_string(value); }

/// A mandatory attribute, unless `otherwise` is given.
std::int64_t required(const Operator& op, const char* name, std::int64_t otherwise = 0) {
    const Attributes attributes(op.node(), op.file());
    if (otherwise < 1 && !attributes.has(name))
        op.fail(ErrorCode::bad_value, std::string("attribute '") + name + "' is missing");
    const std::int64_t value = attributes.integer(name, otherwise);
    if (value < 1)
        op.fail(ErrorCode::bad_value,
                std::string("attribute '") + name + "' is " + text(value) + "; expected at least 1");
    return value;
}

/// The shape of an input with the axes of `form`.
Extents shaped(const Operator& op, int input, std::size_t axes, const char* form) {
    Extents extents = op.input(input);
    if (extents.size() != axes)
        op.fail(ErrorCode::bad_value, "its input " + in_quotes(op.node().input(input)) + " has shape " +
                                          shape_text(extents) + "; expected " + form);
    return extents;
}

std::int64_t shared_out(const Operator& op, std::int64_t features, std::int64_t heads, const char* what) {
    if (features % heads != 0)
        op.fail(ErrorCode::bad_value,
                text(heads) + " heads do not divide the " + text(features) + " features of its " + what);
    return features / heads;
}

void require(const Operator& op, bool fits, const std::string& message) {
    if (!fits) op.fail(ErrorCode::bad_value, message);
}

/// Common form of all three.
struct FusedAttention {
    std::int64_t batch = 1;
    std::int64_t heads = 1;      ///< of queries
    std::int64_t key_heads = 1;  ///< of keys and values
    std::int64_t rows = 1;       ///< of queries
    std::int64_t own_keys = 1;   ///< without the past
    std::int64_t keys = 1;       ///< with it
    std::int64_t features = 1;   ///< of a query or key head
    std::int64_t value_features = 1;
};

Einsum with_weight_bits(Einsum einsum, std::int64_t bits) {
    einsum.tensors.at(0).bits = bits;  // the second operand
    return einsum;
}

void add_scores_and_values(const FusedAttention& all, std::int64_t cache_bits, std::vector<Product>& products) {
    const std::int64_t batch = checked_mul(all.batch, all.heads);
    const auto product = [&](std::int64_t inner, std::int64_t columns) {
        return with_weight_bits(batched_matmul(batch, all.rows, inner, columns), cache_bits);
    };
    products.push_back({"scores", product(all.features, all.keys), 1});
    products.push_back({"values", product(all.keys, all.value_features), 1});
}

/// Number of keys with a past of `past` rows. A past sharing its buffer with the result has spare room; `length` gives
/// its used part.
std::int64_t with_past(const Operator& op, std::int64_t own, std::int64_t past, bool shares, int length) {
    if (!shares) return checked_add(own, past);
    const std::optional<std::int64_t> used = op.number(length);
    return used && *used >= 0 ? std::min(checked_add(own, *used), past) : past;
}

// --- Attention ---

struct Projected {
    FusedAttention attended;
    std::int64_t inner = 1;    ///< features of the input
    std::int64_t columns = 1;  ///< of the weights
    std::int64_t past = -1;    ///< rows of the past's buffer; -1: none
    bool shares = false;
};

/// Partition of the weights' columns into queries, keys and values.
Extents projected_columns(const Operator& op, std::int64_t columns) {
    Extents sizes(3, columns / 3);
    if (Attributes(op.node(), op.file()).has("qkv_hidden_sizes"))
        sizes = Attributes(op.node(), op.file()).integers("qkv_hidden_sizes", 3, 1, 0);
    const bool fits = checked_add(checked_add(sizes[0], sizes[1]), sizes[2]) == columns && sizes[0] == sizes[1];
    require(op, fits,
            "its weights have " + text(columns) + " columns, which are not queries, keys and values of " +
                shape_text(sizes) + " features");
    return sizes;
}

/// QAttention: the same on integers, with scales and zero points before the past.
bool is_quantised(const Operator& op) { return op.node().op_type() == "QAttention"; }

Projected projected(const Operator& op) {
    const Extents input = shaped(op, 0, 3, "[batch, rows, features]");
    const Extents weights = shaped(op, 1, 2, "[features, columns of queries, keys and values]");
    require(op, weights[0] == input[2],
            "its weights " + shape_text(weights) + " do not fit its input " + shape_text(input));
    const Extents sizes = projected_columns(op, weights[1]);
    const std::int64_t heads = required(op, "num_heads");
    Projected all{{input[0], heads, heads, input[1], input[1], input[1], shared_out(op, sizes[0], heads, "queries"),
                   shared_out(op, sizes[2], heads, "values")},
                  input[2],
                  weights[1],
                  -1,
                  Attributes(op.node(), op.file()).integer("past_present_share_buffer", 0) != 0};
    const int place = is_quantised(op) ? 8 : 4;
    constexpr int kPastLength = 6;
    if (!op.has_input(place)) return all;
    const Extents past = op.possibly_empty_input(place);
    require(op, past.size() == 5 && past[0] == 2 && past[1] == input[0] && past[2] == heads,
            "its past has shape " + shape_text(past) + "; expected [2, " + text(input[0]) + ", " + text(heads) +
                ", rows, features]");
    all.past = past[3];
    all.attended.keys = with_past(op, input[1], all.past, all.shares, kPastLength);
    return all;
}

Results attention_results(const Operator& op) {
    const Projected all = projected(op);
    const FusedAttention& a = all.attended;
    return {Extents{a.batch, a.rows, checked_mul(a.heads, a.value_features)},
            Extents{2, a.batch, a.heads, all.shares && all.past >= 0 ? all.past : a.keys, a.features}};
}

// --- MultiHeadAttention ---

/// Keys and values by form: packed, projected, or a cross-attention cache.
void read_keys(const Operator& op, FusedAttention& all) {
    const Extents key = op.input(1);
    if (key.size() == 5) {
        require(op, key[0] == all.batch && key[2] == all.heads && key[3] == 2 && key[4] == all.features,
                "its packed keys and values have shape " + shape_text(key) + "; expected [" + text(all.batch) +
                    ", rows, " + text(all.heads) + ", 2, " + text(all.features) + "]");
        all.own_keys = key[1];
        all.value_features = all.features;
        return;
    }
    const Extents value = op.input(2);
    const bool projected = key.size() == 3 && value.size() == 3;
    const bool cached = key.size() == 4 && value.size() == 4;
    const std::size_t rows = projected ? 1 : 2;
    const bool fits = (projected && key[2] == checked_mul(all.heads, all.features) && value[2] % all.heads == 0) ||
                      (cached && key[1] == all.heads && value[1] == all.heads && key[3] == all.features);
    require(op, fits && key[0] == all.batch && value[0] == all.batch && key[rows] == value[rows],
            "its keys " + shape_text(key) + " and values " + shape_text(value) + " do not go with " + text(all.heads) +
                " heads of queries " + shape_text(op.input(0)));
    all.own_keys = key[rows];
    all.value_features = projected ? value[2] / all.heads : value[3];
}

/// Of [batch, heads, rows, features]; -1 if absent.
std::int64_t past_rows(const Operator& op, int input, const FusedAttention& all) {
    if (!op.has_input(input)) return -1;
    const Extents past = op.possibly_empty_input(input);
    require(op, past.size() == 4 && past[0] == all.batch && past[1] == all.key_heads,
            "its past keys have shape " + shape_text(past) + "; expected [" + text(all.batch) + ", " +
                text(all.key_heads) + ", rows, features]");
    return past[2];
}

constexpr int kMultiHeadPast = 6;

bool shares_past(const Operator& op) {
    constexpr int kPastLength = 8;
    return op.has_input(kPastLength);
}

FusedAttention multi_head(const Operator& op) {
    const Extents query = op.input(0);
    FusedAttention all;
    all.heads = all.key_heads = required(op, "num_heads");
    if (query.size() == 5) {
        all.batch = query[0];
        require(op, query[2] == all.heads && query[3] == 3,
                "its packed queries, keys and values have shape " + shape_text(query) + "; expected [batch, rows, " +
                    text(all.heads) + ", 3, features]");
        all.rows = all.own_keys = query[1];
        all.features = all.value_features = query[4];
    } else {
        static_cast<void>(shaped(op, 0, 3, "[batch, rows, features] or [batch, rows, heads, 3, features]"));
        all.batch = query[0];
        all.rows = query[1];
        all.features = shared_out(op, query[2], all.heads, "queries");
        read_keys(op, all);
    }
    const std::int64_t past = past_rows(op, kMultiHeadPast, all);
    all.keys = past < 0 ? all.own_keys : with_past(op, all.own_keys, past, shares_past(op), 8);
    return all;
}

Results multi_head_results(const Operator& op) {
    const FusedAttention all = multi_head(op);
    const std::int64_t past = past_rows(op, kMultiHeadPast, all);
    const std::int64_t rows = past >= 0 && shares_past(op) ? past : all.keys;
    return {Extents{all.batch, all.rows, checked_mul(all.heads, all.value_features)},
            Extents{all.batch, all.heads, rows, all.features}, Extents{all.batch, all.heads, rows, all.value_features},
            Extents{all.batch, all.heads, all.rows, all.keys}};
}

// --- GroupQueryAttention ---

constexpr int kGroupPast = 3;

/// Queries with keys and values behind them in one tensor, or the three apart.
void read_group_operands(const Operator& op, FusedAttention& all) {
    const Extents query = shaped(op, 0, 3, "[batch, rows, features]");
    all.batch = query[0];
    all.rows = all.own_keys = query[1];
    if (!op.has_input(1)) {
        const std::int64_t heads = checked_add(all.heads, checked_mul(2, all.key_heads));
        all.features = all.value_features = shared_out(op, query[2], heads, "packed queries, keys and values");
        return;
    }
    all.features = all.value_features = shared_out(op, query[2], all.heads, "queries");
    const Extents key = op.input(1);
    const Extents value = op.input(2);
    require(
        op,
        key.size() == 3 && key == value && key[0] == all.batch && key[2] == checked_mul(all.key_heads, all.features),
        "its keys " + shape_text(key) + " and values " + shape_text(value) + " do not go with queries " +
            shape_text(query) + " of " + text(all.heads) + " heads; expected [" + text(all.batch) + ", rows, " +
            text(all.key_heads) + " * " + text(all.features) + "]");
    all.own_keys = key[1];
}

/// Total keys: as stated by the model, else the given ones plus the past.
std::int64_t all_keys(const Operator& op, const FusedAttention& all, std::int64_t past) {
    constexpr int kLast = 5;   // seqlens_k: index of each sequence's last key
    constexpr int kTotal = 6;  // total_sequence_length
    std::optional<std::int64_t> total = op.number(kTotal);
    if (!total && op.number(kLast)) total = checked_add(*op.number(kLast), 1);
    if (!total || *total < 1) return checked_add(all.own_keys, std::max<std::int64_t>(past, 0));
    require(op, *total >= all.own_keys,
            "total_sequence_length is " + text(*total) + ", less than the " + text(all.own_keys) + " keys given");
    return *total;
}

FusedAttention group_query(const Operator& op) {
    FusedAttention all;
    all.heads = required(op, "num_heads");
    all.key_heads = required(op, "kv_num_heads");
    require(op, all.heads % all.key_heads == 0,
            "kv_num_heads (" + text(all.key_heads) + ") does not divide num_heads (" + text(all.heads) + ")");
    read_group_operands(op, all);
    all.keys = all_keys(op, all, past_rows(op, kGroupPast, all));
    return all;
}

std::int64_t cache_bits(const Operator& op) {
    const std::int64_t bits = Attributes(op.node(), op.file()).integer("kv_cache_bit_width", 0);
    require(op, bits == 0 || bits == 4 || bits == 8,
            "attribute 'kv_cache_bit_width' is " + text(bits) + "; expected 0 (as the queries), 4 or 8");
    return bits;
}

Results group_query_results(const Operator& op) {
    const FusedAttention all = group_query(op);
    const std::int64_t rows = std::max(all.keys, past_rows(op, kGroupPast, all));
    const std::int64_t stored = cache_bits(op) == 4 ? ceil_div(all.features, 2) : all.features;  // two in a byte
    const Extents cache{all.batch, all.key_heads, rows, stored};
    return {Extents{all.batch, all.rows, checked_mul(all.heads, all.features)}, cache, cache,
            Extents{all.batch, all.heads, all.rows, all.keys}};
}

// --- MatMulNBits ---

struct NarrowProduct {
    std::int64_t rows = 1;
    std::int64_t inner = 1;
    std::int64_t columns = 1;
    std::int64_t bits = 4;
};

void check_blocks(const Operator& op, const NarrowProduct& product) {
    const std::int64_t block = required(op, "block_size");
    require(op, block >= 16 && (block & (block - 1)) == 0,
            "attribute 'block_size' is " + text(block) + "; expected a power of two of at least 16");
    const Extents weights = op.input(1);
    const std::int64_t blocks = ceil_div(product.inner, block);
    const std::int64_t bytes = ceil_div(checked_mul(block, product.bits), 8);
    std::int64_t stored = 1;
    for (const std::int64_t extent : weights) stored = checked_mul(stored, extent);
    require(op, stored == checked_mul(product.columns, checked_mul(blocks, bytes)),
            "its weights have shape " + shape_text(weights) + "; N, K, bits and block_size ask for " +
                shape_text({product.columns, blocks, bytes}));
}

NarrowProduct narrow_product(const Operator& op) {
    NarrowProduct product;
    product.inner = required(op, "K");
    product.columns = required(op, "N");
    product.bits = required(op, "bits", 4);
    require(op, product.bits <= 8, "attribute 'bits' is " + text(product.bits) + "; expected 1 to 8");
    const Extents a = op.input(0);
    require(op, !a.empty() && a.back() == product.inner,
            "its input has shape " + shape_text(a) + "; its last axis should have K = " + text(product.inner));
    for (std::size_t axis = 0; axis + 1 < a.size(); ++axis) product.rows = checked_mul(product.rows, a[axis]);
    check_blocks(op, product);
    return product;
}

Results narrow_results(const Operator& op) {
    Extents result = op.input(0);
    const NarrowProduct product = narrow_product(op);
    result.back() = product.columns;
    return {result};
}

// --- shape-preserving operators ---

/// The optional sum of input and skip has the input's shape; mean and deviation do not.
Results skip_results(const Operator& op) {
    const Extents input = op.input(0);
    return {input, std::nullopt, std::nullopt, input};
}

Results known_result(const std::optional<Extents>& result) { return result ? Results{result} : Results{}; }

}  // namespace

bool is_microsoft(const pb::NodeProto& node) { return node.domain() == "com.microsoft"; }

Lowered lower_microsoft_attention(const Operator& op) {
    const Projected all = projected(op);
    const std::int64_t rows = checked_mul(all.attended.batch, all.attended.rows);
    std::vector<Product> products{{"projection", gemm(rows, all.inner, all.columns), 1}};
    if (is_quantised(op))
        for (Tensor& tensor : products.front().einsum.tensors)
            if (!tensor.written) tensor.bits = 8;
    add_scores_and_values(all.attended, 0, products);
    return products;
}

Lowered lower_multi_head_attention(const Operator& op) {
    std::vector<Product> products;
    add_scores_and_values(multi_head(op), 0, products);
    return products;
}

Lowered lower_group_query_attention(const Operator& op) {
    std::vector<Product> products;
    add_scores_and_values(group_query(op), cache_bits(op), products);
    return products;
}

Lowered lower_matmul_nbits(const Operator& op) {
    const NarrowProduct product = narrow_product(op);
    Contraction contraction{gemm(product.rows, product.inner, product.columns), {1, 0}};
    contraction.bits = product.bits;
    return contraction;
}

Results microsoft_results(const Operator& op) {
    const std::string& type = op.node().op_type();
    // Present operands of unknown shape give nothing.
    const auto knows = [&](int inputs) {
        for (int input = 0; input < inputs; ++input)
            if (op.has_input(input) && !op.knows_input(input)) return false;
        return op.has_input(0);
    };
    if ((type == "Attention" && knows(5)) || (type == "QAttention" && knows(9))) return attention_results(op);
    if (type == "MultiHeadAttention" && knows(7)) return multi_head_results(op);
    if (type == "GroupQueryAttention" && knows(4)) return group_query_results(op);
    if (type == "MatMulNBits" && knows(2)) return narrow_results(op);
    if (type.starts_with("Skip") && type.ends_with("LayerNormalization") && knows(1)) return skip_results(op);
    if ((type == "QLinearAdd" || type == "QLinearMul") && op.knows_input(0) && op.knows_input(3)) {
        const std::optional<Extents> common = common_extents(op.input(0), op.input(3));
        return common ? Results{common} : Results{};
    }
    if (has_window(op.node())) return known_result(window_result(op));
    return known_result(product_result(op));
}

}  // namespace tilewright::onnx
