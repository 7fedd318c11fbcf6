"""The picture of README: power-on to kubelet's start, NodeReady and first pod, as bars. ./dev bench node power-on --picture FILE writes it.

Works in a light and in a dark page: the colours of text follow the reader's theme.
"""

import statistics
from xml.sax.saxutils import escape

LABELS = {
    "write-files": "cloud-init, write_files",
    "boothook": "cloud-init, Sunup's boothook",
    "bootstrap": "Sunup without cloud-init",
    "limit": "limit: nothing to provision",
}
PARTS = (("kubelet", "until kubelet starts", "#8a94a6"), ("ready", "until NodeReady", "#2f7de1"), ("pod", "until the first pod runs", "#9cc4f5"))
WIDTH, LEFT, BAR, GAP, TOP = 760, 200, 26, 14, 40


def power_on(results: dict[str, list[dict]], versions: dict[str, str]) -> str:
    """An SVG of the medians. Contestants that were not measured are left out."""
    medians = {name: {key: statistics.median(r[key] for r in results[name]) for key, _, _ in PARTS} for name in LABELS if results.get(name)}
    boots = min(len(results[name]) for name in medians)
    longest = max(m["pod"] for m in medians.values())
    scale = (WIDTH - LEFT - 60) / longest
    height = TOP + len(medians) * (BAR + GAP) + 30
    told = "; ".join(f"{LABELS[name]}: " + ", ".join(f"{label} {m[key]:.2f} s" for key, label, _ in PARTS) for name, m in medians.items())
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13" role="img" aria-label="{escape(told)}">',
             "<style>text{fill:#1f2328}.in{fill:#fff}@media(prefers-color-scheme:dark){text{fill:#e6edf3}}</style>"]
    at = LEFT
    for _, label, colour in PARTS:
        lines.append(f'<rect x="{at}" y="10" width="12" height="12" fill="{colour}"/><text x="{at + 17}" y="21">{label}</text>')
        at += 165
    for row, (name, m) in enumerate(medians.items()):
        y, begin = TOP + row * (BAR + GAP), 0.0
        lines.append(f'<text x="{LEFT - 8}" y="{y + 18}" text-anchor="end">{escape(LABELS[name])}</text>')
        for key, _, colour in PARTS:
            lines.append(f'<rect x="{LEFT + begin * scale:.1f}" y="{y}" width="{(m[key] - begin) * scale:.1f}" height="{BAR}" fill="{colour}"/>')
            begin = m[key]
        lines.append(f'<text x="{LEFT + m["ready"] * scale - 5:.1f}" y="{y + 18}" text-anchor="end" class="in">{m["ready"]:.2f} s</text>')
        lines.append(f'<text x="{LEFT + m["pod"] * scale + 6:.1f}" y="{y + 18}">{m["pod"]:.2f} s</text>')
    parts = ", ".join(f"{part} {versions[part]}" for part in ("systemd", "cloud-init", "containerd", "kubelet") if part in versions)
    lines.append(f'<text x="{LEFT}" y="{height - 8}" font-size="11">seconds since power-on, medians of {boots} first boots; {escape(parts)}</text>')
    return "\n".join([*lines, "</svg>"]) + "\n"
