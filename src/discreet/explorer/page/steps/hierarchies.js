// Step 2: how values become coarser, column by column: what each level puts together, and the tree of it.
import { html, signal, useEffect } from "../html.js";
import { GaveWay, problemsOf } from "../api.js";
import { Asking, get, newest, post } from "../jobs.js";
import { columns, columnsPath, loadColumns, people, problems, send, state } from "../state.js";
import { Heading, Problems, Section } from "../parts.js";
import { Bar } from "../charts.js";
import { count, number, percent } from "../words.js";
import { Editor } from "./hierarchy_editor.js";

const chosen = signal(null); // the column that is looked at
const shown = signal(null); // its hierarchy, as it is or as it would be
const draft = signal(null); // words that are tried out: {name, body}
const touched = signal(false); // somebody typed: then nothing is put in place of it
const begun = signal({ round: 0, words: null }); // the words that the fields began with, and how often they began anew
const wrong = signal([]);

const address = (name) => `/api/hierarchy/${encodeURIComponent(name)}`;
const wordsOf = (name) => JSON.stringify(state.value.policy.attributes?.[name]?.hierarchy ?? null);

const preview = newest(
  ({ name, body }, how) => post(`/api/tried/${encodeURIComponent(name)}`, body, how),
  (answer, wish) => {
    if (wish.name !== chosen.value) return;
    shown.value = answer.hierarchy;
    wrong.value = [];
  },
  (error, wish) => {
    if (wish.name === chosen.value) wrong.value = problemsOf(error);
  },
);

// The hierarchy as it stands, in fields that begin anew.
async function read(name) {
  preview.forget();
  draft.value = null;
  touched.value = false;
  wrong.value = [];
  const words = wordsOf(name);
  try {
    const answer = await get(address(name));
    if (chosen.value !== name || touched.value) return;
    shown.value = answer;
    begun.value = { round: begun.value.round + 1, words };
  } catch (error) {
    if (!(error instanceof GaveWay)) wrong.value = problemsOf(error);
  }
}

function pick(name) {
  chosen.value = name;
  shown.value = null;
  read(name);
}

function attempt(body) {
  draft.value = { name: chosen.value, body };
  preview(draft.value);
}

// What is typed meanwhile stays, and is not used yet.
async function keep() {
  const kept = draft.value;
  touched.value = false;
  const answer = await send(address(kept.name), kept.body, (told) => told.state);
  if (!answer) {
    wrong.value = problems.value;
    problems.value = [];
    return;
  }
  if (chosen.value === kept.name) begun.value = { ...begun.value, words: wordsOf(kept.name) };
  if (draft.value === kept) draft.value = null;
}

export function Hierarchies({ at }) {
  const version = state.value.version;
  useEffect(() => {
    loadColumns();
  }, [version]);
  const names = (columns.value ?? []).filter((column) => column.role === "quasi_identifier").map((column) => column.name);
  useEffect(() => {
    if (names.length && !names.includes(chosen.value)) pick(names[0]);
    else if (chosen.value && !touched.value && !draft.value && begun.value.words !== wordsOf(chosen.value)) read(chosen.value);
  }, [names.join("\n"), version]);
  return html`
    <${Heading} number=${at} title="Hierarchies">How may a value become coarser? An age becomes a span of years, a postcode loses its last digits, a country becomes a continent. Each level puts more ${people.value} together.</${Heading}>
    ${names.length === 0 ? columns.value ? html`<p class="empty">No column is one that others may know: nothing needs to become coarser.</p>` : html`<${Asking} path=${columnsPath(false)} text="Reading …" again=${loadColumns} />` : null}
    <div class="tabs" role="group" aria-label="Column">
      ${names.map((name) => html`<button type="button" aria-pressed=${String(name === chosen.value)} onClick=${() => pick(name)}>${name}</button>`)}
    </div>
    ${chosen.value && names.includes(chosen.value) ? shown.value ? html`<${One} key=${`${begun.value.round} ${chosen.value}`} hierarchy=${shown.value} />` : wrong.value.length ? null : html`<${Asking} path=${address(chosen.value)} text="Reading …" again=${() => read(chosen.value)} />` : null}
    <${Problems} list=${wrong.value} />`;
}

function One({ hierarchy }) {
  const trying = draft.value?.name === chosen.value;
  return html`
    <${Section} title=${`How ${chosen.value} becomes coarser`}>
      <div onInput=${() => (touched.value = true)}><${Editor} name=${chosen.value} hierarchy=${hierarchy} attempt=${attempt} /></div>
      <p class="actions">
        <button type="button" disabled=${!trying || wrong.value.length > 0} onClick=${keep}>Use this hierarchy</button>
        ${trying ? html`<button type="button" class="quiet" onClick=${() => read(chosen.value)}>Undo</button><span class="soft">tried out, not yet used</span>` : null}
      </p>
    </${Section}>
    <${Section} title="Levels" soft=${`How many ${people.value} the smallest label of each level puts together.`}>
      <${LevelSteps} levels=${hierarchy.levels ?? []} />
    </${Section}>
    ${hierarchy.tree ? html`<${Section} title="Tree" soft=${`How many rows have each label. Labels of fewer than ${number(state.value.hidden_below ?? 5)} ${people.value} are not named.`}>
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
