// Values dragged into groups; by keyboard: choose values, then press the group they go to.
import { html, useState } from "../html.js";
import { number } from "../words.js";

export function Groups({ hierarchy, attempt }) {
  const values = hierarchy.values ?? [];
  const rows = new Map(values);
  const [groups, setGroups] = useState(() => firstGroups(hierarchy));
  const [chosen, setChosen] = useState([]);
  const [name, setName] = useState("");
  const grouped = new Set(groups.flatMap((group) => group.values));
  const free = values.map(([value]) => value).filter((value) => !grouped.has(value));

  const say = (next) => {
    setGroups(next);
    setChosen([]);
    const full = next.filter((group) => group.values.length);
    if (full.length) attempt({ groups: full });
  };
  const put = (moved, label) =>
    say(groups.map((group) => ({ ...group, values: [...group.values.filter((value) => !moved.includes(value)), ...(group.label === label ? moved : [])] })));
  const add = () => {
    const label = name.trim();
    if (!label || groups.some((group) => group.label === label)) return;
    setName("");
    say([...groups, { label, values: [] }].map((group) => ({ ...group, values: [...group.values.filter((value) => !chosen.includes(value)), ...(group.label === label ? chosen : [])] })));
  };
  const toggle = (value) => setChosen(chosen.includes(value) ? chosen.filter((other) => other !== value) : [...chosen, value]);

  const chip = (value) => html`<button type="button" class="chip pick" draggable="true" aria-pressed=${String(chosen.includes(value))} onClick=${() => toggle(value)}
    onDragStart=${(event) => event.dataTransfer.setData("text/plain", JSON.stringify(chosen.includes(value) ? chosen : [value]))}>${value}${rows.has(value) ? html` <i>${number(rows.get(value))}</i>` : ""}</button>`;
  const box = (label, list, title) => html`<div class="group-box" role="group" aria-label=${title}
      onDragOver=${(event) => event.preventDefault()}
      onDrop=${(event) => (event.preventDefault(), put(dropped(event), label))}>
    <div class="group-head"><b>${title}</b>
      <button type="button" class="quiet" disabled=${chosen.length === 0} onClick=${() => put(chosen, label)}>Move here<span class="unseen">: to ${title}</span></button>
      ${label === null ? null : html`<button type="button" class="quiet" aria-label=${`Dissolve ${title}`} onClick=${() => say(groups.filter((group) => group.label !== label))}>Dissolve</button>`}</div>
    <div class="chips">${list.length ? list.map(chip) : html`<span class="soft">drag values here</span>`}</div>
  </div>`;

  return html`<p class="soft">Drag values into groups, or choose some and press “Move here”. ${hierarchy.hidden_values ? `${number(hierarchy.hidden_values)} rare values are not named: a table of levels (CSV) can group them.` : ""}</p>
    ${box(null, free, "Not grouped")}
    ${groups.map((group) => box(group.label, group.values, group.label))}
    <div class="fields"><label class="field small">A new group<input type="text" value=${name} onInput=${(event) => setName(event.target.value)} onKeyDown=${(event) => event.key === "Enter" && add()} /></label>
      <button type="button" class="quiet" disabled=${!name.trim()} onClick=${add}>Add${chosen.length ? ` with ${chosen.length} chosen` : ""}</button></div>`;
}

function dropped(event) {
  try {
    const list = JSON.parse(event.dataTransfer.getData("text/plain"));
    return Array.isArray(list) ? list.map(String) : [];
  } catch {
    return [];
  }
}

// The groups that are there: what stands right below the root.
function firstGroups(hierarchy) {
  if (hierarchy.groups) return hierarchy.groups;
  return (hierarchy.tree?.children ?? [])
    .filter((node) => node.children?.length)
    .map((node) => ({ label: node.label, values: leaves(node) }));
}

function leaves(node) {
  if (node.label === undefined) return [];
  return node.children?.length ? node.children.flatMap(leaves) : [node.label];
}
