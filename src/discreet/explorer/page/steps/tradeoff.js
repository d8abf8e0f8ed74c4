// Step 4: what more privacy costs, for every way to publish; the curve fills in while it is computed.
import { html, signal, useEffect, useSignal } from "../html.js";
import { Asking, work } from "../jobs.js";
import { change, problems, refresh, state } from "../state.js";
import { Choice, Heading, Section } from "../parts.js";
import { LineChart, roundTicks } from "../charts.js";
import { number, percent, samePath, spoken } from "../words.js";

const EXACT = ["bucketization", "ambiguity"];

// Kept while other steps are looked at.
const offers = signal(null); // {axes, publications}
const axis = signal(null);
const points = signal([]);
const of = signal(null); // the version of the policy that the points belong to

const curve = work("tradeoff", {
  point: (point) => (points.value = [...points.value, point]),
  failed: (told) => (problems.value = told.problems),
});

function begin() {
  points.value = [];
  of.value = state.value.version;
  curve.begin({ over: axis.value.path, publications: offers.value.publications.map((kind) => kind.word) });
}

const PATH = "/api/tradeoff";
const read = () => refresh(offers, PATH, (answer) => {
  axis.value = answer.axes.find((other) => samePath(other.path, axis.value?.path)) ?? answer.axes[0] ?? null;
  return answer;
});

export function Tradeoff({ at }) {
  const measure = useSignal("loss");
  const version = state.value.version;
  useEffect(() => {
    read();
  }, [version]);
  const told = offers.value;
  return html`
    <${Heading} number=${at} title="Trade-off">More privacy costs detail. How much, on this table? Every point is a release that you could publish; click one to take it.</${Heading}>
    ${told && axis.value ? html`<${Section} title=${`Detail lost, over ${axis.value.title}`}
        soft="Each line is a way to publish the same promises. Lower is better: 0% is the table as it is, 100% is nothing.">
      <div class="fields">
        <label class="field small">Over<select id="over" value=${spoken(axis.value.path)} onChange=${(event) => ((axis.value = told.axes.find((other) => spoken(other.path) === event.target.value)), (points.value = []))}>
          ${told.axes.map((other) => html`<option value=${spoken(other.path)} selected=${other === axis.value}>${other.title}</option>`)}</select></label>
        <${Choice} label="What is measured" value=${measure.value} onPick=${(word) => (measure.value = word)} options=${[["loss", "Detail lost"], ["error", "Error of counts"]]} />
        ${curve.runs.value ? null : html`<button type="button" onClick=${begin}>${points.value.length ? "Compute again" : "Compute the curve"}</button>`}
      </div>
      <${curve.Running} />
      <${Curve} measure=${measure.value} />
      ${measure.value === "loss" && points.value.some((point) => EXACT.includes(point.publication)) ? html`<p class="soft">Bucketization and ambiguity keep every value exact and hide which of them belong together: what that costs shows in the error of counts.</p>` : null}
      ${of.value !== null && of.value !== version && points.value.length ? html`<p class="soft">The policy has changed since: compute again to see what it costs now.</p>` : null}
    </${Section}>
    <${Points} />` : told ? html`<p class="empty">Promise something first: there is nothing to trade yet.</p>` : html`<${Asking} path=${PATH} text="Reading …" again=${read} />`}`;
}

function take(point) {
  if (point.set) change(point.set);
}

function told(point, title) {
  const where = `${title}, ${axis.value.title} ${number(point.x)}`;
  if (point.loss === null || point.loss === undefined) return `${where}: ${point.text ?? "not possible"}`;
  const error = point.error === null || point.error === undefined ? "" : `, counts off by ${percent(point.error)}`;
  return `${where}: ${percent(point.loss)} of the detail lost${error}, ${percent(point.suppressed)} left out. Take it`;
}

const byPlace = (a, b) => a.x - b.x;
const titleOf = (word) => offers.value.publications.find((kind) => kind.word === word)?.title ?? word;

