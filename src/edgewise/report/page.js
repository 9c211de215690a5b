"use strict";
/* The page makes elements and gives them text; it never makes markup of the data, so names may hold anything. */

const graph = JSON.parse(document.getElementById("graph-data").textContent);
const names = graph.nodes;
const rowsOf = (columns) => Object.values(columns)[0].map((_, number) =>
  Object.fromEntries(Object.keys(columns).map((column) => [column, columns[column][number]])));
const edges = rowsOf(graph.edges);
const edgeOf = new Map(edges.map((edge) => [`${edge.source} ${edge.target}`, edge]));

/* Pairs, also in their more probable directions, and with the effect of the cause where these can be told. */
const pairs = rowsOf(graph.pairs).map((pair) => {
  const isForward = pair.forward >= pair.backward, isTold = pair.direction !== "-";
  const [source, target] = isForward ? [pair.a, pair.b] : [pair.b, pair.a];
  const { effect, effect_lower, effect_upper } = isTold ? edgeOf.get(`${source} ${target}`) ?? {} : {};
  return { ...pair, source, target, isTold, effect, effect_lower, effect_upper };
});
const bends = new Map(graph.bends.map(([source, target, ...places]) => [`${source} ${target}`, places]));
const hasEffects = edges.length > 0 && "effect" in edges[0];

const state = { threshold: graph.threshold, chosen: null, focused: null, near: false };

const find = (id) => document.getElementById(id);

function make(tag, attributes = {}, ...content) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...content);
  return element;
}

function draw(tag, attributes = {}, ...content) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...content);
  return element;
}

const ARROWS = { "->": "→", "<-": "←", "-": "–" };
const isNumber = (value) => value !== null && value !== undefined;
const fixed = (value) => (isNumber(value) ? value.toFixed(3) : "–");
const short = (value) => (!isNumber(value) ? "–" : value === 0 ? "0" : value.toPrecision(3));
/* Long names often differ only at their ends, so they are cut before that. */
function cut(text, longest) {
  const letters = [...text], tail = Math.floor((longest - 1) / 3);
  if (letters.length <= longest) return text;
  return letters.slice(0, longest - 1 - tail).join("") + "…" + letters.slice(letters.length - tail).join("");
}

/* The graph. */

const LONGEST = 13;
const WIDTH = 22 + 8 * Math.min(LONGEST, Math.max(4, ...names.map((name) => [...name].length)));
const HEIGHT = 32, UNIT = WIDTH + 16, LAYER = 84, MARGIN = 16;
const picture = find("picture");
let view = null;

function shownPairs() {
  return pairs.filter((pair) => pair.joined >= state.threshold);
}

/* A Markov blanket, every pair taken in its more probable direction. */
function neighbourhood(chosen, shown) {
  const members = new Set([chosen]);
  for (const pair of shown) {
    if (pair.target === chosen) members.add(pair.source);
    if (pair.source === chosen) {
      members.add(pair.target);
      for (const other of shown) if (other.target === pair.target) members.add(other.source);
    }
  }
  return members;
}

const byPlace = (v, w) => graph.down[v] - graph.down[w] || graph.across[v] - graph.across[w];

/* Coordinates of all variables, causes above effects. */
function wholePlaces() {
  return new Map(names.map((_, v) => [v, [graph.across[v] * UNIT, graph.down[v] * LAYER]]));
}

/* Coordinates of a Markov blanket: parents above, the chosen variable between the other parents of its children, which
   are below. */
function blanketPlaces(members, shown) {
  const has = (source, target) => shown.some((pair) => pair.source === source && pair.target === target);
  const above = [], beside = [], below = [];
  for (const v of [...members].sort(byPlace)) {
    if (v === state.chosen) continue;
    (has(v, state.chosen) ? above : has(state.chosen, v) ? below : beside).push(v);
  }
  beside.splice(Math.floor(beside.length / 2), 0, state.chosen);
  const places = new Map();
  [above, beside, below].filter((row) => row.length).forEach((row, number) => row.forEach((v, column) =>
    places.set(v, [(column - (row.length - 1) / 2) * UNIT, number * LAYER * 1.3])));
  return places;
}

