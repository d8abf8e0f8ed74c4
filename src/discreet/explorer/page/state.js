// What the page knows: one state, kept by the server; every tab has the same, and a reload loses nothing.
import { batch, computed, signal } from "./html.js";
import { get, newest, post, Refused } from "./api.js";

export const state = signal(null); // GET /api/state
export const columns = signal(null);
export const cards = signal(null);
export const problems = signal([]); // of the last change that was refused
export const gone = signal(""); // why the server can't be asked any more
export const working = signal(0); // changes under way
export const live = signal(null); // while a slider is dragged: {key, value, answer}

// The release that the policy gives, as it stands or as a slider that is being dragged would have it.
export const candidate = computed(() => {
  const answer = live.value?.answer;
  const current = state.value?.candidate ?? null;
  return answer ? { ...current, ...answer } : current;
});

export const people = computed(() => state.value?.whose?.people ?? "rows");

function lost(error) {
  if (error instanceof Refused && error.status === 422) return false;
  const text = error instanceof Refused ? error.message : "The explorer has ended, or can't be reached. Start it again in the terminal.";
  gone.value = text;
  return true;
}

export async function load() {
  try {
    const fresh = await get("/api/state");
    batch(() => {
      state.value = fresh;
      gone.value = "";
    });
  } catch (error) {
    if (!lost(error)) throw error;
  }
}

// Ask for something and put it in a signal; what is shown stays until the answer is there.
export async function refresh(into, path, pick = (answer) => answer) {
  try {
    into.value = pick(await get(path));
    return into.value;
  } catch (error) {
    if (!lost(error)) problems.value = error.problems;
    return null;
  }
}

export const loadColumns = (rare = false) => refresh(columns, rare ? "/api/columns?rare=1" : "/api/columns");
export const loadCards = () => refresh(cards, "/api/promises");

// Change words of the policy. True if the server took them; else `problems` says what was wrong, and nothing changed.
export async function change(set) {
  return send("/api/policy", { set }, (answer) => answer);
}

export async function send(path, body, stateOf) {
  working.value += 1;
  try {
    const answer = await post(path, body);
    batch(() => {
      state.value = stateOf(answer);
      problems.value = [];
    });
    return answer;
  } catch (error) {
    if (!lost(error)) problems.value = error.problems;
    return null;
  } finally {
    working.value -= 1;
    catchUp();
  }
}

// The live answer of a slider: as if `set` were in the policy. Nothing is changed.
export const tryOut = newest(
  ({ set }) => post("/api/answer", { set, wanted: ["promises", "loss"] }),
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

// Another tab changed something, or a release was found: the server says so. Not while a change of ours is under way.
let stamp = 0;

function catchUp() {
  if (state.value && working.value === 0 && state.value.stamp < stamp) load();
}

export function listen() {
  const events = new EventSource("/api/events");
  events.addEventListener("state", (event) => {
    stamp = JSON.parse(event.data || "{}").stamp ?? 0;
    catchUp();
  });
  events.addEventListener("open", () => gone.value && load());
}
