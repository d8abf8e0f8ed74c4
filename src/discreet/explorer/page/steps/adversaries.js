// Step 7: what others would learn of the release as it stands: cheap lines at once, the others on a button.
import { html, signal, useEffect } from "../html.js";
import { Asking, work } from "../jobs.js";
import { people, person, problems, refresh, state } from "../state.js";
import { Heading, Section } from "../parts.js";
import { Bar } from "../charts.js";
import { chance, number } from "../words.js";

const lines = signal(null);
const questions = signal({});
const of = signal(null); // the version that the lines of the button belong to

const put = (line) => (lines.value = [...(lines.value ?? []).filter((other) => other.id !== line.id), line]);

const audit = work("audit", { point: (point) => put(point.line), failed: (told) => (problems.value = told.problems) });

function ask() {
  of.value = state.value.version;
  audit.begin();
}

const PATH = "/api/adversaries";
const read = () => refresh(lines, PATH, (answer) => ((questions.value = answer.questions), answer.lines));

export function Adversaries({ at }) {
  const version = state.value.version;
  useEffect(() => {
    if (lines.value && of.value === version) return;
    read();
  }, [version]);
  const all = lines.value;
  return html`
    <${Heading} number=${at} title="What adversaries would learn">Each line is somebody who holds the published files and knows something besides. How sure can she be of a ${person}?</${Heading}>
    ${!all ? html`<${Asking} path=${PATH} text="Asking the quick ones …" again=${read} />` : html`
      <${Section} title="Every adversary in one table" soft=${`Largest chance: of all ${people.value}, what she is surest of. The limit is what is promised, or else what is usual.`}>
        ${groups(all).map(([threat, list]) => html`<${Threat} key=${threat} title=${questions.value[threat] ?? threat} list=${list} />`)}
        <p class="actions">${audit.runs.value ? html`<${audit.Running} />` : html`<button type="button" onClick=${ask}>Ask all of them</button>
          <span class="soft">${of.value === version ? "All were asked." : "Those that take longer are asked on demand."}</span>`}</p>
      </${Section}>`}`;
}

function groups(all) {
  const by = new Map();
  for (const line of all) by.set(line.threat ?? "", [...(by.get(line.threat ?? "") ?? []), line]);
  return [...by];
}

const VERDICTS = { within: "", above: " warn", broken: " no", "not judged": " warn", "not known": " warn" };

function Threat({ title, list }) {
  return html`<h3 class="question">${title}</h3>
    <table class="wide adversaries"><thead><tr><th scope="col" class="name">she</th><th scope="col" class="worst">largest chance</th><th scope="col">above the limit</th><th scope="col">group that decides</th><th scope="col"><span class="unseen">verdict</span></th></tr></thead>
    <tbody>${list.map((line) => html`<tr class=${line.verdict === "broken" ? "bad" : ""}>
      <th scope="row" class="name">${line.title ?? line.adversary}<span class="soft">${line.knows ?? line.learns ?? ""}</span></th>
      ${line.worst === null || line.worst === undefined ? html`<td colspan="4" class="soft">not asked yet</td>` : html`
      <td class="worst" data-of="largest chance"><span class="figure">${chance(line.worst)}</span><${Bar} share=${line.worst} kind=${line.verdict === "within" ? "after" : "over"} />
        <span class="soft">${line.limit === null || line.limit === undefined ? "" : `limit ${chance(line.limit)}`}${typeof line.before === "number" ? `; without the release ${chance(line.before)}` : ""}</span></td>
      <td data-of="above the limit">${typeof line.above === "number" ? (line.above ? `${number(line.above)} ${people.value}` : "none") : line.above ?? "–"}</td>
      <td data-of="group that decides">${line.decides ?? "–"}</td>
      <td class="verdict-cell"><span class=${`badge${VERDICTS[line.verdict] ?? ""}`}>${line.verdict}</span></td>`}</tr>`)}</tbody></table>`;
}
