// The lattice drawn on a canvas, pixel by pixel, so that 200,000 nodes are as quick as 200; and what lies under a point.
import { percent } from "../words.js";

const MARGIN = { left: 56, right: 26, top: 14, bottom: 46 };
const LEFT_OUT = [0, 0.01, 0.05, 0.1, 0.25, 0.5, 1];

// Colours of the page, light or dark, as numbers for the pixels.
function palette(node) {
  const style = getComputedStyle(node);
  const read = (name) => style.getPropertyValue(name).trim();
  const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  return {
    degrees: ["--d0", "--d1", "--d2", "--d3"].map((name) => rgb(read(name))),
    none: rgb(read("--d4")), some: rgb(read("--over")),
    ink: read("--ink"), soft: read("--soft"), line: read("--line"), mark: read("--mark"), card: read("--card"), after: read("--after"),
  };
}

// Between the colours of the degrees: little loss first.
function ramp(degrees, share) {
  const at = Math.min(Math.max(share, 0), 0.9999) * (degrees.length - 1);
  const i = Math.floor(at);
  return degrees[i].map((channel, c) => channel + (degrees[i + 1][c] - channel) * (at - i));
}

// Where each node lies, in pixels of the page.
function layout(map, view, width, height) {
  const w = width - MARGIN.left - MARGIN.right;
  const h = height - MARGIN.top - MARGIN.bottom;
  const xs = new Float32Array(map.nodes);
  const ys = new Float32Array(map.nodes);
  let size = map.nodes < 1_500 ? 6 : map.nodes < 20_000 ? 4 : 2;
  if (view === "lattice") {
    const rows = Math.max(...map.heights.length ? [map.heights.reduce((a, b) => a + b, 0)] : [0]) + 1;
    const many = new Uint32Array(rows);
    for (let i = 0; i < map.nodes; i += 1) many[map.steps[i]] += 1;
    const widest = Math.max(...many);
    const gap = Math.min(w / widest, 22);
    size = Math.max(Math.min(Math.floor(gap * 0.8), Math.floor((h / rows) * 0.7), 10), 1);
    const seen = new Uint32Array(rows);
    for (const node of map.order) {
      const row = map.steps[node];
      xs[node] = MARGIN.left + w / 2 + (seen[row] - (many[row] - 1) / 2) * gap;
      ys[node] = MARGIN.top + h - ((row + 0.5) * h) / rows;
      seen[row] += 1;
    }
    return { xs, ys, size, rows, w, h };
  }
  for (let i = 0; i < map.nodes; i += 1) {
    xs[i] = MARGIN.left + w * Math.min(map.loss[i], 1);
    ys[i] = MARGIN.top + h * (1 - Math.sqrt(Math.min(Math.max(map.suppressed[i], 0), 1)));
  }
  return { xs, ys, size, rows: 0, w, h };
}

export function draw(canvas, map, { view, promise, limit }) {
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  const ratio = Math.min(devicePixelRatio || 1, 2);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const colours = palette(canvas);
  const places = layout(map, view, width, height);
  axes(context, ratio, colours, view, places, width, height);

  const image = context.getImageData(0, 0, canvas.width, canvas.height);
  const pixels = image.data;
  const under = new Int32Array(width * height).fill(-1);
  const wanted = promise === null ? map.all : 1 << promise;
  const side = Math.max(Math.round(places.size * ratio), 1);
  const half = side / 2;
  const top = map.loss.reduce((largest, loss) => Math.max(largest, loss), 0) || 1;
  // The worst first, so that what keeps its promises with little loss lies on top.
  for (const pass of [0, 1, 2]) {
    for (let at = map.nodes - 1; at >= 0; at -= 1) {
      const node = map.order[at];
      const bits = map.kept[node] & map.all;
      const grade = (bits & wanted) === wanted ? 2 : bits ? 1 : 0;
      if (grade !== pass) continue;
      const [r, g, b] = grade === 2 ? ramp(colours.degrees, map.loss[node] / top) : grade === 1 ? colours.some : colours.none;
      const x0 = Math.round(places.xs[node] * ratio - half);
      const y0 = Math.round(places.ys[node] * ratio - half);
      for (let y = Math.max(y0, 0); y < Math.min(y0 + side, canvas.height); y += 1) {
        for (let x = Math.max(x0, 0); x < Math.min(x0 + side, canvas.width); x += 1) {
          const p = 4 * (y * canvas.width + x);
          pixels[p] = r;
          pixels[p + 1] = g;
          pixels[p + 2] = b;
          pixels[p + 3] = 255;
        }
      }
      const ux = Math.round(places.xs[node]);
      const uy = Math.round(places.ys[node]);
      if (ux >= 0 && uy >= 0 && ux < width && uy < height) under[uy * width + ux] = node;
    }
  }
  context.putImageData(image, 0, 0);
  if (view !== "lattice" && typeof limit === "number") asked(context, ratio, colours, limit, places);
  return { ...places, under, width, height };
}