function chosen(point) {
  const policy = state.value.policy;
  return (point.set ?? []).every(([path, value]) => {
    const keys = Array.isArray(path) ? path : path.split(".");
    const here = keys.reduce((words, key) => words?.[key], policy);
    return here === value || (keys.join() === "publish" && (here ?? "generalization") === value);
  });
}

function Curve({ measure }) {
  if (points.value.length === 0) return html`<p class="empty">${curve.runs.value ? "The first points are on their way." : "Nothing computed yet."}</p>`;
  const kinds = offers.value.publications.map((kind) => kind.word);
  const lines = kinds
    .map((word, i) => ({
      name: titleOf(word),
      number: i,
      dots: points.value.filter((point) => point.publication === word).sort(byPlace)
        .map((point) => ({ x: point.x, y: point[measure], told: told(point, titleOf(word)), chosen: chosen(point), pick: () => take(point) })),
    }))
    .filter((line) => line.dots.length);
  const places = [...new Set(points.value.map((point) => point.x))].sort((a, b) => a - b);
  const largest = Math.max(...points.value.map((point) => point[measure] ?? 0), 1); // 100%, as in reports
  const x = { label: axis.value.unit ? `${axis.value.title} (${axis.value.unit})` : axis.value.title, low: places[0], high: places.at(-1), powers: axis.value.powers && places[0] > 0, ticks: spread(places, axis.value) };
  const label = measure === "loss" ? "detail lost" : "median error of COUNT queries";
  return html`<ul class="legend">${lines.map((line) => html`<li><span class=${`key s${line.number}`}></span>${line.name}</li>`)}</ul>
    <figure><figcaption class="soft">${label}</figcaption><${LineChart} lines=${lines} x=${x} y=${roundTicks(largest)} label=${`${label} over ${axis.value.title}: ${lines.map((line) => line.name).join(", ")}`} /></figure>`;
}

// As many ticks as have room.
function spread(places, { powers, percent: share }) {
  const text = (value) => (share ? percent(value) : number(value));
  const at = (value) => (powers && places[0] > 0 ? Math.log(value / places[0]) / (Math.log(places.at(-1) / places[0]) || 1) : (value - places[0]) / (places.at(-1) - places[0] || 1));
  const ticks = [];
  for (const value of places) if (ticks.length === 0 || at(value) - at(ticks.at(-1)[0]) > 0.07) ticks.push([value, text(value)]);
  return ticks;
}

function Points() {
  if (points.value.length === 0) return null;
  const list = [...points.value].sort((a, b) => byPlace(a, b) || a.publication.localeCompare(b.publication));
  return html`<section><details><summary>All points in figures</summary>
    <table class="wide points"><thead><tr><th scope="col">${axis.value.title}</th><th scope="col">published by</th><th scope="col" class="number">detail lost</th><th scope="col" class="number">error of counts</th><th scope="col" class="number">left out</th><th scope="col"><span class="unseen">take it</span></th></tr></thead>
    <tbody>${list.map((point) => html`<tr class=${chosen(point) ? "own" : ""}><th scope="row">${number(point.x)}</th><td data-of="published by">${titleOf(point.publication)}</td>
      ${point.loss === null || point.loss === undefined
        ? html`<td colspan="4" class="soft">${point.text ?? "not possible"}</td>`
        : html`<td class="number" data-of="detail lost">${percent(point.loss)}</td><td class="number" data-of="error of counts">${percent(point.error)}</td><td class="number" data-of="left out">${percent(point.suppressed)}</td>
          <td class="number"><button type="button" class="quiet" disabled=${chosen(point)} onClick=${() => take(point)}>${chosen(point) ? "Chosen" : "Take"}<span class="unseen">: ${told(point, titleOf(point.publication))}</span></button></td>`}</tr>`)}</tbody></table>
  </details></section>`;
}
