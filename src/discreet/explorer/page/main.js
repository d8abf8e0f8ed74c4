// The frame around the eight steps: where one is, what the release would be now, and what the server says.
import { html, render, signal, useEffect } from "./html.js";
import { candidate, gone, live, listen, load, MOVES, problems, rows, state, working } from "./state.js";
import { Bar, jobOf } from "./jobs.js";
import { Problems } from "./parts.js";
import { count, number, percent, sentence } from "./words.js";
import { Columns } from "./steps/columns.js";
import { Hierarchies } from "./steps/hierarchies.js";
import { Promises } from "./steps/promises.js";
import { Tradeoff } from "./steps/tradeoff.js";
import { SolutionMap } from "./steps/map.js";
import { Data } from "./steps/data.js";
import { Adversaries } from "./steps/adversaries.js";
import { Publish } from "./steps/publish.js";

const STEPS = [
  ["columns", "Columns", Columns],
  ["hierarchies", "Hierarchies", Hierarchies],
  ["promises", "Promises", Promises],
  ["tradeoff", "Trade-off", Tradeoff],
  ["map", "Map of the solutions", SolutionMap],
  ["data", "What became of the data", Data],
  ["adversaries", "What adversaries would learn", Adversaries],
  ["publish", "Publish", Publish],
];

const step = signal(stepOf(location.hash));

function stepOf(hash) {
  const word = hash.replace(/^#/, "");
  return STEPS.some(([name]) => name === word) ? word : "columns";
}

addEventListener("hashchange", () => {
  step.value = stepOf(location.hash);
  problems.value = [];
  live.value = null;
  scrollTo(0, 0);
});

function Steps() {
  const open = state.value?.open?.length ?? 0;
  return html`<nav class="steps-nav" aria-label="Steps"><ol>
    ${STEPS.map(([word, title], i) => {
      const here = word === step.value;
      return html`<li><a href=${`#${word}`} aria-current=${here ? "step" : null} title=${title}>
        <span class="ordinal" aria-hidden="true">${i + 1}</span><span class="title">${title}</span>
        ${word === "columns" && open > 0 ? html`<span class="open-count">${open}<span class="unseen"> open ${open === 1 ? "decision" : "decisions"}</span></span>` : null}
      </a></li>`;
    })}
  </ol></nav>`;
}

// What the policy gives now; while a slider is dragged, what it would give.
function Candidate() {
  const now = candidate.value;
  const searching = live.value ? jobOf(MOVES) : now ? null : state.value.searching;
  if (searching) {
    return html`<aside class="candidate" aria-label="The release as it stands"><p class="state">Searching for the release</p><${Bar} job=${searching} text="" /></aside>`;
  }
  if (!now) {
    return html`<aside class="candidate" aria-label="The release as it stands"><p class="soft">There is no release yet: answer what is open in the columns, and promise something.</p></aside>`;
  }
  if (now.impossible) {
    return html`<aside class="candidate broken" aria-label="The release as it stands"><p><b>Not possible.</b> ${sentence(now.impossible.rule)}${now.impossible.repair ? html` <span class="soft">${sentence(now.impossible.repair)}</span>` : ""}</p></aside>`;
  }
  const kept = now.kept;
  return html`<aside class=${`candidate${kept === false ? " broken" : ""}`} aria-label="The release as it stands">
    <p class="state"><span class=${`mark ${kept === false ? "no" : ""}`} aria-hidden="true">${kept === false ? "✗" : "✓"}</span>${kept === false ? "Promises not kept" : kept ? "Promises kept" : "Not judged"}</p>
    <dl>
      <div><dt>detail lost</dt><dd><b>${percent(now.loss)}</b><span class="meter" aria-hidden="true"><span ref=${(node) => node && (node.style.width = percent(now.loss))}></span></span></dd></div>
      <div><dt>${rows.value} left out</dt><dd><b>${percent(now.suppressed)}</b></dd></div>
      <div><dt>groups</dt><dd><b>${number(now.groups)}</b></dd></div>
      <div><dt>smallest group</dt><dd><b>${number(now.smallest)}</b></dd></div>
    </dl>
  </aside>`;
}

function Page() {
  useEffect(() => {
    load();
    listen();
  }, []);
  const now = state.value;
  if (!now) return html`<p class="waiting" role="status">${gone.value || "Reading the table …"}</p>`;
  const [, title, Step] = STEPS.find(([word]) => word === step.value);
  useTitle(title, now.table.name);
  const at = STEPS.findIndex(([word]) => word === step.value);
  return html`
    <a class="skip" href="#step" onClick=${(event) => (event.preventDefault(), document.querySelector("main h1")?.focus())}>To the step</a>
    <header class="top"><span><b>discreet</b> · explorer</span><span class="table-name">${now.table.name} · ${count(now.table.rows, "row")} · ${count(now.table.columns, "column")}</span></header>
    <div class="frame">
      <${Steps} />
      <main id="step" aria-busy=${String(working.value > 0)}>
        ${gone.value && html`<div class="problems" role="alert"><b>${gone.value}</b></div>`}
        <${Step} key=${step.value} at=${at + 1} />
        <${Problems} list=${problems.value} />
        <${Onward} at=${at} />
      </main>
    </div>
    <${Candidate} />`;
}

function useTitle(title, table) {
  useEffect(() => {
    document.title = `${title} · ${table} · discreet`;
  }, [title, table]);
}

function Onward({ at }) {
  const [before, after] = [STEPS[at - 1], STEPS[at + 1]];
  return html`<nav class="onward" aria-label="Back and on">
    ${before ? html`<a class="button quiet" href=${`#${before[0]}`}>← ${before[1]}</a>` : html`<span></span>`}
    ${after ? html`<a class="button" href=${`#${after[0]}`}>${after[1]} →</a>` : null}
  </nav>`;
}

render(html`<${Page} />`, document.getElementById("page"));
