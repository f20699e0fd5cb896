// Forms of data/silicon: a generation's file, its engine's, and those of relatives for what is missing there.

#include <algorithm>
#include <functional>
#include <map>
#include <span>

#include "base/error.hpp"
#include "base/files/embedded.hpp"
#include "silicon/files/accelerator.hpp"
#include "silicon/files/fields.hpp"
#include "silicon/files/form_fields.hpp"

namespace tilewright {

std::span<const EmbeddedFile> embedded_silicon();  // generated

namespace silicon {
namespace {

using Names = std::vector<std::string>;

std::optional<yaml::Node> shipped(const std::string& name) {
    const std::string path = "data/silicon/" + name + ".yaml";
    for (const EmbeddedFile& file : embedded_silicon())
        if (file.path == path) return yaml::parse({std::string(file.text), path, {}, {}});
    return std::nullopt;
}

Names names_in(const yaml::Node& list) {
    Names names;
    for (const yaml::Node& item : list.items()) names.push_back(item.text());
    return names;
}

// Files of one engine and its relatives, read once.
class Files {
   public:
    Files(const yaml::Node& generation, std::string engine) : generation_(generation), engine_(std::move(engine)) {
        for (const std::string& name :
             {engine_, generation.at("engine").text(), std::string("trtllm"), std::string("vllm")})
            if (std::ranges::find(engines_, name) == engines_.end()) engines_.push_back(name);
    }

    Names generations(const char* part) const { return names_in(generation_.at(part)); }
    const Names& engines() const { return engines_; }
    const std::string& engine() const { return engine_; }

    /// The value of `part` in the file of that generation and engine; null without one.
    const yaml::Node* part(const std::string& generation, const std::string& engine, const char* part) {
        const std::string name = generation + "-" + engine;
        auto found = files_.find(name);
        if (found == files_.end()) {
            found = files_.emplace(name, shipped(name)).first;
            if (found->second)
                found->second->expect_keys(
                    {"version", "narrowing", "prefill", "decode", "latent", "experts", "all_reduce"});
        }
        return found->second ? found->second->find(part) : nullptr;
    }

    /// The first of `keys` in `part`, engine by engine, generation by generation.
    const yaml::Node* first(const char* part_name, const Names& keys) {
        for (const std::string& engine : engines_)
            for (const std::string& generation : generations("attention")) {
                const yaml::Node* all = part(generation, engine, part_name);
                for (const std::string& key : keys)
                    if (const yaml::Node* one = all == nullptr ? nullptr : all->find(key)) return one;
            }
        return nullptr;
    }

