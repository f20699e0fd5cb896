"""Scatter plots as SVG: measured against predicted, both axes logarithmic, the diagonal and 20 % to either side of it."""

import math

WIDTH, LEFT, TOP, BOTTOM = 420, 62, 34, 48
COLOURS = ["#1f5fa8", "#c8501e", "#3a8a3a", "#7d4fa0", "#8a6d1a", "#2a8f95", "#b03060", "#606060"]


def scatter(title, axis, groups, most=600):
    """`groups`: by name, pairs of measured and predicted; of more than `most` pairs every n-th is drawn."""
    values = [value for pairs in groups.values() for pair in pairs for value in pair if value > 0]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    side = WIDTH - LEFT - 16

    def place(value):
        return (math.log10(value) - low) / (high - low) * side

    def point(x, y):
        return f"{LEFT + place(x):.1f},{TOP + side - place(y):.1f}"

    height = TOP + side + BOTTOM + 15 * ((len(groups) + 2) // 3)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
             'font-family="sans-serif" font-size="11">', f"<title>{title}</title>",
             f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
             f'<text x="{LEFT}" y="20" font-size="13" font-weight="bold">{title}</text>']
    for power in range(low, high + 1):
        at = place(10 ** power)
        x, y = LEFT + at, TOP + side - at
        parts.append(f'<path d="M{x:.1f} {TOP}V{TOP + side}M{LEFT} {y:.1f}H{LEFT + side}" stroke="#dddddd" fill="none"/>')
        parts.append(f'<text x="{x:.1f}" y="{TOP + side + 14}" text-anchor="middle">1e{power}</text>'
                     f'<text x="{LEFT - 5}" y="{y + 4:.1f}" text-anchor="end">1e{power}</text>')
    parts.append('<clipPath id="inside"><rect x="%d" y="%d" width="%d" height="%d"/></clipPath>' % (LEFT, TOP, side, side))
    for factor, dash in ((1.0, ""), (1.2, ' stroke-dasharray="4 3"'), (0.8, ' stroke-dasharray="4 3"')):
        ends = [10 ** low, 10 ** high]
        parts.append(f'<polyline clip-path="url(#inside)" fill="none" stroke="#888888"{dash} points="'
                     f'{" ".join(point(end, end * factor) for end in ends)}"/>')
    for colour, pairs in zip(COLOURS, groups.values()):
        step = max(1, math.ceil(len(pairs) / most))
        marks = "".join(f'<circle cx="{x}" cy="{y}" r="2"/>' for pair in pairs[::step] for x, y in [point(*pair).split(",")])
        parts.append(f'<g fill="{colour}" fill-opacity="0.6">{marks}</g>')
    for index, (name, colour) in enumerate(zip(groups, COLOURS)):
        x, y = LEFT + (index % 3) * side / 3, TOP + side + BOTTOM + 15 * (index // 3)
        parts.append(f'<circle cx="{x + 4:.1f}" cy="{y - 4}" r="3" fill="{colour}"/><text x="{x + 12:.1f}" y="{y}">{name}</text>')
    parts.append(f'<text x="{LEFT + side / 2:.0f}" y="{TOP + side + 30}" text-anchor="middle">measured ({axis})</text>')
    parts.append(f'<text transform="translate(14 {TOP + side / 2:.0f}) rotate(-90)" text-anchor="middle">predicted ({axis})</text>')
    return "\n".join(parts) + "\n</svg>\n"
