// What the page knows: one state, kept by the server; every tab has the same, and a reload loses nothing.
import { batch, computed, signal } from "./html.js";
import { GaveWay, problemsOf, Refused, UNREACHABLE } from "./api.js";
import { catchUp, get, hear, newest, post } from "./jobs.js";
import { samePath } from "./words.js";

export const state = signal(null); // GET /api/state
export const columns = signal(null);
export const cards = signal(null);
export const problems = signal([]); // of the last changes that were refused
export const gone = signal(""); // why the server can't be asked any more
export const live = signal(null); // while a slider is dragged: {key, value, answer}

// The release that the policy gives, as it stands or as a slider that is being dragged would have it.
export const candidate = computed(() => {
  const answer = live.value?.answer;
  const current = state.value?.candidate ?? null;
  return answer ? { ...current, ...answer } : current;
});

export const people = computed(() => state.value?.whose?.people ?? "rows");
export const person = computed(() => state.value?.whose?.person ?? "row");
export const rows = computed(() => state.value?.whose?.rows ?? "rows"); // of what is counted in rows, whosever they are

function lost(error) {
  if (error instanceof GaveWay || (error instanceof Refused && error.status === 422)) return false;
  gone.value = error instanceof Refused ? error.message : UNREACHABLE;
  return true;
}

// An answer may come after that to a later question: then it is old.
function take(fresh) {
  if (state.value && (fresh.version < state.value.version || fresh.stamp < state.value.stamp)) return;
  batch(() => {
    state.value = fresh;
    gone.value = "";
  });
}

// Another tab changed something, or a release was found: the server says so. Not while a change of ours is under way.
let stamp = 0;
const reload = newest(() => get("/api/state"), (fresh) => (take(fresh), keepUp()), lost);

export const load = () => reload({});

function keepUp() {
  if (state.value && waiting.value.length === 0 && state.value.stamp < stamp) load();
}

// Ask for something and put it in a signal; what is shown stays until the answer is there.
const asks = new Map(); // a signal, and the number of the last question about it
export async function refresh(into, path, pick = (answer) => answer) {
  const number = (asks.get(into) ?? 0) + 1;
  asks.set(into, number);
  try {
    const answer = await get(path);
    if (asks.get(into) === number) into.value = pick(answer);
  } catch (error) {
    if (!(error instanceof GaveWay) && !lost(error)) problems.value = error.problems;
  }
}

export const columnsPath = (rare) => (rare ? "/api/columns?rare=1" : "/api/columns");
export const loadColumns = (rare = false) => refresh(columns, columnsPath(rare));
export const loadCards = () => refresh(cards, "/api/promises");

// Changes are sent one after the other, in the order in which they were wished: somebody may be quicker than the server.
const waiting = signal([]); // those that are not answered yet
let last = Promise.resolve();
export const working = computed(() => waiting.value.length);

// Change words of the policy. True if the server took them; else `problems` says what was wrong, and nothing changed.
// Promises are named by their numbers, as this page has them now (`since`).
export async function change(set) {
  return send("/api/policy", { set, since: state.value.version }, (answer) => answer);
}

export function send(path, body, stateOf) {
  const wish = body.set ?? [];
  problems.value = [];
  waiting.value = [...waiting.value, wish];
  const answered = last.then(() => sent(path, body, stateOf)).finally(() => {
    waiting.value = waiting.value.filter((other) => other !== wish);
    keepUp();
  });
  last = answered;
  return answered;
}

async function sent(path, body, stateOf) {
  try {
    const answer = await post(path, body);
    take(stateOf(answer));
    return answer;
  } catch (error) {
    if (!lost(error)) problems.value = [...problems.value, ...problemsOf(error)];
    return null;
  }
}

// What somebody wished at a path of the policy and was not answered yet; else what is there.
export function wished(path, there) {
  const wishes = waiting.value.flat().filter(([other]) => samePath(other, path));
  return wishes.length ? wishes.at(-1)[1] : there;
}

// A number of the policy: as it is wished, as it stands, or as the cards have it, which come later.
export function numberAt(path, told) {
  const stands = path.reduce((words, step) => words?.[step], state.value.policy);
  const value = wished(path, stands);
  return typeof value === "number" ? value : told;
}

// The live answer of a slider: as if `set` were in the policy. Nothing is changed.
export const MOVES = "/api/answer";
export const tryOut = newest(
  ({ key, value, set }, how) => {
    how.point = (meant) => live.value?.key === key && live.value.value === value && (live.value = { ...live.value, answer: meant });
    return post(MOVES, { set }, how);
  },
  (answer, wish) => {
    if (live.value?.key === wish.key) live.value = { ...live.value, answer, of: wish.value };
  },
  (error, wish) => {
    if (lost(error) || live.value?.key !== wish.key) return;
    const [problem] = error.problems;
    live.value = { ...live.value, of: wish.value, answer: { impossible: { rule: problem.rule, repair: problem.repair, nearest: null } } };
  },
);

export function drag(key, value, set) {
  live.value = { key, value, answer: live.value?.key === key ? live.value.answer : null };
  tryOut({ key, value, set });
}

export async function drop(key, value, set) {
  tryOut.forget();
  const taken = await change(set);
  if (taken && cards.value) await loadCards();
  if (live.value?.key === key && live.value.value === value) live.value = null; // unless it is dragged again already
  return taken;
}

// One stream for all that there is to hear. A tab that nobody looks at lets it go: a browser has few connections to a
// server, and all tabs share them.
export function listen() {
  let events = null;
  const open = () => {
    if (document.visibilityState === "hidden" || events) return;
    events = new EventSource("/api/events");
    events.addEventListener("state", (event) => {
      stamp = JSON.parse(event.data).stamp;
      keepUp();
    });
    events.addEventListener("jobs", (event) => hear(JSON.parse(event.data)));
    events.addEventListener("open", () => (catchUp(), gone.value && load()));
  };
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState !== "hidden") return open();
    events?.close();
    events = null;
  });
  open();
}