function pathOf(pair, places, isWhole) {
  const [x, y] = places.get(pair.source), [toX, toY] = places.get(pair.target);
  const gap = pair.isTold ? 9 : 0; // for the head of the arrow
  if (toY <= y) {
    const start = x + WIDTH / 2, end = toX + WIDTH / 2, out = Math.max(start, end) + 46;
    return `M${start} ${y}C${out} ${y} ${out} ${toY} ${end + gap} ${toY}`;
  }
  const middle = isWhole ? bends.get(`${pair.source} ${pair.target}`) || [] : [];
  const points = [[x, y + HEIGHT / 2], ...middle.map((across, number) => [across * UNIT, y + (number + 1) * LAYER]),
    [toX, toY - HEIGHT / 2 - gap]];
  let path = `M${points[0][0]} ${points[0][1]}`;
  for (let k = 1; k < points.length; k++) {
    const half = (points[k - 1][1] + points[k][1]) / 2;
    path += `C${points[k - 1][0]} ${half} ${points[k][0]} ${half} ${points[k][0]} ${points[k][1]}`;
  }
  return path;
}

function arrowHead() {
  return draw("marker", { id: "head", viewBox: "0 0 10 10", refX: 1, refY: 5, markerWidth: 11, markerHeight: 11,
    markerUnits: "userSpaceOnUse", orient: "auto" }, draw("path", { class: "head told", d: "M0 0 10 5 0 10z" }));
}

function drawGraph({ fit = false } = {}) {
  const shown = shownPairs();
  const around = state.chosen === null ? null : neighbourhood(state.chosen, shown);
  const members = state.near && around ? around : new Set(names.keys());
  const isWhole = members.size === names.length;
  const places = isWhole ? wholePlaces() : blanketPlaces(members, shown);
  const lines = draw("g"), boxes = draw("g");
  const drawn = shown.filter((pair) => members.has(pair.source) && members.has(pair.target));
  for (const pair of [...drawn].reverse()) {
    const kind = pair.isTold ? "told" : "open";
    const touches = state.chosen === null || pair.source === state.chosen || pair.target === state.chosen;
    const line = draw("path", { class: `edge ${kind}`, d: pathOf(pair, places, isWhole),
      "stroke-width": 1 + 3.5 * pair.joined, opacity: (0.2 + 0.8 * pair.joined) * (touches ? 1 : 0.3) });
    if (pair.isTold) line.setAttribute("marker-end", "url(#head)");
    line.append(draw("title", {}, `${names[pair.a]} ${ARROWS[pair.direction]} ${names[pair.b]}\n` +
      `joined: ${fixed(pair.joined)}\n→ ${fixed(pair.forward)}, told ${fixed(pair.told_forward)}\n` +
      `← ${fixed(pair.backward)}, told ${fixed(pair.told_backward)}`));
    lines.append(line);
  }
  const order = [...members].sort(byPlace);
  const reachable = members.has(state.focused) ? state.focused : state.chosen ?? order[0];
  for (const v of order) {
    const [x, y] = places.get(v);
    const isChosen = v === state.chosen;
    const box = draw("g", { class: "node", transform: `translate(${x} ${y})`, role: "button", "data-node": v,
      tabindex: v === reachable ? 0 : -1, "aria-pressed": isChosen, "aria-label": names[v] },
      draw("title", {}, names[v]),
      draw("rect", { x: -WIDTH / 2, y: -HEIGHT / 2, width: WIDTH, height: HEIGHT, rx: 8 }),
      draw("text", {}, cut(names[v], LONGEST)));
    box.classList.toggle("chosen", isChosen);
    box.classList.toggle("faint", around !== null && !around.has(v));
    boxes.append(box);
  }
  const hadFocus = picture.contains(document.activeElement);
  picture.replaceChildren(draw("defs", {}, arrowHead()), lines, boxes);
  if (hadFocus) focusNode();
  find("count").textContent = `${drawn.length} pair${drawn.length === 1 ? "" : "s"} shown` +
    (isWhole ? "" : `, between ${members.size} of ${names.length} variables`) +
    (state.chosen === null ? "" : `; ${cut(names[state.chosen], 40)} is selected`);
  if (fit) fitView(lines.getBBox(), boxes.getBBox());
  else if (state.chosen !== null) reveal(...places.get(state.chosen));
}

