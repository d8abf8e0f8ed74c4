// Step 6: what became of the data: each column before and after, sizes of groups, which columns still hang together.
import { html, signal, useEffect } from "../html.js";
import { Asking } from "../jobs.js";
import { people, refresh, state } from "../state.js";
import { Heading, Section } from "../parts.js";
import { HeatMap, Ladder, Pair, SizeHistogram } from "../charts.js";
import { number, percent } from "../words.js";

const told = signal(null);
const PATH = "/api/distribution";
const read = () => refresh(told, PATH);

export function Data({ at }) {
  const version = state.value.version;
  useEffect(() => {
    read();
  }, [version]);
  const now = told.value;
  return html`
    <${Heading} number=${at} title="What became of the data">Is it still good for what you want to know? Never a row: shares, sizes and how columns hang together, before and after.</${Heading}>
    ${!now ? html`<${Asking} path=${PATH} text="Counting …" again=${read} />` : html`
      <${Groups} now=${now} />
      <${Section} title="Each column, before and after" soft=${`Share of the ${now.unit ?? people.value}; values of too few are told together.`}>
        <ul class="legend"><li><span class="key before"></span>before</li><li><span class="key after"></span>after</li></ul>
        <div class="pairs">${(now.columns ?? []).map((column) => html`<${Column} key=${column.name} column=${column} />`)}</div>
      </${Section}>
      <${Associations} told=${now.associations} />`}`;
}

function Groups({ now }) {
  const bins = now.groups ?? [];
  if (!bins.length) return null;
  return html`<${Section} title="How many look the same" soft=${`Nothing tells the rows of a group apart. Share of the published rows by the size of their group.`}>
    <figure><${SizeHistogram} bins=${bins} k=${now.k ?? null} unit=${now.unit ?? people.value} /></figure>
  </${Section}>`;
}

// Labels of both, in the order of the release; what was there before is shown beside the label that holds it, if it is the same.
function rows(column) {
  const after = new Map(column.after ?? []);
  const before = new Map(column.before ?? []);
  const same = [...after.keys()].every((label) => before.has(label));
  return same
    ? [...new Set([...before.keys(), ...after.keys()])].map((label) => [label, before.get(label) ?? 0, after.get(label) ?? 0])
    : null;
}

function Column({ column }) {
  const both = rows(column);
  const head = html`<h3>${column.name}</h3><p class="soft">${column.height !== undefined && column.level !== undefined && column.level !== null ? html`<${Ladder} level=${column.level} height=${column.height} />` : null}
    ${column.loss === null || column.loss === undefined ? "" : column.loss === 0 ? "as it was" : `${percent(column.loss)} of the detail lost`}</p>`;
  if (both) {
    const largest = Math.max(...both.map(([, b, a]) => Math.max(a, b)), 0);
    return html`<div>${head}<table class="bars"><thead class="unseen"><tr><th scope="col">value</th><th scope="col">bars</th><th scope="col">before, after</th></tr></thead><tbody>
      ${both.map(([label, before, after]) => html`<tr><th scope="row" class="name">${label ?? "missing"}</th><td class="barcell"><${Pair} before=${before} after=${after} largest=${largest} /></td><td class="number">${percent(before)} <span class="soft">→</span> ${percent(after)}</td></tr>`)}
      </tbody></table><${Hidden} share=${column.hidden} /></div>`;
  }
  return html`<div>${head}
    <${OneSide} title="before" kind="before" list=${column.before ?? []} />
    <${OneSide} title="after" kind="after" list=${column.after ?? []} />
    <${Hidden} share=${column.hidden} /></div>`;
}

function Hidden({ share }) {
  return share ? html`<p class="soft">${percent(share)} have values of so few that they are not named.</p>` : null;
}

function OneSide({ title, kind, list }) {
  const largest = Math.max(...list.map(([, share]) => share), 0) || 1;
  return html`<table class="bars"><caption>${title}</caption><thead class="unseen"><tr><th scope="col">value</th><th scope="col">bar</th><th scope="col">share</th></tr></thead><tbody>
    ${list.map(([label, share]) => html`<tr><th scope="row" class="name">${label ?? "missing"}</th><td class="barcell"><svg class="bar" width="100%" height="9" aria-hidden="true"><rect class=${kind} width=${`${(100 * share) / largest}%`} height="9" rx="2" /></svg></td><td class="number">${percent(share)}</td></tr>`)}</tbody></table>`;
}

function Associations({ told: pairs }) {
  if (!pairs?.columns?.length) return null;
  const lost = strongest(pairs);
  return html`<${Section} title="Which columns still hang together" soft=${`${pairs.measure ?? "Cramér's V"}: 0 if they say nothing about each other, 1 if one tells the other.`}>
    ${lost ? html`<p>${lost}</p>` : null}
    <div class="heatmaps"><div class="wide-table" tabindex="0" role="region" aria-label="before"><${HeatMap} columns=${pairs.columns} values=${pairs.before} caption="before" /></div>
    <div class="wide-table" tabindex="0" role="region" aria-label="after"><${HeatMap} columns=${pairs.columns} values=${pairs.after} caption="after" /></div></div>
  </${Section}>`;
}

// The pair that lost most, in words.
function strongest({ columns, before, after }) {
  let worst = null;
  columns.forEach((row, i) => columns.slice(i + 1).forEach((column, j) => {
    const [b, a] = [before[i][i + 1 + j], after[i][i + 1 + j]];
    if (typeof b === "number" && typeof a === "number" && (!worst || b - a > worst.drop)) worst = { row, column, b, a, drop: b - a };
  }));
  if (!worst) return "";
  if (worst.drop < 0.02) return "All pairs hang together about as much as before.";
  return `Weakened most: ${worst.row} and ${worst.column}, from ${number(Number(worst.b.toFixed(2)))} to ${number(Number(worst.a.toFixed(2)))}.`;
}
