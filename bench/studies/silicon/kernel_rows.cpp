#include "kernel_rows.hpp"

#include <map>

namespace tilewright::silicon_study {
namespace {

using Json = nlohmann::json;

silicon::Product product_of(const Json& given) {
    return {given.at("rows"), given.at("columns"), given.at("depth"), given.value("weights_resident", false)};
}

silicon::Stream stream_of(const Json& given) {
    silicon::Stream stream;
    stream.ideal_bytes = given.at("ideal_bytes");
    stream.kernels = given.value("kernels", 1);
    stream.bytes = given.value("bytes", stream.ideal_bytes);
    stream.repeated_bytes = given.value("repeated_bytes", 0.0);
    stream.cold_bytes = given.value("cold_bytes", 0.0);
    stream.is_compiled = given.value("is_compiled", false);
    return stream;
}

silicon::Attention attention_of(const Json& given) {
    static const std::map<std::string, silicon::AttentionKind> kKinds{{"flash", silicon::AttentionKind::flash},
                                                                      {"masked", silicon::AttentionKind::masked},
                                                                      {"unfused", silicon::AttentionKind::unfused}};
    silicon::Attention attention;
    attention.chunk = given.value("chunk", 0);
    attention.kept = given.value("kept", 0);
    attention.sequences = given.value("sequences", 0);
    attention.kept_each = given.value("kept_each", 0);
    attention.heads = given.at("heads");
    attention.head_width = given.at("head_width");
    attention.key_heads = given.at("key_heads");
    attention.kind = kKinds.at(given.at("kind"));
    return attention;
}

template <class... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};

}  // namespace

KernelRow kernel_row(const Json& given) {
    KernelRow row;
    row.measured_us = given.at("us");
    if (given.contains("product"))
        row.work = product_of(given.at("product"));
    else if (given.contains("stream"))
        row.work = stream_of(given.at("stream"));
    else
        row.work = attention_of(given.at("attention"));
    return row;
}

double predicted_us(const Work& work, const silicon::KernelMachine& machine) {
    return std::visit(Overloaded{[&](const silicon::Product& one) { return silicon::product_latency(one, machine).us; },
                                 [&](const silicon::Stream& one) { return silicon::stream_us(one, machine); },
                                 [&](const silicon::Attention& one) { return silicon::attention_us(one, machine); }},
                      work);
}

double roofline_us(const Work& work, silicon::KernelMachine machine) {
    machine.calibration = {};
    return std::visit(
        Overloaded{[&](const silicon::Product& one) { return silicon::roofline_us(one, machine); },
                   [&](const silicon::Stream& one) { return silicon::fused_us(one, machine); },
                   [&](const silicon::Attention& one) { return silicon::ideal_attention_us(one, machine); }},
        work);
}

}  // namespace tilewright::silicon_study
