// Figures as people read them: the same rules as discreet/labels/figures.py, so that page and report agree.

export function percent(share) {
  if (share === null || share === undefined || Number.isNaN(share)) return "–";
  if (share > 0 && share < 0.001) return "<0.1%";
  if (share > 0.999 && share < 1) return ">99.9%";
  return `${(100 * share).toFixed(1).replace(/\.0$/, "")}%`;
}

export function chance(share) {
  return share ? `${Number((100 * share).toPrecision(3))}%` : "0";
}

const GROUPED = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

export function number(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return GROUPED.format(value);
  return String(Number(value.toPrecision(4)));
}

export function count(value, one, many = `${one}s`) {
  return `${number(value)} ${value === 1 ? one : many}`;
}

// A tick that fits: 2k, 50k, 1M.
export function short(value) {
  if (value >= 1_000_000 && value % 1_000_000 === 0) return `${value / 1_000_000}M`;
  if (value >= 1_000 && value % 1_000 === 0) return `${value / 1_000}k`;
  return number(value);
}

export const ROLES = [
  ["identifier", "Names a person", "Never published: names, numbers, addresses."],
  ["quasi_identifier", "Others may know it", "Published as exactly as the promises allow."],
  ["sensitive", "A secret to protect", "Published; nobody may learn whose it is."],
  ["other", "Harmless", "Published as it is; nothing protects it."],
  ["person", "Says whose row it is", "Never published; where people have several rows."],
  ["wishes", "What people ask to hide", "Never published; for promises about wishes."],
  ["", "Leave it out", "Not published, not looked at."],
];

export function roleTitle(role) {
  return (ROLES.find(([word]) => word === (role ?? "")) ?? [role, role])[1];
}

// What the server says of a mistake, as a sentence of its own.
export const sentence = (text) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;

export const listed = (names) => (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);

// What `init` says, which speaks of roles by their words in a policy, in the words of this page.
export function inOurWords(text) {
  return text.replace(/\b(quasi_identifier|sensitive|identifier)\b/g, (word) => `“${roleTitle(word)}”`);
}

export function asked(question) {
  const text = inOurWords(question);
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

// How close to a person: for somebody who has never heard of k-anonymity.
export function singledOut(share) {
  if (share === null || share === undefined) return "";
  if (share === 0) return "none";
  return `${percent(share)} of all`;
}

export function join(words, last = "and") {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}

// A path of the policy as somebody would say it: attributes.age.role
export function spoken(path) {
  return Array.isArray(path) ? path.join(".") : String(path ?? "");
}

export function samePath(a, b) {
  return spoken(a) === spoken(b);
}
