"""The layers of the four networks that DOSA optimises, as its repository lists them (ucb-bar/dosa a7a3239, dataset/workloads):
R_S_P_Q_C_K_stride, with how often each runs where that is more than once."""

NETWORKS = {
    "unet": "3_3_570_570_1_64_1 3_3_568_568_64_64_1 3_3_282_282_64_128_1 3_3_280_280_128_128_1 3_3_138_138_128_256_1 "
            "3_3_136_136_256_256_1 3_3_66_66_256_512_1 3_3_64_64_512_512_1 3_3_30_30_512_1024_1 3_3_28_28_1024_1024_1 "
            "2_2_56_56_1024_512_1 3_3_54_54_1024_512_1 3_3_52_52_512_512_1 2_2_104_104_512_256_1 3_3_102_102_512_256_1 "
            "3_3_100_100_256_256_1 2_2_200_200_256_128_1 3_3_198_198_256_128_1 3_3_196_196_128_128_1 2_2_392_392_128_64_1 "
            "3_3_390_390_128_64_1 3_3_388_388_64_64_1 1_1_388_388_64_2_1",
    "resnet50": "7_7_112_112_3_64_2 1_1_56_56_64_64_1 3_3_56_56_64_64_1*3 1_1_56_56_64_256_1*4 1_1_56_56_256_64_1*2 "
                "1_1_56_56_256_128_1 3_3_28_28_128_128_2 1_1_28_28_128_512_1*4 1_1_28_28_256_512_2 1_1_28_28_512_128_1*3 "
                "3_3_28_28_128_128_1*3 1_1_28_28_512_256_1 3_3_14_14_256_256_2 1_1_14_14_256_1024_1*6 1_1_14_14_512_1024_2 "
                "1_1_14_14_1024_256_1*5 3_3_14_14_256_256_1*5 1_1_14_14_1024_512_1 3_3_7_7_512_512_2 1_1_7_7_512_2048_1*3 "
                "1_1_7_7_1024_2048_2 1_1_7_7_2048_512_1*2 3_3_7_7_512_512_1*2 1_1_1_1_2048_1000_1",
    "bert": "1_1_128_1_768_768_1*2 1_1_128_1_64_128_1 1_1_128_1_128_64_1 1_1_128_1_768_3072_1 1_1_128_1_3072_768_1",
    "retinanet": "1_1_28_28_512_256_1 3_3_28_28_256_256_1*2 3_3_28_28_256_720_1 3_3_28_28_256_36_1 1_1_14_14_1024_256_1 "
                 "3_3_14_14_256_256_1*2 3_3_14_14_256_720_1 3_3_14_14_256_36_1 1_1_7_7_2048_256_1 3_3_7_7_256_256_1*2 "
                 "3_3_7_7_256_720_1 3_3_7_7_256_36_1 3_3_4_4_2048_256_2 1_1_4_4_256_256_1 3_3_4_4_256_256_1*2 3_3_4_4_256_720_1 "
                 "3_3_4_4_256_36_1 3_3_2_2_256_256_2 1_1_2_2_256_256_1 3_3_2_2_256_256_1*2 3_3_2_2_256_720_1 3_3_2_2_256_36_1",
}


def layer(text):
    """Extents by dimension, the stride, and how often it runs."""
    label, _, count = text.partition("*")
    r, s, p, q, c, k, stride = map(int, label.split("_"))
    return {"N": 1, "K": k, "C": c, "P": p, "Q": q, "R": r, "S": s}, stride, int(count or 1)


def operations(name):
    """Multiply-accumulates of a network."""
    total = 0
    for text in NETWORKS[name].split():
        extents, _, count = layer(text)
        product = count
        for extent in extents.values():
            product *= extent
        total += product
    return total


def network_file(name):
    """The network in Tilewright's own notation."""
    lines = ["network:", "  version: 1", f"  name: {name}", "  layers:"]
    for text in NETWORKS[name].split():
        extents, stride, count = layer(text)
        step = "" if stride == 1 else f"{stride}*"
        sizes = ", ".join(f"{dimension}: {extent}" for dimension, extent in extents.items())
        lines += [f"  - name: l_{text.partition('*')[0]}", f"    repeats: {count}", "    op: Conv",
                  f"    einsum: \"Outputs[N,K,P,Q] += Weights[K,C,R,S] * Inputs[N,C,{step}P+R,{step}Q+S]\"", f"    extents: {{{sizes}}}"]
    return "\n".join(lines) + "\n"
