// The words of one hierarchy, by fields instead of YAML; every change is tried out at once.
import { html, useState } from "../html.js";
import { Groups } from "./hierarchy_groups.js";

const KINDS = [
  ["intervals", "Spans of numbers"],
  ["cuts", "Spans with ends of your own"],
  ["quantiles", "Spans with about equally many"],
  ["prefixes", "First letters or digits"],
  ["dates", "Parts of a date"],
  ["groups", "Groups made by hand"],
  ["csv", "A table of levels (CSV)"],
  ["flat", "The value itself, or nothing"],
];

const DATES = ["day", "month", "quarter", "year", "decade"];

// The finest first: so that a level never gets finer on the way up.
const numbers = (text) => text.split(/[\s,;]+/).filter(Boolean).map(Number).filter(Number.isFinite);

export function Editor({ name, hierarchy, attempt }) {
  const words = hierarchy.words && typeof hierarchy.words === "object" ? hierarchy.words : {};
  const first = KINDS.some(([kind]) => kind === hierarchy.kind) ? hierarchy.kind : hierarchy.kind === "taxonomy" ? "groups" : "flat";
  const [kind, setKind] = useState(first);
  const pick = (wish) => {
    setKind(wish);
    if (wish === "flat") attempt({ words: { flat: true } });
    if (wish === "quantiles") attempt({ words: { quantiles: words.quantiles ?? 8 } });
  };
  return html`<label class="field">Rule
      <select id="rule" value=${kind} onChange=${(event) => pick(event.target.value)}>
        ${KINDS.map(([word, title]) => html`<option value=${word} selected=${word === kind}>${title}</option>`)}</select></label>
    <${Fields} key=${`${name} ${kind}`} kind=${kind} words=${words} hierarchy=${hierarchy} attempt=${attempt} />`;
}

function Fields({ kind, words, hierarchy, attempt }) {
  if (kind === "intervals") return html`<${Intervals} words=${words} attempt=${attempt} />`;
  if (kind === "prefixes") {
    return html`<${Numbers} label="How many are kept, level by level" hint="4, 3, 2: 47906 becomes 4790*, then 479**, then 47***" first=${words.prefixes ?? []}
      say=${(list) => attempt({ words: { prefixes: list } })} />`;
  }
  if (kind === "quantiles") {
    return html`<${Numbers} label="How many spans at first" hint="halved from level to level" first=${[words.quantiles ?? 8]} say=${([n]) => attempt({ words: { quantiles: n } })} />`;
  }
  if (kind === "cuts") return html`<${Cuts} first=${words.cuts ?? []} attempt=${attempt} />`;
  if (kind === "dates") return html`<${Dates} first=${words.dates ?? []} attempt=${attempt} />`;
  if (kind === "groups") return html`<${Groups} hierarchy=${hierarchy} attempt=${attempt} />`;
  if (kind === "csv") return html`<${Csv} first=${hierarchy.csv ?? ""} attempt=${attempt} />`;
  return html`<p class="soft">Each value is published as it is, or not at all (<code>*</code>).</p>`;
}

function Numbers({ label, hint, first, say }) {
  const [text, setText] = useState(first.join(", "));
  const type = (event) => {
    setText(event.target.value);
    const list = numbers(event.target.value);
    if (list.length) say(list);
  };
  return html`<label class="field">${label}<input type="text" inputmode="decimal" value=${text} onInput=${type} /><span class="soft">${hint}</span></label>`;
}

function Intervals({ words, attempt }) {
  const [own, setOwn] = useState({ ...words });
  const say = (more) => {
    const next = Object.fromEntries(Object.entries({ ...own, ...more }).filter(([, value]) => value !== null));
    setOwn(next);
    if (next.intervals?.length) attempt({ words: next });
  };
  const end = (word, label) => html`<${End} label=${label} first=${own[word] ?? ""} say=${(value) => say({ [word]: value })} />`;
  return html`<${Numbers} label="Widths, level by level" hint="5, 10, 20: 37 becomes 35-39, then 30-39, then 20-39. Each is a multiple of the one before." first=${words.intervals ?? []} say=${(list) => say({ intervals: list })} />
    <div class="fields">${end("bottom", "everything up to")}${end("top", "everything from")}${end("origin", "spans start at")}</div>`;
}

// A number, or nothing; tried out when the field is left.
function End({ label, first, say }) {
  const [text, setText] = useState(String(first));
  return html`<label class="field small">${label}<input type="text" inputmode="decimal" value=${text}
    onInput=${(event) => setText(event.target.value)} onChange=${() => say(text.trim() === "" ? null : Number(text))} /></label>`;
}

function Cuts({ first, attempt }) {
  const [text, setText] = useState(first.map((level) => level.join(", ")).join("\n"));
  const type = (event) => {
    setText(event.target.value);
    const cuts = event.target.value.split("\n").map(numbers).filter((level) => level.length);
    if (cuts.length) attempt({ words: { cuts } });
  };
  return html`<label class="field">Where spans begin, a line for each level<textarea rows="4" value=${text} onInput=${type}></textarea><span class="soft">18, 40, 65: below 18, 18 to 39, 40 to 64, 65 and above. The next line leaves some of them out.</span></label>`;
}

function Dates({ first, attempt }) {
  const [list, setList] = useState(first);
  const toggle = (word) => {
    const next = DATES.filter((other) => (other === word ? !list.includes(word) : list.includes(other)));
    setList(next);
    if (next.length) attempt({ words: { dates: next } });
  };
  return html`<fieldset class="field"><legend>Levels, the finest first</legend>
    ${DATES.map((word) => html`<label class="check"><input type="checkbox" checked=${list.includes(word)} onChange=${() => toggle(word)} />${word}</label>`)}</fieldset>`;
}

function Csv({ first, attempt }) {
  const [text, setText] = useState(first);
  const say = (content) => {
    setText(content);
    if (content.trim()) attempt({ csv: content });
  };
  const read = async (event) => {
    const [file] = event.target.files;
    if (file) say(await file.text());
  };
  return html`<label class="field">A file<input type="file" accept=".csv,text/csv,text/plain" onChange=${read} /></label>
    <label class="field">or written here, a line for each value<textarea rows="8" class="mono" spellcheck="false" value=${text} onInput=${(event) => say(event.target.value)}></textarea>
    <span class="soft">value;level 1;…;* as in <code>Spain;European Union;Europe;*</code>. List what is possible, not only what occurs: hierarchies are published.</span></label>`;
}
