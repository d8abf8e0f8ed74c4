// Questions, and work that takes longer. All tabs hear on one stream how far every job is; whoever follows a job gets
// what it tells, in order.
import { computed, html, signal } from "./html.js";
import { GaveWay, problemsOf, Refused, request } from "./api.js";
import { Progress } from "./parts.js";

const standing = signal({}); // how far each job is, as it was heard last: {job, kind, ended, told, done, of, text}
const asked = signal({}); // of a question that goes on as a job, by its path: {job, stopped}
const followed = new Map(); // a job: {at, read}

// From the stream: how far some jobs are.
export function hear(jobs) {
  const known = Object.values(standing.value).filter((job) => !job.ended || followed.has(job.job));
  standing.value = Object.fromEntries([...known, ...jobs].map((job) => [job.job, job]));
  for (const { job, told, ended } of jobs) {
    const one = followed.get(job);
    if (one && (ended || told > one.at)) one.read();
  }
}

// The stream is there again: something may have been missed.
export function catchUp() {
  for (const one of followed.values()) one.read();
}

// Hear what a job tells: each of it is handed to the listener of its name. Returns a function that leaves.
function follow(job, listeners) {
  const one = { at: 0, read };
  let busy = false;
  let again = false;
  const here = () => followed.get(job) === one;
  const leave = () => here() && followed.delete(job);
  async function read() {
    again = true;
    if (busy) return;
    busy = true;
    while (again && here()) {
      again = false;
      try {
        const { told, ended } = (await request(`/api/jobs/${encodeURIComponent(job)}?from=${one.at}`)).answer;
        one.at += told.length;
        for (const [name, data] of told) if (here()) listeners[name]?.(data);
        if (ended) leave();
      } catch (error) {
        if (!(error instanceof Refused) || !here()) break; // not reached: the stream says when the server is there again
        leave();
        listeners.failed?.({ problems: error.problems });
      }
    }
    busy = false;
  }
  followed.set(job, one);
  read();
  return leave;
}

// The answer to a question. Once that has become a job, `how.point` hears parts of it, and `how.leave` waits no longer;
// nobody waits, if that is `over` already.
export const get = async (path, how) => answered(path, await request(path), how);
export const post = async (path, body, how) => answered(path, await request(path, body), how);

function answered(path, { job, answer }, how = {}) {
  if (job === undefined) return answer;
  if (how.over) throw new GaveWay();
  asked.value = { ...asked.value, [path]: { job, stopped: false } };
  const over = (stopped) => asked.value[path]?.job === job && (asked.value = { ...asked.value, [path]: stopped ? { job, stopped } : undefined });
  return new Promise((resolve, reject) => {
    const leave = follow(job, {
      point: how.point,
      done: (told) => (over(false), resolve(told)),
      failed: ({ problems }) => (over(false), reject(new Refused(problems, 422))),
      stopped: () => (over(true), reject(new GaveWay())),
    });
    how.leave = () => (leave(), over(false), reject(new GaveWay()));
  });
}

// At most one question is under way; of those that come meanwhile, the newest alone is asked afterwards. One that has
// become a job gives way at once. `show(answer, wish)` is called as soon as an answer is there, so that it is drawn in
// the same frame.
export function newest(ask, show, failed = () => {}) {
  let busy = false;
  let waiting = null;
  let how = {};
  async function run(wish) {
    busy = true;
    how = {};
    try {
      show(await ask(wish, how), wish);
    } catch (error) {
      if (!(error instanceof GaveWay)) failed(error, wish);
    }
    busy = false;
    const next = waiting;
    waiting = null;
    if (next) run(next.wish);
  }
  const asking = (wish) => {
    if (!busy) return run(wish);
    waiting = { wish };
    how.over = true;
    how.leave?.();
  };
  asking.forget = () => {
    waiting = null;
    how.over = true;
    how.leave?.();
  };
  return asking;
}

const stop = (job) => request(`/api/jobs/${encodeURIComponent(job)}/stop`, {}).catch(() => {}); // of a server that is gone

// How far a job is, and a button to stop it.
export function Bar({ job, text }) {
  const now = standing.value[job];
  return html`<${Progress} done=${now?.done} of=${now?.of} text=${now?.text || text} onStop=${() => stop(job)} />`;
}

// The job that goes on with a question, if one does.
export const jobOf = (path) => (asked.value[path]?.stopped === false ? asked.value[path].job : null);

// While a question is answered: if that takes long, how far it is.
export function Asking({ path, text, again }) {
  const question = asked.value[path];
  if (!question) return html`<p class="waiting" role="status">${text}</p>`;
  if (!question.stopped) return html`<${Bar} job=${question.job} text=${text} />`;
  return html`<p class="actions"><span role="status">Stopped.</span> <button type="button" class="quiet" onClick=${again}>Ask again</button></p>`;
}

// One kind of work that a step has done: what runs of it, and how to begin it. A new one lets go of what ran before;
// what that still tells is not heard. `listeners` are those of a job: point, done, failed, stopped.
export function work(kind, listeners) {
  const running = signal(null); // {job}, once it has a name
  let round = 0;
  let leave = () => {};

  function attend(job) {
    const here = ++round;
    leave();
    const ends = (name) => (data) => {
      if (here !== round) return;
      running.value = null;
      listeners[name]?.(data);
    };
    running.value = { job };
    leave = follow(job, { point: listeners.point, done: ends("done"), failed: ends("failed"), stopped: ends("stopped") });
  }

  async function begin(parameters = {}) {
    const here = ++round;
    leave();
    running.value = { job: null };
    try {
      const { job } = (await request("/api/jobs", { kind, ...parameters })).answer;
      if (here === round) attend(job);
    } catch (error) {
      if (here !== round) return;
      running.value = null;
      listeners.failed?.({ problems: problemsOf(error) });
    }
  }

  // After a reload: what runs goes on, and so does its bar.
  async function resume() {
    const { answer } = await request("/api/jobs").catch(() => ({ answer: [] }));
    const mine = answer.find((one) => one.kind === kind);
    if (mine && !running.value) attend(mine.job);
  }

  function Running() {
    if (!running.value) return null;
    return running.value.job ? html`<${Bar} job=${running.value.job} text="starting" />` : html`<${Progress} text="starting" />`;
  }
  return { begin, resume, Running, runs: computed(() => running.value !== null) };
}
