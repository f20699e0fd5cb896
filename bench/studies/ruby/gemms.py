"""The matrix products of DeepBench's inference lists (server and device, each shape once): outputs, batch, inputs. As a layer:
K outputs of C inputs for N samples. Sizes are facts of the suite, https://github.com/baidu-research/DeepBench."""

# Batches, by (outputs, inputs).
SHAPES = {
    (5124, 2048): [700, 1500], (35, 2048): [700, 1500], (5124, 2560): [700, 1500], (35, 2560): [700, 1500],
    (7680, 2560): [1, 2, 4, 1500, 3000, 6000], (3072, 1024): [1, 2, 4, 1500, 3000, 6000],
    (512, 500000): [1, 2, 4], (1024, 500000): [1, 2, 4], (1024, 512): [1, 700], (512, 512): [1, 2, 4],
    (6144, 2048): [1, 2, 4, 1500, 3000, 6000], (4608, 1536): [1, 2, 4, 1500, 3000, 6000],
    (8448, 2816): [1, 2, 4, 1500, 3000, 6000],
    (512, 2816): [1500, 3000, 6000], (512, 2048): [1500, 3000, 6000], (512, 2560): [1500, 3000, 6000], (512, 1536): [1500, 3000, 6000],
    (1024, 2816): [1500, 3000, 6000], (1024, 2048): [1500, 3000, 6000], (1024, 2560): [1500, 3000, 6000],
    (1024, 1536): [1500, 3000, 6000],
    # devices
    (64, 1216): [1], (128, 1280): [1500], (3072, 128): [1, 1500], (128, 1024): [1], (176, 1408): [1500], (4224, 176): [1500],
    (128, 1408): [1], (4224, 128): [1],
}


def gemms():
    """By name m_n_k: the extents of the layer."""
    return {f"{outputs}_{batch}_{inputs}": f"N={batch},K={outputs},C={inputs},P=1,Q=1,R=1,S=1"
            for (outputs, inputs), batches in SHAPES.items() for batch in batches}
