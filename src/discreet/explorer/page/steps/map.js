// Step 5: every solution there is, on one canvas; two of them beside each other.
import { html, signal, useEffect, useLayoutEffect, useRef, useSignal } from "../html.js";
import { work } from "../jobs.js";
import { rows, state } from "../state.js";
import { Choice, Heading, Section } from "../parts.js";
import { number, percent } from "../words.js";
import { keeps, lattice } from "./lattice.js";
import { draw, nearest } from "./map_canvas.js";
import { Compared } from "./map_compared.js";

const map = signal(null);
const of = signal(null); // the version of the policy that the map belongs to
const picked = signal({ A: null, B: null });
const refusal = signal(null);

const walk = work("lattice", {
  done: (done) => {
    map.value = lattice(done);
    picked.value = { A: map.value.current, B: null };
  },
  stopped: () => (of.value = null),
  failed: (told) => (refusal.value = told.problems),
});

function begin() {
  of.value = state.value.version;
  refusal.value = null;
  map.value = null; // of another policy
  walk.begin();
}

export function SolutionMap({ at }) {
  const version = state.value.version;
  useEffect(() => {
    if (of.value !== version) begin();
  }, [version]);
  return html`
    <${Heading} number=${at} title="Map of the solutions">Every way to make the columns coarser is a dot. Good ones lie low and to the left: little detail lost, nothing left out. Point at a dot to see what it is; click to put it beside another.</${Heading}>
    <${walk.Running} />
    ${refusal.value?.length ? html`<${Section} title="There is no map"><ul>${refusal.value.map((problem) => html`<li>${problem.rule}${problem.repair ? `; ${problem.repair}` : ""}</li>`)}</ul></${Section}>` : null}
    ${!walk.runs.value && (of.value !== version || !map.value) && !refusal.value?.length ? html`<p class="actions"><button type="button" onClick=${begin}>Draw the map</button></p>` : null}
    ${map.value ? html`<${Drawn} map=${map.value} /><${Compared} map=${map.value} picked=${picked} />` : null}`;
}

function Drawn({ map: all }) {
  const canvas = useRef(null);
  const drawn = useRef(null);
  const view = useSignal("loss");
  const promise = useSignal(null);
  const slot = useSignal("B");
  const over = useSignal(-1);
  const width = useSignal(0);

  useLayoutEffect(() => {
    const resized = new ResizeObserver(([entry]) => (width.value = Math.round(entry.contentRect.width)));
    resized.observe(canvas.current);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const again = () => (width.value += 0.001);
    dark.addEventListener("change", again);
    return () => (resized.disconnect(), dark.removeEventListener("change", again));
  }, []);
  useLayoutEffect(() => {
    if (canvas.current.clientWidth > 0) drawn.current = draw(canvas.current, all, { view: view.value, promise: promise.value, limit: all.limit ?? state.value.policy.suppress ?? 0 });
    place();
  }, [all, view.value, promise.value, width.value]);
  useEffect(place, [picked.value, over.value]);

  // Marks lie over the canvas, so that moving one draws nothing again.
  function place() {
    const box = canvas.current?.parentElement;
    if (!box || !drawn.current) return;
    for (const mark of box.querySelectorAll("[data-mark]")) {
      const node = mark.dataset.mark === "over" ? over.value : picked.value[mark.dataset.mark];
      mark.hidden = node === null || node < 0;
      if (mark.hidden) continue;
      mark.style.left = `${drawn.current.xs[node]}px`;
      mark.style.top = `${drawn.current.ys[node]}px`;
      mark.classList.toggle("flip", drawn.current.xs[node] > drawn.current.width / 2);
      mark.classList.toggle("low", drawn.current.ys[node] > drawn.current.height / 2);
    }
  }
  const at = (event) => {
    const box = canvas.current.getBoundingClientRect();
    return nearest(drawn.current, event.clientX - box.left, event.clientY - box.top);
  };
  const choose = (node) => node >= 0 && (picked.value = { ...picked.value, [slot.value]: node });
  // By loss: one node with left and right, many with up and down.
  const key = (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1, ArrowUp: -25, ArrowDown: 25, PageUp: -250, PageDown: 250 }[event.key];
    const here = over.value >= 0 ? over.value : (picked.value[slot.value] ?? all.current ?? all.order[0]);
    if (by) over.value = all.order[Math.min(Math.max(all.place[here] + by, 0), all.nodes - 1)];
    else if (event.key === "Home") over.value = all.best ?? all.order[0];
    else if (event.key === "Enter" || event.key === " ") choose(here);
    else if (event.key === "Escape") over.value = -1;
    else return;
    event.preventDefault();
  };
  const kept = all.kept.reduce((sum, bits) => sum + ((bits & all.all) === all.all ? 1 : 0), 0);
  return html`<${Section} title=${`${number(all.nodes)} solutions`} soft=${`With one level for each column. ${number(kept)} of them keep every promise within what may be left out.`}>
    <div class="fields">
      <${Choice} label="How it is drawn" value=${view.value} onPick=${(word) => (view.value = word)} options=${[["loss", `By loss and ${rows.value} left out`], ["lattice", "As a lattice"]]} />
      ${all.promises.length > 1 ? html`<label class="field small">Coloured by<select value=${promise.value ?? ""} onChange=${(event) => (promise.value = event.target.value === "" ? null : Number(event.target.value))}>
        <option value="">all promises</option>${all.promises.map((one, i) => html`<option value=${i}>${one.title}</option>`)}</select></label>` : null}
      <${Choice} label="What a click chooses" value=${slot.value} onPick=${(word) => (slot.value = word)} options=${[["A", "Click sets A"], ["B", "Click sets B"]]} />
    </div>
    <div class="map">
      <canvas ref=${canvas} tabindex="0" role="application" aria-label=${`Map of ${number(all.nodes)} solutions. Arrow keys go from one to the next by loss, Home to the best, Enter chooses ${slot.value}.`}
        onPointerMove=${(event) => (over.value = at(event))} onPointerLeave=${() => (over.value = -1)} onClick=${(event) => choose(at(event))} onKeyDown=${key}></canvas>
      <span class="pin" data-mark="A" hidden aria-hidden="true"><b>A</b></span>
      <span class="pin second" data-mark="B" hidden aria-hidden="true"><b>B</b></span>
      <span class="pin hover" data-mark="over" hidden><${Tip} map=${all} node=${over.value} /></span>
    </div>
    <p class="unseen" role="status">${over.value >= 0 ? said(all, over.value) : ""}</p>
    <ul class="legend"><li><span class="key d0"></span>keeps the promises, little lost</li><li><span class="key d2"></span>keeps them, more lost</li>${all.promises.length > 1 ? html`<li><span class="key over"></span>keeps some of them</li>` : null}<li><span class="key d4"></span>does not keep them</li></ul>
  </${Section}>`;
}

function said(all, node) {
  const levels = all.levels(node).map((level, c) => `${all.columns[c].name} ${level}`).join(", ");
  return `${levels}: ${percent(all.loss[node])} lost, ${percent(all.suppressed[node])} of the ${rows.value} to be left out, ${keeps(all, node)}`;
}

function Tip({ map: all, node }) {
  if (node < 0) return null;
  const levels = all.levels(node);
  return html`<span class="tip"><b>${percent(all.loss[node])} lost · ${percent(all.suppressed[node])} left out</b>
    <span>${keeps(all, node)}</span>
    ${all.columns.map((column, c) => html`<span class="soft">${column.name}: ${column.labels?.[levels[c]] ?? `level ${levels[c]}`}</span>`)}</span>`;
}