function focusNode() {
  picture.querySelector('[tabindex="0"]')?.focus({ preventScroll: true });
}

/* Move the view, if need be, so that a place is in it. */
function reveal(x, y) {
  const isIn = x > view.x && x < view.x + view.width && y > view.y && y < view.y + view.height;
  if (!isIn) setView({ ...view, x: x - view.width / 2, y: y - view.height / 2 });
}

function fitView(...parts) {
  const filled = parts.filter((part) => part.width > 0);
  const left = Math.min(...filled.map((part) => part.x)) - MARGIN, top = Math.min(...filled.map((part) => part.y)) - MARGIN;
  const width = Math.max(...filled.map((part) => part.x + part.width)) + MARGIN - left;
  const height = Math.max(...filled.map((part) => part.y + part.height)) + MARGIN - top;
  /* A few variables are not blown up to fill the picture. */
  const scale = Math.max(1, picture.clientWidth / width);
  const wanted = picture.clientWidth / (width * scale) * height;
  picture.style.height = `${Math.min(Math.max(wanted, 240), 0.75 * window.innerHeight)}px`;
  setView({ x: left - width * (scale - 1) / 2, y: top, width: width * scale, height });
}

function setView(next) {
  view = next;
  picture.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
}

function zoom(factor) {
  setView({ x: view.x + view.width * (1 - factor) / 2, y: view.y + view.height * (1 - factor) / 2,
    width: view.width * factor, height: view.height * factor });
}

function choose(v) {
  state.chosen = v;
  if (v !== null) state.focused = v;
  drawGraph({ fit: state.near });
  fillPanel();
}

/* The panel of the chosen variable. */

/* A name that selects its variable; the focus then goes to the panel, which is made anew. */
function nameButton(v) {
  const button = make("button", { type: "button", class: "link", title: names[v] }, make("bdi", {}, cut(names[v], 40)));
  button.addEventListener("click", () => {
    choose(v);
    find("graph").scrollIntoView({ block: "nearest" });
    find("panel").firstChild.focus({ preventScroll: true });
  });
  return button;
}

function rankedList(title, items, none) {
  const list = make("ol");
  for (const [v, text] of items) list.append(make("li", {}, nameButton(v), make("span", { class: "value" }, text)));
  return [make("h4", {}, title), items.length ? list : make("p", {}, none)];
}

/* Enough to see what a variable depends on; the table of pairs has all. */
const MOST_EDGES = 8, MOST_IN_BLANKET = 20, LEAST = 0.01;

function fillPanel() {
  const panel = find("panel"), v = state.chosen;
  panel.classList.toggle("empty", v === null);
  if (v === null) {
    panel.replaceChildren(make("p", { tabindex: -1 }, "No variable is selected. Click one in the graph, or find it by " +
      "name: its most probable parents and children and its Markov blanket then show here."));
    return;
  }
  const list = (end, other) => edges.filter((edge) => edge[end] === v && edge.probability >= LEAST).slice(0, MOST_EDGES)
    .map((edge) => [edge[other], fixed(edge.probability) + (isNumber(edge.effect) ? `, effect ${short(edge.effect)}` : "")]);
  const blanket = graph.blankets[v].slice(0, MOST_IN_BLANKET).map(([other, share]) => [other, fixed(share)]);
  const clear = make("button", { type: "button" }, "Clear selection");
  clear.addEventListener("click", () => {
    choose(null);
    panel.firstChild.focus({ preventScroll: true });
  });
  panel.replaceChildren(make("h3", { tabindex: -1 }, make("bdi", {}, names[v])),
    ...rankedList("Most probable parents", list("target", "source"), "None has a probability of 0.01 or more."),
    ...rankedList("Most probable children", list("source", "target"), "None has a probability of 0.01 or more."),
    ...(hasEffects ? [make("p", { class: "note" }, "Effects are total, given that there is a path.")] : []),
    ...rankedList("Markov blanket: parents, children, and their other parents", blanket,
      "None has a probability of 0.05 or more."),
    make("p", {}, clear));
}

