// Any bytes as what a Timeloop file says about sparse tensors, or as a list of densities: a design or an InputError,
// nothing else.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "base/notes.hpp"
#include "base/numbers/checked.hpp"
#include "libfyaml_leaks.hpp"
#include "native/densities/density_file.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/machine/architecture.hpp"
#include "timeloop/machine/read_over.hpp"
#include "timeloop/sparse/matrix_file.hpp"
#include "timeloop/sparse/read_sparse.hpp"

namespace {

tilewright::Einsum matrix_product() {
    using tilewright::Rank;
    return {"product",
            {{"M", 8}, {"N", 8}, {"K", 8}},
            {{"A", {Rank{{{0, 1}}}, Rank{{{2, 1}}}}, false},
             {"B", {Rank{{{1, 1}}}, Rank{{{2, 1}}}}, false},
             {"Z", {Rank{{{0, 1}}}, Rank{{{1, 1}}}}, true}}};
}

void read_design(const std::string& text) {
    tilewright::Notes notes;
    const tilewright::yaml::Node root = tilewright::timeloop::load_text(text, "fuzz.yaml");
    const tilewright::Architecture machine = tilewright::timeloop::read_architecture(
        tilewright::timeloop::read_over(root, {.strict = true, .dense = true, .quiet = true}, notes));
    (void)tilewright::timeloop::is_sparse(root);
    (void)tilewright::timeloop::read_sparse(root, matrix_product(), machine);
}

template <typename Read>
void attempt(const Read& read) {
    try {
        read();
    } catch (const tilewright::InputError&) {
    } catch (const tilewright::OverflowError&) {
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    if (text.starts_with("%%"))
        attempt([&] { (void)tilewright::timeloop::read_matrix_market(text, "fuzz.mtx"); });
    else if (text.starts_with("\x93"))
        attempt([&] { (void)tilewright::timeloop::read_npy(text, "fuzz.npy"); });
    else if (text.starts_with("layer"))
        attempt([&] { (void)tilewright::native::read_density_csv(text, "fuzz.csv"); });
    else if (text.starts_with("densities"))
        attempt([&] { (void)tilewright::native::read_density_yaml(text, "fuzz.yaml"); });
    else
        attempt([&] { read_design(text); });
    return 0;
}
