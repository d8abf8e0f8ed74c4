// Step 3: a card for each promise: a sentence about people, the adversary, a slider, and what it costs, at once.
import { html, useEffect } from "../html.js";
import { Asking, jobOf } from "../jobs.js";
import { candidate, cards, change, drag, drop, live, loadCards, MOVES, numberAt, people, state, wished } from "../state.js";
import { Badge, Heading, Section, Slider } from "../parts.js";
import { Ladder } from "../charts.js";
import { listed, number, percent, sentence } from "../words.js";

export function Promises({ at }) {
  const { version, searching: job } = state.value;
  useEffect(() => {
    loadCards(); // once more when the release is found: then they are judged
  }, [version, job]);
  const all = cards.value;
  const on = all?.filter((card) => card.on) ?? [];
  const off = all?.filter((card) => !card.on) ?? [];
  return html`
    <${Heading} number=${at} title="Promises">What shall nobody be able to find out? Each promise is a sentence about ${people.value}. Move a slider: the answer is there while you move it.</${Heading}>
    <${Kind} />
    ${!all ? html`<${Asking} path="/api/promises" text="Looking at the promises …" again=${loadCards} />` : null}
    ${on.length === 0 && all ? html`<p class="problems"><b>Nothing is promised yet.</b> Choose a promise below: the first one is where most begin.</p>` : null}
    <${Unguarded} />
    ${!live.value && !searching() && state.value.candidate?.impossible ? html`<${Impossible} impossible=${state.value.candidate.impossible} />` : null}
    <div class="cards">${on.map((card) => html`<${Card} key=${card.id} card=${card} />`)}</div>
    <${LeftOut} />
    <${Levels} />
    ${off.length ? html`<${Section} title="What else can be promised" soft="Each is against somebody who knows a little more, or guards something else.">
      <ul class="offers">${off.map((card) => html`<${Offer} key=${card.id} card=${card} />`)}</ul></${Section}>` : null}`;
}

// What the dragged slider says of this card, over what is known of it; nothing, while that is searched for.
const searching = () => (live.value ? jobOf(MOVES) : state.value.searching) !== null;
const UNKNOWN = { kept: null, margin_text: null, deciding: null, cost: null };
function now(card) {
  const fresh = live.value?.answer?.promises?.find((other) => other.id === card.id);
  return { ...card, ...fresh, ...(searching() ? UNKNOWN : {}) };
}

function Card({ card }) {
  const told = now(card);
  const impossible = searching() ? null : live.value?.answer?.impossible;
  const dragged = live.value?.key?.startsWith?.(`${card.id} `);
  const mine = impossible && dragged ? impossible : null;
  return html`<section class=${`card${told.kept === false || mine ? " broken" : told.kept ? "" : " open"}`} aria-label=${card.title}>
    <div class="headline"><h2>${card.title}</h2><${Badge} kept=${mine ? false : told.kept} no=${mine ? "✗ not possible" : "✗ not kept"} open=${searching() ? "searching …" : "not judged"} /></div>
    <p class="lead">${told.sentence}</p>
    <p class="soft">${card.adversary}</p>
    ${(card.parameters ?? []).map((parameter) => html`<${Parameter} key=${parameter.name} card=${card} parameter=${parameter} />`)}
    ${mine ? html`<${Impossible} impossible=${mine} />` : html`<dl class="facts">
      ${told.margin_text ? html`<dt>by how much</dt><dd>${told.margin_text}</dd>` : null}
      ${told.deciding ? html`<dt>which group decides</dt><dd><${Deciding} deciding=${told.deciding} /></dd>` : null}
      ${told.cost ? html`<dt>what it costs</dt><dd>${costs(told.cost)}</dd>` : null}
    </dl>`}
    <p class="actions"><button type="button" class="quiet" onClick=${() => change(card.turn_off)}>Don't promise this</button></p>
  </section>`;
}

// A secret that somebody has named and not protected: the report would call that grave. Of people with several rows a
// share below one half can rarely be had: whoever comes often has come for something common.
export function Unguarded() {
  const secrets = state.value.unguarded ?? [];
  if (secrets.length === 0) return null;
  const { several } = state.value.whose;
  const first = (state.value.policy.require ?? []).length;
  const made = (attribute) => (several ? { l: 3, attribute } : { l: 2, kind: "frequency", attribute });
  const guard = secrets.map((name, i) => [["require", first + i], { l_diversity: made(name) }]);
  return html`<${Section} kind="verdict warned" title=${`Nothing is promised about ${listed(secrets)}`}>
    <p>Whoever finds a group in which all have the same value knows the secret of each of them. ${several
      ? "A first promise against it: every group holds at least three different values."
      : "One promise prevents it: in no group does one value belong to more than half."}</p>
    <p class="actions"><button type="button" onClick=${() => change(guard)}>Promise that</button></p></${Section}>`;
}

function costs(cost) {
  if (typeof cost === "string") return cost;
  const parts = [];
  if (cost.loss !== null && cost.loss !== undefined) parts.push(cost.loss > 0 ? `${percent(cost.loss)} more of the detail is lost than without it` : "no detail beyond what the others cost");
  if (cost.suppressed > 0) parts.push(`${percent(cost.suppressed)} more are left out`);
  return parts.join("; ");
}

