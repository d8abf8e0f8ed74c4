// Charts by the rules of discreet/report/charts.py and line_chart.py: across in percent, down in pixels, so that a chart
// fits any width while its letters keep their size; colours are classes, the same as on the report.
import { html } from "./html.js";
import { number, percent, short } from "./words.js";

const TOP = 10;
const HEIGHT = 240;
const BELOW = 44;
const LEFT = 9;
const RIGHT = 98;

const across = (share) => `${(100 * Math.min(Math.max(share, 0), 1)).toFixed(2)}%`;

export function Bar({ share, kind = "after" }) {
  return html`<svg class="bar" width="100%" height="12" aria-hidden="true">
    <rect class="track" width="100%" height="12" /><rect class=${kind} width=${across(share ?? 0)} height="12" /></svg>`;
}

export function Pair({ before, after, largest }) {
  const of = largest || 1;
  return html`<svg class="bar" width="100%" height="16" aria-hidden="true">
    <rect class="before" width=${across(before / of)} height="7" rx="2" />
    <rect class="after" y="9" width=${across(after / of)} height="7" rx="2" /></svg>`;
}

export function Ladder({ level, height }) {
  const gap = 14;
  const r = 4;
  const width = gap * height + 2 * r + 2;
  const dots = Array.from({ length: height + 1 }, (_, n) => n);
  return html`<svg class="ladder" width=${width} height="14" role="img" aria-label=${`level ${level} of ${height}`}>
    <line x1=${r + 1} x2=${width - r - 1} y1="7" y2="7" />
    ${dots.map((n) => html`<circle class=${n === level ? "chosen" : n < level ? "passed" : "unused"} cx=${r + 1 + gap * n} cy="7" r=${n === level ? r : r - 1} />`)}
  </svg>`;
}

// Shares of rows by the size of their group, 100% high like those of the report; the asked k as a line that no bar may cross.
export function SizeHistogram({ bins, k, unit = "rows" }) {
  const total = Math.max(bins.reduce((sum, bin) => sum + bin.rows, 0), 1);
  const room = k && bins.length && bins[0].low >= k ? 1 : 0;
  const slots = Math.max(bins.length + room, 3);
  const top = 44;
  const base = top + 160;
  const edges = bins.map((bin, i) => [i + room, bin.low]);
  if (bins.length) edges.push([bins.length + room, bins.at(-1).high + 1]);
  if (k && room && bins[0].low > k) edges.unshift([0.5, k]);
  const mark = edges.find(([, edge]) => edge === k);
  const range = (bin) => (bin.low === bin.high ? number(bin.low) : `${number(bin.low)} to ${number(bin.high)}`);
  const told = bins.map((bin) => `${range(bin)} ${unit}: ${percent(bin.rows / total)}`).join("; ");
  return html`<svg class="histogram" width="100%" height=${base + 40} role="img" aria-label=${`Share of published rows by size of their group. ${told}`}>
    ${[0.25, 0.5, 0.75, 1].map((step) => html`<g><line class="grid" x1="0" x2="100%" y1=${base - (base - top) * step} y2=${base - (base - top) * step} />
      <text class="tick" x="-6" y=${base - (base - top) * step + 4} text-anchor="end">${100 * step}%</text></g>`)}
    ${bins.map((bin, i) => {
      const share = bin.rows / total;
      const h = share ? Math.max((base - top) * share, 1.5) : 0;
      return html`<g><title>${`groups of ${range(bin)} ${unit}: ${number(bin.groups)}, with ${number(bin.rows)} rows (${percent(share)})`}</title>
        <rect class="after" x=${across((i + room + 0.06) / slots)} y=${base - h} width=${across(0.88 / slots)} height=${h} rx="2" />
        <text class="value" x=${across((i + room + 0.5) / slots)} y=${base - h - 6} text-anchor="middle">${share ? percent(share) : ""}</text></g>`;
    })}
    <line class="axis" x1="0" x2="100%" y1=${base} y2=${base} />
    ${edges.map(([at, edge]) => html`<text class="tick" x=${across(at / slots)} y=${base + 17} text-anchor=${at === 0 ? "start" : at === slots ? "end" : "middle"}>${short(edge)}</text>`)}
    <text class="tick" x="50%" y=${base + 36} text-anchor="middle">${unit} in the group</text>
    ${mark && html`<g><line class="mark" x1=${across(mark[0] / slots)} x2=${across(mark[0] / slots)} y1="6" y2=${base} />
      <svg x=${across(mark[0] / slots)} y="0" overflow="visible" aria-hidden="true"><text class="mark full" x="6" y="15">${`${number(k)} asked${room ? ": no group is smaller" : ""}`}</text><text class="mark short" x="6" y="15">${`${number(k)} asked`}</text></svg></g>`}
  </svg>`;
}

