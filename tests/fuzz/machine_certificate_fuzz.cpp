// Any bytes as a certificate of a best machine: findings or an InputError, nothing else. Large layers are only read.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "certificate/codesign/check_tree.hpp"
#include "libfyaml_leaks.hpp"
#include "native/certificates/machine_certificate.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tilewright;
    constexpr std::int64_t kLargest = 4096;
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const native::MachineCertificateFile file =
            native::read_machine_certificate(yaml::parse_text(text, "fuzz.json"));
        for (const certificate::MachineForm& form : file.certificate.space.forms) {
            if (form.base.compute.instances > kLargest) return 0;
            for (const auto& layer : form.layers)
                if (operation_count(layer.einsum) > kLargest) return 0;
        }
        certificate::check(file.certificate, [] { return true; });
    } catch (const InputError&) {
    } catch (const OverflowError&) {
    }
    return 0;
}
