// Step 8: the release folder, by the same code as `discreet anonymize`; the report, the policy and the command.
import { html, signal, useEffect } from "../html.js";
import { work } from "../jobs.js";
import { load, refresh, state } from "../state.js";
import { Badge, Copy, Heading, Problems, Section } from "../parts.js";
import { count } from "../words.js";
import { Unguarded } from "./promises.js";

const about = signal(null); // GET /api/publish
const folder = signal(null);
const seed = signal("");
const force = signal(false);
const result = signal(null);
const refusal = signal([]);
const stopped = signal(false);

const writing = work("publish", {
  done: (done) => {
    result.value = done;
    load();
  },
  stopped: () => (stopped.value = true),
  failed: (told) => (refusal.value = told.problems),
});

function begin(event) {
  event.preventDefault();
  refusal.value = [];
  stopped.value = false;
  result.value = null;
  const number = seed.value.trim() === "" ? null : Number(seed.value);
  writing.begin({ folder: folder.value ?? about.value.folder, seed: number, force: force.value });
}

export function Publish({ at }) {
  const version = state.value.version;
  useEffect(() => {
    refresh(about, "/api/publish");
    if (!result.value) writing.resume();
  }, [version]);
  const told = about.value;
  if (!told) return html`<${Heading} number=${at} title="Publish">…</${Heading}>`;
  return html`
    <${Heading} number=${at} title="Publish">The release is written by the same code as on the command line, checked on the groups that were searched, and once more from the published files.</${Heading}>
    ${told.ready === false ? html`<${Section} kind="verdict warned" title="Not yet"><p>${told.why_not}</p>${(state.value.open ?? []).length ? html`<p><a class="button" href="#columns">${count(state.value.open.length, "open decision")} →</a></p>` : null}</${Section}>` : null}
    <${Unguarded} />
    <${Section} title="Write the release">
      <form onSubmit=${begin}>
        <label class="field">Folder<input type="text" name="folder" required value=${folder.value ?? told.folder} onInput=${(event) => (folder.value = event.target.value)} spellcheck="false" />
          <span class="soft">To publish; below ${told.root}. Beside it, a private folder is written for you and your board.</span></label>
        <div class="fields"><label class="field small">Seed<input type="text" inputmode="numeric" name="seed" pattern="[0-9]*" value=${seed.value} onInput=${(event) => (seed.value = event.target.value)} />
          <span class="soft">empty: other random numbers in each run, which is safer</span></label>
        <label class="check"><input type="checkbox" name="force" checked=${force.value} onChange=${(event) => (force.value = event.target.checked)} />replace an older release</label></div>
        ${writing.runs.value ? html`<${writing.Running} />` : html`<p class="actions"><button type="submit" disabled=${told.ready === false}>Publish</button></p>`}
      </form>
      ${stopped.value ? html`<p role="status">Stopped. Nothing was written.</p>` : null}
      <${Problems} list=${refusal.value} title="It was not published" />
    </${Section}>
    ${result.value ? html`<${Result} result=${result.value} />` : null}
    <${Section} title="The same on the command line" soft="The page does nothing that the command does not do. With the same seed it gives the same files.">
      <${Command} text=${result.value?.command ?? told.command} />
      ${told.policy_text ? html`<details><summary>policy.yaml</summary><pre tabindex="0" aria-label="policy.yaml">${told.policy_text}</pre><${Copy} text=${told.policy_text} label="Copy the policy" /></details>` : null}
    </${Section}>`;
}

function Command({ text }) {
  if (!text) return null;
  return html`<div class="command"><pre tabindex="0" aria-label="command">${text}</pre><${Copy} text=${text} /></div>`;
}

function Result({ result: done }) {
  return html`<${Section} kind=${`verdict${done.verified === false ? " broken" : ""}`} title="Published" aside=${html`<${Badge} kept=${done.verified ?? true} yes="✓ written and checked" no="✗ not verified" />`}>
    <dl class="facts"><dt>to publish</dt><dd><code>${done.folder}</code></dd>${done.private_folder ? html`<dt>for you alone</dt><dd><code>${done.private_folder}</code></dd>` : null}${done.policy_path ? html`<dt>policy</dt><dd><code>${done.policy_path}</code></dd>` : null}</dl>
    ${done.lines?.length ? html`<ul class="lines-said">${done.lines.map((line) => html`<li>${line}</li>`)}</ul>` : null}
    ${done.report ? html`<iframe class="report" title="The report of the release" sandbox="" src=${done.report}></iframe><p class="soft"><a href=${done.report} target="_blank" rel="noreferrer">The report in a window of its own</a></p>` : null}
  </${Section}>`;
}
