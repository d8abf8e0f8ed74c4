// Small pieces that every step is made of.
import { html, useEffect, useId, useRef, useState } from "./html.js";
import { number, percent, spoken } from "./words.js";

export function Badge({ kept, yes = "✓ kept", no = "✗ not kept", open = "not judged" }) {
  const kind = kept === true ? "" : kept === false ? " no" : " warn";
  return html`<span class=${`badge${kind}`}>${kept === true ? yes : kept === false ? no : open}</span>`;
}

export function Section({ title, soft, children, kind = "", aside = null }) {
  const id = useId();
  return html`<section class=${kind} aria-labelledby=${id}>
    <div class="headline"><h2 id=${id}>${title}</h2>${aside}</div>
    ${soft && html`<p class="soft">${soft}</p>`}
    ${children}
  </section>`;
}

// The top of a step; whoever comes here by keyboard or screen reader starts at its heading.
export function Heading({ number: at, title, children }) {
  const heading = useRef(null);
  useEffect(() => {
    if (document.activeElement?.closest?.("nav")) heading.current?.focus({ preventScroll: true });
  }, [title]);
  return html`<header class="step-head">
    <h1 tabindex="-1" ref=${heading}><span class="ordinal" aria-hidden="true">${at}</span>${title}</h1>
    <p class="lead">${children}</p>
  </header>`;
}

export function Tile({ title, big, children, kind = "" }) {
  return html`<div class=${`tile ${kind}`}><dt>${title}</dt><dd><span class="big">${big}</span><span class="soft">${children}</span></dd></div>`;
}

// What the server would not do: place, rule, repair.
export function Problems({ list, title = "That can't be" }) {
  if (!list || list.length === 0) return null;
  return html`<div class="problems" role="alert">
    <b>${title}</b>
    <ul>${list.map(
      (problem) => html`<li>${problem.place ? html`<code>${spoken(problem.place)}</code>${": "}` : ""}${problem.rule}${problem.repair ? html`; <span class="repair">${problem.repair}</span>` : ""}</li>`,
    )}</ul>
  </div>`;
}

// Of things that are counted how many, of a bound that is approached the share.
const share = (done, of) => (Number.isInteger(of) && of > 1 ? `${number(Math.floor(done))} of ${number(of)}` : percent(Math.min(done / of, 1)));

export function Progress({ done, of, text, onStop }) {
  const known = typeof of === "number" && of > 0;
  return html`<div class="progress">
    <progress max=${known ? of : null} value=${known ? done : null} aria-label="how far it is"></progress>
    <span class="soft">${text || "working"}${known ? ` (${share(done, of)})` : ""}</span>
    ${onStop && html`<button type="button" class="quiet" onClick=${onStop}>Stop</button>`}
  </div>`;
}

// Where a slider stands for a value: by equal factors where the range is wide, so that small numbers have room.
export function scale({ min, max, step }) {
  const byFactor = min > 0 && max / min > 60;
  const places = byFactor ? 120 : Math.max(Math.round((max - min) / step), 1);
  const round = (value) => {
    const near = min + Math.round((value - min) / step) * step;
    return Number(Math.min(Math.max(near, min), max).toFixed(6));
  };
  if (!byFactor) {
    return { places, at: (value) => Math.round((value - min) / step), value: (place) => round(min + place * step) };
  }
  const span = Math.log(max / min);
  return {
    places,
    at: (value) => Math.round((places * Math.log(Math.max(value, min) / min)) / span),
    value: (place) => (place >= places ? max : round(min * Math.exp((span * place) / places))),
  };
}

// A slider with a number beside it. `onDrag` at every move, `onDrop` when it comes to rest.
export function Slider({ label, value, min, max, step, text, unit = "", onDrag, onDrop, disabled = false }) {
  const id = useId();
  const map = scale({ min, max, step });
  const place = useRef(null);
  const [typed, setTyped] = useState(null);
  // Arrow keys go one step of the value, also where a place stands for several.
  const key = (event) => {
    const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const next = Number(Math.min(Math.max(value + by * step, min), max).toFixed(6));
    if (next !== value) {
      onDrag(next);
      clearTimeout(place.current);
      place.current = setTimeout(() => onDrop(next), 250);
    }
  };
  const enter = () => {
    const wish = Number(typed);
    setTyped(null);
    if (typed !== null && typed !== "" && Number.isFinite(wish) && wish !== value) onDrop(wish);
  };
  return html`<div class="slider">
    <label for=${id}>${label}</label>
    <input type="range" id=${id} min="0" max=${map.places} step="1" value=${map.at(value)} disabled=${disabled}
      aria-valuetext=${text || `${number(value)}${unit}`}
      onInput=${(event) => onDrag(map.value(Number(event.target.value)))}
      onChange=${(event) => onDrop(map.value(Number(event.target.value)))}
      onKeyDown=${key} />
    <input type="text" inputmode="decimal" class="typed" aria-label=${`${label}, as a number`} disabled=${disabled}
      value=${typed ?? String(value)}
      onInput=${(event) => setTyped(event.target.value)}
      onKeyDown=${(event) => event.key === "Enter" && enter()}
      onBlur=${enter} />
  </div>`;
}

// One of a few, as buttons side by side.
export function Choice({ label, options, value, onPick }) {
  return html`<div class="choice" role="group" aria-label=${label}>
    ${options.map(
      ([word, title]) => html`<button type="button" aria-pressed=${String(word === value)} onClick=${() => onPick(word)}>${title}</button>`,
    )}
  </div>`;
}

export function Copy({ text, label = "Copy" }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  return html`<button type="button" class="quiet" onClick=${copy}>${copied ? "Copied" : label}</button>`;
}