const place = (axis, value) => {
  const { low, high } = axis;
  const share = axis.powers ? Math.log(Math.max(value, low) / low) / (Math.log(high / low) || 1) : (value - low) / (high - low || 1);
  return Math.min(Math.max(share, 0), 1);
};

// Lines over an axis. Each line: {name, number, dots: [{x, y, told, chosen, pick}]}; a dot without y interrupts it.
export function LineChart({ lines, x, y, label }) {
  const base = TOP + HEIGHT;
  const px = (value) => LEFT + (RIGHT - LEFT) * place(x, value);
  const py = (value) => TOP + HEIGHT * (1 - place(y, value));
  const runs = (line) => {
    const pieces = [[]];
    for (const dot of line.dots) {
      if (dot.y === null || dot.y === undefined) pieces.push([]);
      else pieces.at(-1).push(`${(100 * place(x, dot.x)).toFixed(2)},${(100 * (1 - place(y, dot.y))).toFixed(2)}`);
    }
    return pieces.filter((piece) => piece.length > 1).map((piece) => piece.join(" "));
  };
  return html`<svg class="lines" width="100%" height=${base + BELOW} role="group" aria-label=${label}>
    ${y.ticks.map(([value, text]) => html`<g><line class="grid" x1=${`${LEFT}%`} x2=${`${RIGHT}%`} y1=${py(value)} y2=${py(value)} />
      <text class="tick" x=${`${LEFT - 0.8}%`} y=${py(value) + 4} text-anchor="end">${text}</text></g>`)}
    ${x.ticks.map(([value, text]) => html`<text class="tick" x=${`${px(value)}%`} y=${base + 18} text-anchor="middle">${text}</text>`)}
    <line class="axis" x1=${`${LEFT}%`} x2=${`${RIGHT}%`} y1=${base} y2=${base} />
    <svg x=${`${LEFT}%`} y=${TOP} width=${`${RIGHT - LEFT}%`} height=${HEIGHT} viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      ${lines.flatMap((line) => runs(line).map((points) => html`<polyline class=${`s${line.number}`} points=${points} />`))}
    </svg>
    ${lines.flatMap((line) =>
      line.dots
        .filter((dot) => dot.y !== null && dot.y !== undefined)
        .map(
          (dot) => html`<g class=${dot.chosen ? "dot chosen" : "dot"} role="button" tabindex="0" aria-label=${dot.told}
            onClick=${dot.pick} onKeyDown=${(event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), dot.pick())}>
            <title>${dot.told}</title>
            <circle class="reach" cx=${`${px(dot.x)}%`} cy=${py(dot.y)} r="12" />
            <circle class=${`s${line.number}`} cx=${`${px(dot.x)}%`} cy=${py(dot.y)} r=${dot.chosen ? 6 : 4} /></g>`,
        ),
    )}
    <text class="tick" x=${`${(LEFT + RIGHT) / 2}%`} y=${base + 38} text-anchor="middle">${x.label}</text>
  </svg>`;
}

// Round ticks from 0 to at least the largest value.
export function roundTicks(largest, text = percent, many = 5) {
  const rough = (largest || 1) / many;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((n) => n * power).find((n) => n >= rough) ?? rough;
  const ticks = [];
  for (let n = 0; n * step < (largest || 1) + step * 0.999; n += 1) ticks.push([n * step, text(Number((n * step).toPrecision(6)))]);
  return { low: 0, high: ticks.at(-1)[0], ticks };
}

// How strongly pairs of columns hang together, as a table whose cells are coloured: 0 white, 1 full.
export function HeatMap({ columns, values, caption }) {
  const step = (value) => `heat h${Math.min(Math.max(Math.round((value ?? 0) * 10), 0), 10)}`;
  return html`<table class="heatmap"><caption>${caption}</caption>
    <thead><tr><td></td>${columns.map((name) => html`<th scope="col"><span>${name}</span></th>`)}</tr></thead>
    <tbody>${columns.map((row, i) => html`<tr><th scope="row">${row}</th>${columns.map((column, j) =>
      i === j
        ? html`<td class="heat same" aria-label="the same column"></td>`
        : html`<td class=${step(values[i][j])} title=${`${row} and ${column}: ${number(values[i][j])}`}>${values[i][j] === null || values[i][j] === undefined ? "–" : values[i][j].toFixed(2).replace(/^0/, "")}</td>`)}</tr>`)}</tbody>
  </table>`;
}
