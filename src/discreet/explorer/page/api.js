// Talking to the server of this machine: one request, and what came of it.

// What the server would not do, in its own words: [{place, rule, value, repair}].
export class Refused extends Error {
  constructor(problems, status) {
    super(problems.map((problem) => problem.rule).join("; "));
    this.problems = problems;
    this.status = status;
  }
}

// A question that was stopped, or gave way to a newer one. Nothing is wrong: nothing is shown.
export class GaveWay extends Error {}

// The answer; or {job}, the name of the job that goes on with what takes longer than a second.
export async function request(path, body) {
  const headers = { "content-type": "application/json" };
  const sent = body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) };
  const response = await fetch(path, { credentials: "same-origin", ...sent });
  const isJson = (response.headers.get("content-type") || "").includes("json");
  const told = isJson ? await response.json() : await response.text();
  if (response.status === 202) return { job: told.job };
  if (response.ok) return { answer: told };
  if (response.status === 409) throw new GaveWay();
  throw new Refused(isJson && told.problems ? told.problems : [{ rule: isJson ? JSON.stringify(told) : told }], response.status);
}

export const UNREACHABLE = "The explorer has ended, or can't be reached. Start it again in the terminal.";
export const problemsOf = (error) => error.problems ?? [{ rule: UNREACHABLE }];
