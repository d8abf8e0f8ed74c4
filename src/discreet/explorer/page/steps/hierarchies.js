// Step 2: how values become coarser, column by column: what each level puts together, and the tree of it.
import { html, signal, useEffect } from "../html.js";
import { get, newest, post, Refused } from "../api.js";
import { columns, loadColumns, people, problems, send, state } from "../state.js";
import { Heading, Problems, Section } from "../parts.js";
import { Bar } from "../charts.js";
import { count, number, percent } from "../words.js";
import { Editor } from "./hierarchy_editor.js";

const chosen = signal(null); // the column that is looked at
const shown = signal(null); // its hierarchy, as it is or as it would be
const draft = signal(null); // words that are tried out: {name, body}
const wrong = signal([]);

const address = (name) => `/api/hierarchy/${encodeURIComponent(name)}`;

const preview = newest(
  ({ name, body }) => post(`${address(name)}?dry=1`, body),
  (answer, wish) => {
    if (wish.name !== chosen.value) return;
    shown.value = answer.hierarchy ?? answer;
    wrong.value = [];
  },
  (error, wish) => {
    if (wish.name === chosen.value) wrong.value = error instanceof Refused ? error.problems : [{ rule: "The server can't be reached." }];
  },
);

async function read(name) {
  shown.value = null;
  draft.value = null;
  wrong.value = [];
  try {
    const answer = await get(address(name));
    if (chosen.value === name) shown.value = answer;
  } catch (error) {
    wrong.value = error.problems ?? [{ rule: "The server can't be reached." }];
  }
}

function attempt(body) {
  draft.value = { name: chosen.value, body };
  preview(draft.value);
}

async function keep() {
  const answer = await send(address(draft.value.name), draft.value.body, (told) => told.state ?? told);
  if (!answer) {
    wrong.value = problems.value;
    problems.value = [];
    return;
  }
  await read(chosen.value);
}

export function Hierarchies({ at }) {
  const version = state.value.version;
  useEffect(() => {
    loadColumns();
  }, [version]);
  const names = (columns.value ?? []).filter((column) => column.role === "quasi_identifier").map((column) => column.name);
  useEffect(() => {
    if (names.length && !names.includes(chosen.value)) chosen.value = names[0];
    if (chosen.value && draft.value?.name !== chosen.value) read(chosen.value); // what is being tried out stays
  }, [names.join("\n")]);
  return html`
    <${Heading} number=${at} title="Hierarchies">How may a value become coarser? An age becomes a span of years, a postcode loses its last digits, a country becomes a continent. Each level puts more ${people.value} together.</${Heading}>
    ${names.length === 0 ? html`<p class="waiting" role="status">${columns.value ? "No column is one that others may know: nothing needs to become coarser." : "Reading …"}</p>` : null}
    <div class="tabs" role="group" aria-label="Column">
      ${names.map((name) => html`<button type="button" aria-pressed=${String(name === chosen.value)} onClick=${() => ((chosen.value = name), read(name))}>${name}</button>`)}
    </div>
    ${shown.value && chosen.value ? html`<${One} key=${chosen.value} hierarchy=${shown.value} />` : null}
    <${Problems} list=${wrong.value} />`;
}

function One({ hierarchy }) {
  const trying = draft.value?.name === chosen.value;
  return html`
    <${Section} title=${`How ${chosen.value} becomes coarser`}>
      <${Editor} name=${chosen.value} hierarchy=${hierarchy} attempt=${attempt} />
      <p class="actions">
        <button type="button" disabled=${!trying || wrong.value.length > 0} onClick=${keep}>Use this hierarchy</button>
        ${trying ? html`<button type="button" class="quiet" onClick=${() => read(chosen.value)}>Undo</button><span class="soft">tried out, not yet used</span>` : null}
      </p>
    </${Section}>
    <${Section} title="Levels" soft=${`How many ${people.value} the smallest label of each level puts together.`}>
      <${LevelSteps} levels=${hierarchy.levels ?? []} />
    </${Section}>
    ${hierarchy.tree ? html`<${Section} title="Tree" soft=${`Labels of fewer than ${number(state.value.hidden_below ?? 5)} ${people.value} are not named.`}>
      <ul class="tree"><${Node} node=${hierarchy.tree} total=${hierarchy.tree.rows || 1} depth=${0} /></ul>
    </${Section}>` : null}`;
}

function LevelSteps({ levels }) {
  return html`<ol class="steps">${levels.map(
    (level, i) => html`<li><b>${i === 0 ? "as it is" : `level ${level.level ?? i}`}</b>${count(level.labels, "label")}
      <span class="example">${level.example ?? ""}</span><span class="soft">smallest: ${level.smallest === null || level.smallest === undefined ? "hidden" : number(level.smallest)}</span></li>`,
  )}</ol>`;
}

function Node({ node, total, depth }) {
  if (node.hidden !== undefined) return html`<li class="leaf soft">${count(node.hidden, "rare label")} not named</li>`;
  if (node.more !== undefined) return html`<li class="leaf soft">and ${count(node.more, "more label")}</li>`;
  const line = html`<span class="label">${node.label ?? html`<em>missing</em>`}</span><span class="rows">${number(node.rows)}</span><span class="share"><${Bar} share=${node.rows / total} /></span>`;
  const children = node.children ?? [];
  if (children.length === 0) return html`<li class="leaf"><span class="line">${line}</span></li>`;
  return html`<li><details open=${depth < 1}><summary><span class="line">${line}</span></summary>
    <ul>${children.map((child, i) => html`<${Node} key=${child.label ?? i} node=${child} total=${total} depth=${depth + 1} />`)}</ul></details></li>`;
}
