// Any bytes as a certificate of a fused mapping: findings or an InputError, nothing else. Large cascades are only read.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "certificate/fused/claim.hpp"
#include "libfyaml_leaks.hpp"
#include "native/certificates/fused_certificate.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tilewright;
    constexpr std::int64_t kLargest = 4096;
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const native::FusedCertificateFile file = native::read_fused_certificate(yaml::parse_text(text, "fuzz.json"));
        const certificate::fused_proof::Claim& claim = file.certificate.claim;
        if (claim.machine.compute.instances > kLargest) return 0;
        for (const CascadeEinsum& one : claim.cascade.einsums)
            if (operation_count(one.einsum) > kLargest) return 0;
        certificate::fused_proof::check(claim, [] { return true; });
    } catch (const InputError&) {
    } catch (const OverflowError&) {
    }
    return 0;
}
