// What the user may say of files, a machine and a network, and how large a file may be.

#include <algorithm>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "inputs/inputs.hpp"

namespace tilewright::cli {

void InputOptions::declare_files(Options& options) {
    options.group("Files");
    declare_largest_input(options, largest_input_mib);
    options.take_words("FILES", "YAML files that are merged (architecture, problem, mapping, ...); *.onnx; *.m",
                       &files);
    options.value("jinja", 0, "NAME=VALUE", "a variable of the files' Jinja templates", &jinja);
    options.flag("dense", 0, "read over everything about sparse tensors, with a note", &dense);
    options.flag("strict", 0, "unused attributes and keys are errors, not notes", &strict);
}

void InputOptions::declare_machine(Options& options) {
    options.group("Machine");
    options.value("arch", 'a', "NAME", "the machine: a zoo name or a YAML file", &arch).completes = "arch";
    options.value("core", 0, "CORE", "of a machine of several cores (Stream) the one to map to: its number or name",
                  &core);
    options.value("estimator", 0, "WHICH", "estimates absent energies", &estimator).choices = {"tables", "pat"};
    options
        .value(
            "unnamed", 0, "WHAT",
            "constraints on dimensions or tensors that a layer does not have: void with a note, or a mistake; without "
            "it they hold by role, what has none is void in the zoo's machines and a mistake in files",
            &unnamed)
        .choices = {"ignore", "error"};
}

void InputOptions::declare_arch(Options& options) {
    declare_machine(options);
    options.group("Machine");
    options.value("set", 0, "NAME=VALUE", "change an attribute of the machine: buffer.depth=4096, PE.meshX=8", &set);
}

void InputOptions::declare_net(Options& options) {
    options.group("Network");
    options.value("net", 'n', "NAME", "the network: a zoo name, an ONNX file or a problem file", &nets).completes =
        "net";
    options.value("einsum", 'e', "TEXT", "one layer: \"O[m,n] += A[m,k] * B[k,n]\"; several with \";\" between them",
                  &einsum);
    options.value("extents", 0, "LIST", "extents of the einsum's dimensions: m=64,n=64,k=256", &extents);
    options.value("dim", 0, "NAME=N",
                  "extent of a symbolic ONNX dimension (batch_size=1), or of a zoo network: batch, sequence, context",
                  &dims);
    options
        .value("phase", 0, "WHICH", "of a language model of the zoo: a prompt at once (the default), or one token more",
               &phase)
        .choices = {"prefill", "decode"};
    options.only_with({"extents"}, {"einsum"}, "--extents needs --einsum");
    options.flag("cascade", 0, "an ONNX file, or bert-base, with every computing operator, not its contractions alone",
                 &cascade);
    options.value("rename", 0, "OLD=NEW", "call a dimension or tensor of the layers as the machine's constraints do",
                  &rename);
    options.value("bits", 0, "LIST",
                  "bits of the words of tensors: Weights=4,Outputs=32, or of some layers: 'conv2*:Inputs=8'; "
                  "Outputs=8/32: final ones and partial sums; Weights=4/32:8: 8 bits of scale for every 32 (0, and if "
                  "neither the option nor the network says: as "
                  "many as the words of each memory have)",
                  &bits);
    options.value(
        "density", 0, "LIST",
        "elements other than zero, on sparse machines: a share (Weights=0.3), N:M "
        "(Weights=2:4, along C: 2:4:C), a model (hypergeometric:0.3, banded:2, measured:w.npy), of some layers "
        "('conv2*:Inputs=0.5'), as a list says (densities.csv, .yaml: layer, tensor, density), or as the weights of "
        "the ONNX model have zeros (onnx); the last word about a tensor counts",
        &density);
    options.value("layers", 0, "LIST", "only these layers (names or patterns such as 'conv2*')", &layers);
}

void InputOptions::declare(Options& options) {
    declare_files(options);
    declare_arch(options);
    declare_net(options);
    declare_mapping(options);
}

void InputOptions::declare_mapping(Options& options) {
    options.group("Files");
    options.flag("restore-remainders", 0,
                 "mapping files from Timeloop's mapper drop the remainders of imperfect factors: put them back",
                 &restore_remainders);
}

void InputOptions::declare_expressible(Options& options) {
    options.group("Search");
    options
        .value("expressible", 0, "WHERE",
               "only mappings that another tool can say, too: timeloop's have no dimension along both axes of a "
               "fan-out (convert --to timeloop writes them)",
               &expressible)
        .choices = {"timeloop"};
}

std::uintmax_t most_input_bytes(std::optional<std::int64_t> mib, const std::string& file) {
    constexpr std::uintmax_t kMib = std::uintmax_t{1} << 20U;
    if (!mib) return file.ends_with(".onnx") ? 2048 * kMib : kMostFileBytes;
    return static_cast<std::uintmax_t>(std::min(*mib, std::int64_t{1} << 40U)) * kMib;
}

void check_input_size(std::optional<std::int64_t> mib, const std::string& file) {
    refuse_oversize(file, most_input_bytes(mib, file), "; --largest-input MIB reads more");
}

void declare_largest_input(Options& options, std::optional<std::int64_t>& mib) {
    options.value("largest-input", 0, "MIB", "files beyond are not read (default 64; ONNX files 2048)", &mib);
}

}  // namespace tilewright::cli
