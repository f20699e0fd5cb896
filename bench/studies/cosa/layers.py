"""The layers of the CoSA paper, as its figures name them: R_P_C_K_stride, with S = R and Q = P unless "/Q" says otherwise.
The grouped convolutions of ResNeXt are dense ones with the channels of a group, as in the released software."""

NETWORKS = {
    "AlexNet": "11_55_3_64_4 5_27_64_192_1 3_13_192_384_1 3_13_384_256_1 3_13_256_256_1 1_1_9216_4096_1 1_1_4096_4096_1 1_1_4096_1000_1",
    "ResNet-50": "7_112_3_64_2 1_56_64_64_1 3_56_64_64_1 1_56_64_256_1 1_56_256_64_1 1_56_256_128_1 3_28_128_128_2 1_28_128_512_1 "
                 "1_28_256_512_2 1_28_512_128_1 3_28_128_128_1 1_28_512_256_1 3_14_256_256_2 1_14_256_1024_1 1_14_512_1024_2 "
                 "1_14_1024_256_1 3_14_256_256_1 1_14_1024_512_1 3_7_512_512_2 1_7_512_2048_1 1_7_1024_2048_2 1_7_2048_512_1 "
                 "3_7_512_512_1 1_1_2048_1000_1",
    "ResNeXt-50": "7_112_3_64_2 1_56_64_128_1 3_56_4_128_1 1_56_128_256_1 1_56_64_256_1 1_56_256_128_1 1_56_256_256_1 3_28_8_256_2 "
                  "1_28_256_512_1 1_28_256_512_2 1_28_512_256_1 3_28_8_256_1 1_28_512_512_1 3_14_16_512_2 1_14_512_1024_1 "
                  "1_14_512_1024_2 1_14_1024_512_1 3_14_16_512_1 1_14_1024_1024_1 3_7_32_1024_2 1_7_1024_2048_1 1_7_1024_2048_2 "
                  "1_7_2048_1024_1 3_7_32_1024_1 1_1_2048_1000_1",
    "DeepBench": "3_480_1_16_1/48 3_240_16_32_1/24 3_120_32_64_1/12 3_60_64_128_1/6 3_108_3_64_2 3_54_64_64_1 3_27_128_128_1 "
                 "3_14_128_256_1 3_7_256_512_1",
}


def distinct():
    """All layers, each once."""
    return list(dict.fromkeys(label for labels in NETWORKS.values() for label in labels.split()))


def sample():
    """Every fourth of them, for what takes long."""
    return distinct()[::4]


def extents(label):
    """By dimension, and the stride."""
    shape, _, height = label.partition("/")
    r, p, c, k, stride = map(int, shape.split("_"))
    return {"N": 1, "K": k, "C": c, "P": p, "Q": int(height or p), "R": r, "S": r}, stride


def einsum(label):
    _, stride = extents(label)
    step = "" if stride == 1 else str(stride)
    return f"Outputs[N,K,P,Q] += Weights[K,C,R,S] * Inputs[N,C,{step}P+R,{step}Q+S]"


def arguments(label):
    """What tells tilewright of the layer."""
    sizes, _ = extents(label)
    return ["--einsum", einsum(label), "--extents", ",".join(f"{name}={size}" for name, size in sizes.items())]


def draw_arguments(label):
    """What tells draw_mappings of it."""
    sizes, _ = extents(label)
    return ["--einsum", einsum(label), *(word for name, size in sizes.items() for word in ("--extent", f"{name}={size}"))]