/* The table of pairs. */

const share = (title, key) => ({ title, key, show: (pair) => fixed(pair[key]) });
const columns = [
  { title: "a", key: "a", text: true },
  { title: "direction", key: "direction", show: (pair) => ARROWS[pair.direction] },
  { title: "b", key: "b", text: true },
  share("joined", "joined"),
  { title: "Monte Carlo interval", key: "lower", wide: true, show: (pair) => `${fixed(pair.lower)} – ${fixed(pair.upper)}` },
  share("→", "forward"), share("←", "backward"), share("told →", "told_forward"), share("told ←", "told_backward"),
];
if (hasEffects) {
  columns.push({ title: "effect", key: "effect", show: (pair) => short(pair.effect) },
    { title: "interval of effect", key: "effect_lower", wide: true,
      show: (pair) => (isNumber(pair.effect) ? `${short(pair.effect_lower)} to ${short(pair.effect_upper)}` : "–") });
}
const FIRST_ROWS = 25, MORE_ROWS = 250;
const table = { column: columns[3], falling: true, filter: "", rows: FIRST_ROWS };

function compareBy({ key, text }) {
  if (text) return (one, other) => names[one[key]].localeCompare(names[other[key]], undefined, { numeric: true });
  return (one, other) => {
    const x = one[key] ?? -Infinity, y = other[key] ?? -Infinity;
    return x < y ? -1 : x > y ? 1 : 0;
  };
}

function drawTable() {
  const wanted = table.filter.toLocaleLowerCase();
  const kept = pairs.filter((pair) => [pair.a, pair.b].some((v) => names[v].toLocaleLowerCase().includes(wanted)));
  const compare = compareBy(table.column);
  kept.sort((one, other) => (table.falling ? compare(other, one) : compare(one, other)));
  const body = make("tbody");
  for (const pair of kept.slice(0, table.rows)) {
    const row = make("tr");
    for (const column of columns) {
      const cell = make("td", { "data-column": column.key });
      if (column.text) cell.className = "text";
      if (column.wide) cell.className = "wide";
      cell.append(column.text ? nameButton(pair[column.key]) : column.show(pair));
      row.append(cell);
    }
    body.append(row);
  }
  find("pair-table").tBodies[0].replaceWith(body);
  document.querySelectorAll("#pair-table th").forEach((head, number) =>
    head.setAttribute("aria-sort", columns[number] !== table.column ? "none" : table.falling ? "descending" : "ascending"));
  document.querySelectorAll("#pair-table th .arrow").forEach((arrow, number) => {
    arrow.textContent = columns[number] !== table.column ? "" : table.falling ? " ▾" : " ▴";
  });
  const shown = Math.min(kept.length, table.rows);
  find("row-count").textContent = `${shown.toLocaleString("en")} of ${kept.length.toLocaleString("en")} pairs listed`;
  find("more").hidden = shown === kept.length;
}

function buildTable() {
  const head = document.querySelector("#pair-table thead tr");
  for (const column of columns) {
    const button = make("button", { type: "button" }, column.title, make("span", { class: "arrow", "aria-hidden": "true" }));
    button.addEventListener("click", () => {
      table.falling = column === table.column ? !table.falling : !column.text;
      table.column = column;
      drawTable();
    });
    head.append(make("th", { scope: "col", ...(column.text ? { class: "text" } : {}) }, button));
  }
  drawTable();
}

/* Events. */

