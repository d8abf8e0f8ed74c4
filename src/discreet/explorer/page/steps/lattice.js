// All nodes of the lattice as arrays: which levels a number stands for, what it loses, which promises it keeps.

function bytes(text) {
  const raw = atob(text);
  const all = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i += 1) all[i] = raw.charCodeAt(i);
  return all;
}

const floats = (text) => new Float64Array(bytes(text).buffer);

export function lattice(done) {
  const heights = done.columns.map((column) => column.height);
  const strides = heights.map((_, i) => heights.slice(i + 1).reduce((product, height) => product * (height + 1), 1));
  const nodes = heights.reduce((product, height) => product * (height + 1), 1);
  const loss = floats(done.loss);
  const suppressed = floats(done.suppressed);
  const kept = bytes(done.kept);
  const steps = new Uint16Array(nodes);
  for (let i = 0; i < nodes; i += 1) {
    let sum = 0;
    for (let c = 0; c < heights.length; c += 1) sum += Math.floor(i / strides[c]) % (heights[c] + 1);
    steps[i] = sum;
  }
  const order = new Uint32Array(nodes);
  for (let i = 0; i < nodes; i += 1) order[i] = i;
  order.sort((a, b) => loss[a] - loss[b] || a - b);
  const place = new Uint32Array(nodes);
  order.forEach((node, at) => (place[node] = at));
  return {
    columns: done.columns, heights, nodes, loss, suppressed, kept, steps, order, place,
    promises: done.promises ?? [],
    all: (1 << (done.promises ?? []).length) - 1,
    best: done.best ?? null,
    current: done.current ?? done.best ?? null,
    limit: done.limit ?? null,
    published: done.published,
    levels: (node) => heights.map((height, c) => Math.floor(node / strides[c]) % (height + 1)),
    node: (levels) => levels.reduce((sum, level, c) => sum + level * strides[c], 0),
  };
}

// Can a node be published?
export const possible = (map, node) => (map.promises.length === 0 ? Boolean(map.kept[node]) : (map.kept[node] & map.all) === map.all);

// Which promises a node keeps, for people.
export function keeps(map, node) {
  const bits = map.kept[node];
  if (map.promises.length === 0) return possible(map, node) ? "kept" : "not kept";
  if (possible(map, node)) return "keeps all promises";
  const broken = map.promises.filter((_, i) => !(bits & (1 << i))).map((promise) => promise.title);
  return `does not keep ${broken.join(", ")}`;
}
