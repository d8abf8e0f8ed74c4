// Step 1: what each column is. Open decisions are marked and must be answered.
import { html, useEffect, useSignal } from "../html.js";
import { Asking } from "../jobs.js";
import { change, columns, columnsPath, loadColumns, people, state, wished } from "../state.js";
import { Heading, Section, Tile } from "../parts.js";
import { Bar } from "../charts.js";
import { asked, count, inOurWords, number, percent, ROLES, singledOut } from "../words.js";

export function Columns({ at }) {
  const rare = useSignal(false);
  const version = state.value.version;
  useEffect(() => {
    loadColumns(rare.value);
  }, [version, rare.value]);
  const open = state.value.open ?? [];
  const list = columns.value;
  return html`
    <${Heading} number=${at} title="Columns">What is each column: a name, something that others may know, or a secret? A proposal is made for all of them, with its reason. You decide.</${Heading}>
    <${Open} open=${open} />
    ${!list
      ? html`<${Asking} path=${columnsPath(rare.value)} text="Counting values …" again=${() => loadColumns(rare.value)} />`
      : html`<${Overview} list=${list} />
        <div class="columns">${list.map((column) => html`<${Column} key=${column.name} column=${column} />`)}</div>
        <p class="soft"><label class="check"><input type="checkbox" checked=${rare.value} onChange=${(event) => (rare.value = event.target.checked)} />
          Show rare values, too (of fewer than ${number(state.value.hidden_below ?? 5)} ${people.value}). They may name a person: look when nobody is looking over your shoulder.</label></p>`}`;
}

function Open({ open }) {
  if (open.length === 0) return null;
  return html`<${Section} kind="verdict warned" title=${`${count(open.length, "decision")} for you`} soft="Nothing is published while a question is open.">
    <ul class="decisions">${open.map(
      (decision) => html`<li><b>${decision.column ?? "the table"}</b><span>${asked(decision.question)}</span>
        <div class="answers">${answersOf(decision).map(({ title, set }) => html`<button type="button" onClick=${() => change(set)}>${title}</button>`)}
        ${decision.column && html`<a class="button quiet" href="#columns" onClick=${(event) => show(event, decision.column)}>Choose another</a>`}</div></li>`,
    )}</ul>
  </${Section}>`;
}

function answersOf(decision) {
  return decision.answers ?? [{ title: "It is right as proposed", set: [[decision.path, null]] }];
}

function show(event, name) {
  event.preventDefault();
  const field = [...document.querySelectorAll("select[data-column]")].find((node) => node.dataset.column === name);
  field?.scrollIntoView({ block: "center" });
  field?.focus();
}

function Overview({ list }) {
  const with_role = (role) => list.filter((column) => column.role === role).length;
  return html`<dl class="tiles">
    <${Tile} title="others may know" big=${with_role("quasi_identifier")}>made coarser, as far as needed</${Tile}>
    <${Tile} title="secrets" big=${with_role("sensitive")}>published, and protected</${Tile}>
    <${Tile} title="never published" big=${list.filter((column) => ["identifier", "person", "wishes", null, undefined, ""].includes(column.role)).length}>names, numbers, what is left out</${Tile}>
    <${Tile} title="harmless" big=${with_role("other")}>published as they are</${Tile}>
  </dl>`;
}

function Column({ column }) {
  const pick = (event) => {
    const role = event.target.value || null;
    const set = [[["attributes", column.name, "role"], role]];
    if (column.decide && role) set.push([["attributes", column.name, "decide"], null]);
    change(set);
  };
  const role = wished(["attributes", column.name, "role"], column.role) ?? "";
  const about = ROLES.find(([word]) => word === role);
  return html`<section class=${`column${column.decide ? " undecided" : ""}`} aria-label=${`column ${column.name}`}>
    <div class="column-role">
      <h2 class="name">${column.name}</h2>
      <label><span class="unseen">role of ${column.name}</span>
        <select data-column=${column.name} value=${role} onChange=${pick}>
          ${ROLES.map(([word, title]) => html`<option value=${word} selected=${word === role}>${title}</option>`)}
        </select></label>
      <p class="soft">${about?.[2]}</p>
    </div>
    <div class="column-why">
      ${column.decide ? html`<p class="question"><span class="badge warn">to be decided</span> ${asked(column.question)}</p>` : null}
      ${column.reason ? html`<p>${inOurWords(column.reason)}</p>` : null}
      <${Values} column=${column} />
    </div>
    <dl class="column-figures">
      <div><dt>different values</dt><dd>${number(column.values)}${column.missing ? html` <span class="soft">${percent(column.missing)} missing</span>` : ""}</dd></div>
      ${column.unique_alone === null || column.unique_alone === undefined ? null : html`<div><dt>alone by it</dt><dd>${singledOut(column.unique_alone)}<${Bar} share=${column.unique_alone} /></dd></div>`}
      ${column.unique_without !== null && column.unique_without !== undefined ? html`<div><dt>alone by all the others</dt><dd>${singledOut(column.unique_without)}<${Bar} share=${column.unique_without} kind="before" /></dd></div>` : null}
    </dl>
  </section>`;
}

function Values({ column }) {
  const common = column.common ?? [];
  if (common.length === 0) {
    return html`<p class="chips">${!column.values ? "" : column.withheld ? "Values of a column that is never published are not shown." : "Every value is of so few that none is shown."}</p>`;
  }
  return html`<p class="chips"><span class="unseen">common values: </span>
    ${common.map(([value, rows]) => html`<span class="chip">${value === null ? html`<em>missing</em>` : value} <i>${number(rows)}</i></span>`)}
    ${column.hidden ? html`<span class="soft"> and ${number(column.hidden)} more that are not shown</span>` : null}</p>`;
}