function listen() {
  const slider = find("threshold");
  slider.value = state.threshold;
  const showThreshold = () => { find("threshold-value").textContent = Number(slider.value).toFixed(2); };
  showThreshold();
  slider.addEventListener("input", () => {
    state.threshold = Number(slider.value);
    showThreshold();
    drawGraph({ fit: state.near && state.chosen !== null });
  });

  const search = find("search");
  const choices = find("names");
  for (const name of names) choices.append(make("option", { value: name }));
  const plain = (text) => text.toLocaleLowerCase().replace(/\s+/g, "");
  const look = (isComplete) => {
    const wanted = plain(search.value);
    const matches = [(name) => name === search.value, (name) => plain(name) === wanted,
      (name) => isComplete && wanted && plain(name).includes(wanted)];
    const v = matches.reduce((found, isMatch) => (found < 0 ? names.findIndex(isMatch) : found), -1);
    search.setCustomValidity(v < 0 && isComplete && wanted ? "No variable has such a name." : "");
    search.reportValidity();
    if (v >= 0 && v !== state.chosen) choose(v);
  };
  search.addEventListener("input", () => look(false));
  search.addEventListener("keydown", (event) => { if (event.key === "Enter") look(true); });

  const near = find("near");
  near.checked = state.near;
  near.addEventListener("change", () => {
    state.near = near.checked;
    drawGraph({ fit: true });
  });

  find("zoom-in").addEventListener("click", () => zoom(0.8));
  find("zoom-out").addEventListener("click", () => zoom(1.25));
  find("zoom-fit").addEventListener("click", () => drawGraph({ fit: true }));
  picture.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? 0.9 : 1.1);
  }, { passive: false });

  let grip = null;
  picture.addEventListener("pointerdown", (event) => {
    grip = { x: event.clientX, y: event.clientY, view, moved: false };
  });
  picture.addEventListener("pointermove", (event) => {
    if (grip === null || event.buttons === 0) return;
    const scale = Math.max(view.width / picture.clientWidth, view.height / picture.clientHeight);
    const x = (event.clientX - grip.x) * scale, y = (event.clientY - grip.y) * scale;
    if (!grip.moved && Math.abs(x) + Math.abs(y) < 6 * scale) return;
    grip.moved = true;
    picture.classList.add("dragged");
    setView({ ...grip.view, x: grip.view.x - x, y: grip.view.y - y });
  });
  for (const end of ["pointerup", "pointercancel"]) {
    window.addEventListener(end, () => picture.classList.remove("dragged"));
  }
  picture.addEventListener("click", (event) => {
    /* The click that ends a drag is none; clicks without a pointer, as screen readers make them, have no detail. */
    if (grip?.moved && event.detail > 0) return;
    const node = event.target.closest("[data-node]");
    if (node) choose(Number(node.dataset.node));
  });

  picture.addEventListener("keydown", (event) => {
    const node = event.target.closest("[data-node]");
    if (!node) return;
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step) {
      const all = [...picture.querySelectorAll("[data-node]")];
      const next = all[(all.indexOf(node) + step + all.length) % all.length];
      node.setAttribute("tabindex", -1);
      next.setAttribute("tabindex", 0);
      state.focused = Number(next.dataset.node);
      next.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      choose(Number(node.dataset.node));
    } else if (event.key === "Escape") {
      choose(null);
    } else return;
    event.preventDefault();
  });

  find("filter").addEventListener("input", (event) => {
    table.filter = event.target.value;
    table.rows = FIRST_ROWS;
    drawTable();
  });
  find("more").addEventListener("click", () => {
    table.rows += MORE_ROWS;
    drawTable();
  });
}

/* The charts; style sheets give them the colours of the page. */

async function drawCharts() {
  const figures = JSON.parse(find("figure-data").textContent);
  for (const [name, figure] of Object.entries(figures)) {
    /* The graph and the table answer between one chart and the next. */
    await new Promise((ready) => setTimeout(ready));
    const place = find(`chart-${name}`);
    place.style.height = `${figure.layout.height}px`;
    await Plotly.newPlot(place, figure.data, figure.layout, { responsive: true, displayModeBar: false });
  }
  matchMedia("print").addEventListener("change", () => {
    for (const name of Object.keys(figures)) Plotly.Plots.resize(find(`chart-${name}`));
  });
}

/* Where the whole graph would be too small to read, the page begins with the variable that has the most neighbours. */
const ROOM_FOR_EACH = 20;
if (names.length > picture.clientWidth / ROOM_FOR_EACH) {
  const degree = names.map(() => 0);
  for (const pair of pairs) {
    degree[pair.source] += pair.joined;
    degree[pair.target] += pair.joined;
  }
  state.near = true;
  state.chosen = degree.indexOf(Math.max(...degree));
}
listen();
drawGraph({ fit: true });
fillPanel();
buildTable();