function axes(context, ratio, colours, view, { rows, w, h }, width, height) {
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = "12px system-ui, sans-serif";
  context.fillStyle = colours.soft;
  context.strokeStyle = colours.line;
  const base = MARGIN.top + h;
  const text = (words, x, y, align) => {
    context.textAlign = align;
    context.fillText(words, x, y);
  };
  const line = (x0, y0, x1, y1) => {
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
    context.stroke();
  };
  if (view === "lattice") {
    const every = Math.max(Math.ceil(rows / 12), 1);
    for (let row = 0; row < rows; row += every) text(String(row), MARGIN.left - 10, base - ((row + 0.5) * h) / rows + 4, "right");
    text("each row: so many steps coarser than the table · in a row, the least loss on the left", MARGIN.left, height - 10, "left");
    context.setTransform(1, 0, 0, 1, 0, 0);
    return;
  }
  for (const share of LEFT_OUT) {
    const y = MARGIN.top + h * (1 - Math.sqrt(share));
    line(MARGIN.left, y, MARGIN.left + w, y);
    text(percent(share), MARGIN.left - 8, y + 4, "right");
  }
  for (const share of [0, 0.2, 0.4, 0.6, 0.8, 1]) text(percent(share), MARGIN.left + w * share, base + 18, "center");
  text("detail lost →", MARGIN.left + w, height - 8, "right");
  text("↑ would have to be left out", MARGIN.left, height - 8, "left");
  context.setTransform(1, 0, 0, 1, 0, 0);
}

// What may be left out, as a line over the dots.
function asked(context, ratio, colours, limit, { w, h }) {
  const y = MARGIN.top + h * (1 - Math.sqrt(limit));
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.strokeStyle = colours.mark;
  context.lineWidth = 1.5;
  context.setLineDash([4, 3]);
  context.beginPath();
  context.moveTo(MARGIN.left, y);
  context.lineTo(MARGIN.left + w, y);
  context.stroke();
  context.setLineDash([]);
  context.font = "600 12.5px system-ui, sans-serif";
  context.textAlign = "left";
  context.lineWidth = 4;
  context.strokeStyle = colours.card;
  context.fillStyle = colours.mark;
  const words = `at most ${percent(limit)}, as asked${w > 500 ? ": below it promises are kept" : ""}`;
  context.strokeText(words, MARGIN.left + 6, y - 6);
  context.fillText(words, MARGIN.left + 6, y - 6);
  context.setTransform(1, 0, 0, 1, 0, 0);
}

// The node nearest to a point, within a finger's breadth.
export function nearest(drawn, x, y, reach = 12) {
  let best = -1;
  let least = reach * reach + 1;
  for (let v = Math.max(Math.floor(y - reach), 0); v < Math.min(y + reach, drawn.height); v += 1) {
    for (let u = Math.max(Math.floor(x - reach), 0); u < Math.min(x + reach, drawn.width); u += 1) {
      const node = drawn.under[v * drawn.width + u];
      const far = (u - x) ** 2 + (v - y) ** 2;
      if (node >= 0 && far < least) [best, least] = [node, far];
    }
  }
  return best;
}
