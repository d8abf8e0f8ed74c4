// Talking to the server of this machine: questions, changes, and jobs that tell how far they are.

// What the server would not do, in its own words: [{place, rule, value, repair}].
export class Refused extends Error {
  constructor(problems, status) {
    super(problems.map((problem) => problem.rule).join("; "));
    this.problems = problems;
    this.status = status;
  }
}

async function answer(response) {
  const isJson = (response.headers.get("content-type") || "").includes("json");
  const body = isJson ? await response.json() : await response.text();
  if (response.ok) return body;
  const problems = isJson && body.problems ? body.problems : [{ rule: isJson ? JSON.stringify(body) : body }];
  throw new Refused(problems, response.status);
}

export async function get(path) {
  return answer(await fetch(path, { credentials: "same-origin" }));
}

export async function post(path, body) {
  const headers = { "content-type": "application/json" };
  return answer(await fetch(path, { method: "POST", credentials: "same-origin", headers, body: JSON.stringify(body) }));
}

const EVENTS = ["progress", "point", "done", "failed", "stopped"];

// Follow a job that runs already: each event is handed to the listener of its name. Returns a function that leaves.
export function follow(id, listeners) {
  const events = new EventSource(`/api/jobs/${encodeURIComponent(id)}/events`);
  for (const name of EVENTS) {
    events.addEventListener(name, (event) => {
      const last = name === "done" || name === "failed" || name === "stopped";
      if (last) events.close();
      listeners[name]?.(event.data ? JSON.parse(event.data) : {});
    });
  }
  // Without data it is the connection's own trouble: the browser tries again by itself, until the server is gone.
  events.onerror = () => {
    if (events.readyState === EventSource.CLOSED) listeners.failed?.({ problems: [{ rule: "The server is gone." }] });
  };
  return () => events.close();
}

// Start a job and follow it; `stop` ends it on the server, `leave` only stops listening.
export async function start(kind, parameters, listeners) {
  const { job } = await post("/api/jobs", { kind, ...parameters });
  const leave = follow(job, listeners);
  return { id: job, leave, stop: () => post(`/api/jobs/${encodeURIComponent(job)}/stop`, {}) };
}

// At most one question is under way; of those that come meanwhile, the newest alone is asked afterwards.
// `show(answer, wish)` is called as soon as an answer is there, so that it is drawn in the same frame.
export function newest(ask, show, failed = () => {}) {
  let busy = false;
  let waiting = null;
  async function run(wish) {
    busy = true;
    try {
      show(await ask(wish), wish);
    } catch (error) {
      failed(error, wish);
    }
    busy = false;
    const next = waiting;
    waiting = null;
    if (next) run(next.wish);
  }
  const asking = (wish) => (busy ? (waiting = { wish }) : run(wish));
  asking.forget = () => (waiting = null);
  return asking;
}