function Deciding({ deciding }) {
  if (deciding.text) return deciding.text;
  return html`one of ${number(deciding.size)} ${people.value}${deciding.labels ? html`: ${deciding.labels.map(([column, label]) => html`<span class="chip"><i>${column}</i> ${label}</span>`)}` : ""}`;
}

function Impossible({ impossible }) {
  const nearest = impossible.nearest;
  return html`<div class="problems" role="status"><b>${impossible.text ?? "This can't be kept on this table."}</b> ${sentence(impossible.rule)}
    ${impossible.repair ? html`<p>${sentence(impossible.repair)}</p>` : null}
    ${nearest?.length ? html`<p><button type="button" onClick=${() => change(nearest)}>Take the nearest that is possible: ${nearest.map(([path, value]) => `${(Array.isArray(path) ? path : path.split(".")).at(-1)} = ${value}`).join(", ")}</button></p>` : null}
  </div>`;
}

function Parameter({ card, parameter }) {
  const key = `${card.id} ${parameter.name}`;
  const value = live.value?.key === key ? live.value.value : numberAt(parameter.path, parameter.value);
  const set = (wish) => [[parameter.path, wish]];
  if (parameter.choices) {
    const picked = wished(parameter.path, parameter.value) ?? "";
    return html`<label class="field">${parameter.title ?? parameter.name}
      <select value=${picked} onChange=${(event) => change([[parameter.path, event.target.value || null]])}>
        ${parameter.choices.map(([word, title]) => html`<option value=${word ?? ""} selected=${(word ?? "") === picked}>${title}</option>`)}</select></label>`;
  }
  if (parameter.min === null || parameter.min === undefined || typeof parameter.value !== "number") return null;
  return html`<${Slider} label=${parameter.title ?? parameter.name} value=${value} min=${parameter.min} max=${parameter.max} step=${parameter.step}
    text=${live.value?.key === key ? null : parameter.text}
    onDrag=${(wish) => drag(key, wish, set(wish))} onDrop=${(wish) => drop(key, wish, set(wish))} />`;
}

function Offer({ card }) {
  return html`<li><div><b>${card.title}</b><span>${card.sentence}</span><span class="soft">${card.available === false ? card.why_not : card.adversary}</span></div>
    <button type="button" disabled=${card.available === false} onClick=${() => change(card.turn_on)}>Promise this<span class="unseen">: ${card.title}</span></button></li>`;
}

function Kind() {
  const kinds = state.value.publications ?? [];
  const chosen = kinds.find((kind) => kind.word === (wished(["publish"], state.value.policy.publish) ?? "generalization"));
  if (kinds.length < 2) return null;
  return html`<${Section} title="How values are published" soft=${chosen?.sentence}>
    <label class="field"><span class="unseen">Kind of publication</span>
      <select id="publish-as" value=${chosen?.word} onChange=${(event) => change([[["publish"], event.target.value]])}>
        ${kinds.map((kind) => html`<option value=${kind.word} selected=${kind.word === chosen?.word} disabled=${kind.available === false}>${kind.title}</option>`)}</select></label>
  </${Section}>`;
}

// Rows that may be left out, instead of making everybody's values coarser.
function LeftOut() {
  const key = "suppress at most";
  const value = live.value?.key === key ? live.value.value : numberAt(["suppress"], Number(state.value.policy.suppress ?? 0));
  const set = (wish) => [[["suppress"], wish]];
  const rows = Math.floor(value * state.value.table.rows + 1e-9);
  return html`<${Section} title="What may be left out" soft="A few unusual rows can make all values coarse. Leaving them out helps the others, but they are missing from every count.">
    <${Slider} label="At most this share" value=${value} min=${0} max=${0.2} step=${0.005} text=${`${percent(value)}, ${number(rows)} rows`}
      onDrag=${(wish) => drag(key, wish, set(wish))} onDrop=${(wish) => drop(key, wish, set(wish))} />
    <p class="soft">${percent(value)}: up to ${number(rows)} of ${number(state.value.table.rows)} rows. ${candidate.value?.suppressed !== undefined && candidate.value?.suppressed !== null ? `Now ${percent(candidate.value.suppressed)} are left out.` : ""}</p>
    ${live.value?.key === key && live.value.answer?.impossible ? html`<${Impossible} impossible=${live.value.answer.impossible} />` : null}
  </${Section}>`;
}

// How coarse each column becomes.
function Levels() {
  const levels = candidate.value?.levels;
  if (!levels) return null;
  const losses = candidate.value.loss_of ?? {};
  const names = Object.keys(levels);
  const heights = candidate.value.heights ?? state.value.candidate?.heights ?? {};
  return html`<${Section} title="What becomes of each column" soft="The more to the right, the coarser: the first dot is the value itself, the last one everything together.">
    <table class="levels-table"><thead class="unseen"><tr><th scope="col">column</th><th scope="col">level</th><th scope="col">detail lost</th></tr></thead>
    <tbody>${names.map((name) => html`<tr><th scope="row" class="name">${name}</th><td><${Ladder} level=${levels[name]} height=${heights[name] ?? levels[name]} /></td><td class="number">${losses[name] === undefined ? "" : percent(losses[name])}</td></tr>`)}</tbody></table>
  </${Section}>`;
}