   private:
    yaml::Node generation_;
    std::string engine_;
    Names engines_;
    std::map<std::string, std::optional<yaml::Node>> files_;
};

template <class Values>
Values values_of(const yaml::Node* node) {
    Values values;
    if (node != nullptr) read_fields(*node, values);
    return values;
}

Precision precision_of(const yaml::Node& node) {
    const std::optional<Precision> known = precision_named(node.text());
    if (!known) node.fail(ErrorCode::bad_value, "no precision of kernels is called '" + node.text() + "'");
    return *known;
}

void read_attention(Files& files, Form& form) {
    const Names caches{"one_byte", "two_bytes"};
    for (std::size_t cache = 0; cache < caches.size(); ++cache) {
        // An engine without kernels for a narrow cache: those for a wide one.
        const Names keys = cache == 0 ? caches : Names{caches[1]};
        form.prefill[cache] = values_of<PrefillForm>(files.first("prefill", keys));
        form.latent[cache] = values_of<LatentForm>(files.first("latent", keys));
        for (const std::size_t grouped : {0, 1}) {
            Names with_groups;
            for (const std::string& key : keys) {
                with_groups.push_back(key + (grouped == 0 ? "_single" : "_grouped"));
                with_groups.push_back(key);
            }
            form.decode[cache][grouped] = values_of<DecodeForm>(files.first("decode", with_groups));
        }
    }
}

void read_narrowing(Files& files, Form& form) {
    for (const std::string& generation : files.generations("narrowing")) {
        const yaml::Node* all = files.part(generation, files.engine(), "narrowing");
        if (all == nullptr) continue;
        for (const yaml::Node::Entry& one : all->entries())
            form.narrowing.emplace(precision_of(one.key_node), values_of<Narrowing>(&one.value));
    }
}

NamedExperts read_experts_entry(const yaml::Node& node) {
    NamedExperts one{node.at("kernel").text(), precision_of(node.at("precision")), {}};
    read_fields(node, one.form, {"kernel", "precision", "usual"});
    return one;
}

// The kernel that a file calls usual for the precision, else its first with a gate.
const yaml::Node* usual_in(const yaml::Node& experts, const std::string& precision) {
    for (const yaml::Node& one : experts.items())
        if (const yaml::Node* usual = one.find("usual"))
            if (std::ranges::count(names_in(*usual), precision) > 0) return &one;
    for (const yaml::Node& one : experts.items())
        if (one.at("precision").text() == precision && !one.has("is_plain")) return &one;
    return nullptr;
}

const yaml::Node* usual_experts(Files& files, Precision precision) {
    Names precisions{name_of(precision)};
    if (precision == Precision::fp8_block) precisions.push_back(name_of(Precision::fp8));
    if (precision != Precision::bfloat16) precisions.push_back(name_of(Precision::bfloat16));
    Names engines{files.engine(), "trtllm", "vllm"};
    for (const std::string& generation : files.generations("experts"))
        for (const std::string& engine : engines)
            for (const std::string& name : precisions)
                if (const yaml::Node* all = files.part(generation, engine, "experts"))
                    if (const yaml::Node* one = usual_in(*all, name)) return one;
    return nullptr;
}

void read_experts(Files& files, Form& form) {
    if (const yaml::Node* own = files.part(form.generation, form.engine, "experts"))
        for (const yaml::Node& one : own->items()) form.experts.push_back(read_experts_entry(one));
    for (const Precision precision : {Precision::bfloat16, Precision::fp8, Precision::fp8_block, Precision::nvfp4,
                                      Precision::int4_weights, Precision::mxfp4_weights, Precision::mxfp4_mxfp8})
        if (const yaml::Node* one = usual_experts(files, precision))
            form.usual_experts.emplace(precision, read_experts_entry(*one).form);
}

void read_collectives(Files& files, const yaml::Node& engines, const yaml::Node& generation, Form& form) {
    form.collective.latency_factor = above_zero(generation.at("collective_latency"));
    for (const yaml::Node& one : engines.at("protocols").items())
        form.collective.protocols.push_back(values_of<Protocol>(&one));
    form.collective.own = values_of<OwnReduce>(files.part(form.generation, form.engine, "all_reduce"));
}

Names keys_of(const yaml::Node& map) {
    Names names;
    for (const yaml::Node::Entry& one : map.entries()) names.push_back(one.key);
    return names;
}

}  // namespace

std::vector<std::string> engine_names() { return {"vllm", "trtllm", "sglang"}; }

yaml::Node generation_file(const std::string& generation, const yaml::Node& place) {
    const yaml::Node generations = shipped("engines")->at("generations");
    if (!generations.has(generation))
        place.fail(ErrorCode::bad_value, "no generation of kernels is called '" + generation + "'" +
                                             did_you_mean(generation, keys_of(generations)) +
                                             "; known: " + list_words(keys_of(generations)));
    yaml::Node file = *shipped(generation);
    file.expect_keys({"version", "generation", "usual", "usual_power", "product", "collective_latency"});
    return file;
}

Form form_named(const std::string& generation, const std::string& engine, const yaml::Node& place) {
    const yaml::Node file = generation_file(generation, place);
    const yaml::Node engines = *shipped("engines");
    if (std::ranges::count(engine_names(), engine) == 0)
        place.fail(ErrorCode::bad_value, "no engine is called '" + engine + "'" + did_you_mean(engine, engine_names()) +
                                             "; known: " + list_words(engine_names()));
    Files files(engines.at("generations").at(generation), engine);
    Form form;
    form.generation = generation;
    form.engine = engine;
    form.product = values_of<ProductForm>(&file.at("product"));
    read_narrowing(files, form);
    read_attention(files, form);
    read_experts(files, form);
    read_collectives(files, engines, file, form);
    return form;
}

}  // namespace silicon
}  // namespace tilewright
