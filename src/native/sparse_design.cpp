#include "native/sparse_design.hpp"

#include "base/numbers/hash.hpp"
#include "native/problem_json.hpp"

namespace tilewright::sparse {

// Found by the archives in the namespace of the values.
template <yaml::Of<RankFormat> F>
yaml::Choice<F> choice_of(F& format) {
    return {format,
            {{RankFormat::uop, "uop"},
             {RankFormat::cp, "cp"},
             {RankFormat::rle, "rle"},
             {RankFormat::b, "b"},
             {RankFormat::ub, "ub"}}};
}

template <typename Archive, yaml::Of<FormatRank> R>
void fields(Archive& archive, R& rank) {
    archive("format", choice_of(rank.format));
    archive("metadata_bits", rank.metadata_bits);
    archive("payload_bits", rank.payload_bits);
    archive("flattened", rank.flattened);
}

template <typename Archive, yaml::Of<TensorFormat> F>
void fields(Archive& archive, F& format) {
    archive("ranks", format.ranks);
    archive("inner_to_outer", format.inner_to_outer);
}

template <typename Archive, yaml::Of<Option> O>
void fields(Archive& archive, O& option) {
    archive("target", option.target);
    archive("conditions", option.conditions);
}

template <typename Archive, yaml::Of<AccessEnergies> E>
void fields(Archive& archive, E& energies) {
    archive("read_pj", energies.read_pj);
    archive("fill_pj", energies.fill_pj);
    archive("update_pj", energies.update_pj);
}

template <typename Archive, yaml::Of<MemoryDesign> M>
void fields(Archive& archive, M& memory) {
    archive("formats", memory.formats);
    archive("gating", memory.gating);
    archive("skipping", memory.skipping);
    archive("spatial_skipping", memory.spatial_skipping);
    archive("metadata_word_bits", memory.metadata_word_bits);
    archive("metadata_width_bits", memory.metadata_width_bits);
    archive("metadata_depth", memory.metadata_depth);
    archive("decompresses", memory.decompresses);
    archive("compresses", memory.compresses);
    archive("gated", memory.gated);
    archive("skipped", memory.skipped);
    archive("metadata", memory.metadata);
    archive("gated_metadata", memory.gated_metadata);
    archive("skipped_metadata", memory.skipped_metadata);
    archive("decompression_pj", memory.decompression_pj);
    archive("compression_pj", memory.compression_pj);
}

template <typename Archive, yaml::Of<Design> D>
void fields(Archive& archive, D& design) {
    archive("memories", design.memories);
    archive("gates_computes", design.gates_computes);
    archive("skips_computes", design.skips_computes);
    archive("gated_compute_pj", design.gated_compute_pj);
    archive("skipped_compute_pj", design.skipped_compute_pj);
}

}  // namespace tilewright::sparse

namespace tilewright::native {
namespace {

std::string hash_of_places(const sparse::Measured& measured) {
    Hasher hasher;
    for (const std::int64_t place : *measured.places) hasher.add(std::to_string(place) + " ");
    return hasher.digest();
}

struct DensityJson {
    Json operator()(const sparse::FixedStructured& fixed) const {
        return {{"model", "fixed_structured"}, {"density", fixed.density}};
    }
    Json operator()(const sparse::UniformRandom& random) const {
        return {{"model", "hypergeometric"}, {"density", random.density}};
    }
    Json operator()(const sparse::Banded& band) const { return {{"model", "banded"}, {"half_width", band.half_width}}; }
    Json operator()(const sparse::Pattern& pattern) const {
        return {{"model", "n:m"}, {"kept", pattern.kept}, {"of", pattern.of}, {"rank", pattern.rank}};
    }
    Json operator()(const sparse::Measured& measured) const {
        return {
            {"model", "measured"}, {"extents", Writer::write(measured.extents)}, {"hash", hash_of_places(measured)}};
    }
};

}  // namespace

std::string to_text(const sparse::Design& design) {
    Json json;
    json["densities"] = Json::array();
    for (const sparse::Density& density : design.densities)
        json["densities"].push_back(std::visit(DensityJson{}, density));
    json.update(Writer::write(design));
    return text_of(json);
}

}  // namespace tilewright::native
