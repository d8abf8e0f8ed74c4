// Two solutions beside each other; each can also be chosen column by column, without a mouse.
import { html, useEffect, useSignal } from "../html.js";
import { get } from "../jobs.js";
import { change, problems, state } from "../state.js";
import { Badge, Section } from "../parts.js";
import { Bar, Ladder } from "../charts.js";
import { number, percent } from "../words.js";
import { possible } from "./lattice.js";

// What the server knows of a node, asked once it is chosen.
function useNode(map, node, slot) {
  const told = useSignal(null);
  useEffect(() => {
    told.value = null;
    if (node === null) return undefined;
    let current = true;
    get(`/api/node?of=${slot}&levels=${map.levels(node).join(",")}`).then(
      (answer) => current && (told.value = answer),
      (error) => current && (problems.value = error.problems ?? []),
    );
    return () => (current = false);
  }, [map, node]);
  return told.value;
}

// The policy with whole columns at the levels of a node, or with none said of any column.
function take(map, node) {
  const levels = node === null ? null : map.levels(node);
  const set = map.columns.map((column, c) => [["attributes", column.attribute, "levels"], levels?.[c] ?? null]);
  const { publish = "generalization", search } = state.value.policy;
  if (levels && publish !== "generalization") set.unshift([["publish"], "generalization"]);
  if (levels && search !== undefined && search !== "optimal") set.unshift([["search"], null]);
  change(set);
}

export function Compared({ map, picked }) {
  const { A, B } = picked.value;
  const [a, b] = [useNode(map, A, "A"), useNode(map, B, "B")];
  const set = (slot, column, level) => {
    const levels = map.levels(picked.value[slot] ?? map.current ?? 0);
    levels[column] = level;
    picked.value = { ...picked.value, [slot]: map.node(levels) };
  };
  const sides = [["A", A, a], ["B", B, b]];
  const figure = (title, show) => html`<tr><th scope="row">${title}</th>${sides.map(([slot, node, told]) => html`<td data-of=${slot}>${node === null ? "–" : show(node, told)}</td>`)}</tr>`;
  const promises = map.promises;
  const taken = Object.values(state.value.policy.attributes ?? {}).some((said) => said.levels !== undefined);
  const first = map.published ? "A is what the policy gives now, until you choose another." : "A is the best with one level for each column. What the policy publishes now is none of these: its levels differ from row to row, or values stay exact.";
  return html`<${Section} title="Two beside each other" soft=${`${first} Levels can be chosen here, too. ${taken ? "What is published has the levels that you took, or those that the policy allows." : "What is published is the best that keeps the promises, unless you take another."}`}>
    <table class="compared"><thead><tr><th scope="col"><span class="unseen">figure</span></th><th scope="col"><span class="pin-letter">A</span></th><th scope="col"><span class="pin-letter second">B</span></th></tr></thead>
      <tbody>
        ${figure("detail lost", (node) => html`<b>${percent(map.loss[node])}</b><${Bar} share=${map.loss[node]} />`)}
        ${figure("left out", (node) => percent(map.suppressed[node]))}
        ${figure("groups", (node, told) => (told ? number(told.groups_count ?? told.groups?.reduce?.((sum, bin) => sum + bin.groups, 0)) : "…"))}
        ${figure("smallest group", (node, told) => (told ? number(told.smallest) : "…"))}
        ${promises.map((promise, i) => figure(promise.title, (node) => html`<${Badge} kept=${Boolean(map.kept[node] & (1 << i))} />`))}
        ${map.columns.map((column, c) => html`<tr><th scope="row" class="name">${column.name}</th>${sides.map(([slot, node]) => html`<td data-of=${slot}>
          <${Level} column=${column} level=${node === null ? null : map.levels(node)[c]} label=${`${column.name} of ${slot}`} onPick=${(level) => set(slot, c, level)} /></td>`)}</tr>`)}
        <tr><th scope="row"><span class="unseen">take it</span></th>${sides.map(([slot, node]) => html`<td>${node === null ? null : html`<button type="button" class="quiet" disabled=${!possible(map, node)} onClick=${() => take(map, node)}>Publish at the levels of ${slot}</button>`}</td>`)}</tr>
      </tbody></table>
    ${taken ? html`<p class="actions"><button type="button" class="quiet" onClick=${() => take(map, null)}>Let the search choose the levels again</button></p>` : null}
  </${Section}>`;
}

function Level({ column, level, label, onPick }) {
  const levels = Array.from({ length: column.height + 1 }, (_, n) => n);
  return html`<select aria-label=${label} value=${level ?? ""} onChange=${(event) => onPick(Number(event.target.value))}>
      ${level === null ? html`<option value="" selected>–</option>` : null}
      ${levels.map((n) => html`<option value=${n} selected=${n === level}>${n === 0 ? "as it is" : column.labels?.[n] ? `${n}: ${column.labels[n]}` : `level ${n}`}</option>`)}</select>
    ${level === null ? null : html`<${Ladder} level=${level} height=${column.height} />`}`;
}
