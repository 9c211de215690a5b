/* The page makes elements and gives them text; it never makes markup of the data, so names may hold anything. */

const graph = JSON.parse(document.getElementById("graph-data").textContent);
const names = graph.nodes;
const rowsOf = (columns) => Object.values(columns)[0].map((_, number) =>
  Object.fromEntries(Object.keys(columns).map((column) => [column, columns[column][number]])));
const edges = rowsOf(graph.edges);
const edgeOf = new Map(edges.map((edge) => [`${edge.source} ${edge.target}`, edge]));

/* Pairs, also in their more probable directions, and with the effect of the cause where these can be told. */
const pairs = rowsOf(graph.pairs).map((pair) => {
  const isForward = pair.forward >= pair.backward, isTold = ["->", "<-"].includes(pair.direction);
  const [source, target] = isForward ? [pair.a, pair.b] : [pair.b, pair.a];
  const { effect, effect_lower, effect_upper } = isTold ? edgeOf.get(`${source} ${target}`) ?? {} : {};
  return { ...pair, source, target, isTold, effect, effect_lower, effect_upper };
});
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

const ARROWS = { "->": "→", "<-": "←", "-": "–", "?": "?" }, DISAGREE = "chains disagree";
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

const MARGIN = 16;
const picture = find("picture");
let view = null, places = new Map();

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

const byPlace = (v, w) => places.get(v)[1] - places.get(w)[1] || places.get(v)[0] - places.get(w)[0];

function drawLine(pair, { path, head }) {
  const touches = state.chosen === null || pair.source === state.chosen || pair.target === state.chosen;
  const isDisagreed = pair.direction === "?", kind = isDisagreed ? "disagreed" : pair.isTold ? "told" : "open";
  const line = draw("g", { class: "line", opacity: (0.2 + 0.8 * pair.joined) * (touches ? 1 : 0.3),
    "data-ends": `${pair.source} ${pair.target}` },
    draw("title", {}, `${names[pair.a]} ${ARROWS[pair.direction]} ${names[pair.b]}\n${isDisagreed ? `${DISAGREE}\n` : ""}` +
      `joined: ${fixed(pair.joined)}\n→ ${fixed(pair.forward)}, told ${fixed(pair.told_forward)}\n` +
      `← ${fixed(pair.backward)}, told ${fixed(pair.told_backward)}`),
    draw("path", { class: `edge ${kind}`, d: path, "stroke-width": 1 + 3.5 * pair.joined }));
  if (head) line.append(draw("path", { class: `head ${kind}`, d: head }));
  return line;
}

function drawBox(v) {
  const [x, y] = places.get(v), width = graph.widths[v];
  return draw("g", { class: "node", transform: `translate(${round(x)} ${round(y)})`, "data-node": v },
    draw("title", {}, names[v]),
    draw("rect", { x: round(-width / 2), y: -HEIGHT / 2, width, height: HEIGHT, rx: 8 }),
    draw("text", { y: 5 }, graph.labels[v]));
}

/* Names in letters that are wider than was thought are squeezed into their boxes. */
function squeeze(boxes) {
  for (const text of boxes.querySelectorAll("text")) {
    const room = text.previousSibling.width.baseVal.value - 10;
    if (text.getComputedTextLength() > room) {
      text.setAttribute("textLength", room);
      text.setAttribute("lengthAdjust", "spacingAndGlyphs");
    }
  }
}

function drawGraph({ fit = false } = {}) {
  const shown = shownPairs();
  const around = state.chosen === null ? null : neighbourhood(state.chosen, shown);
  const members = state.near && around ? around : new Set(names.keys());
  const isWhole = members.size === names.length;
  const drawn = shown.filter((pair) => members.has(pair.source) && members.has(pair.target));
  const drawing = drawLayers(graph.order.filter((v) => members.has(v)), graph.widths, drawn);
  places = drawing.places;
  const lines = draw("g"), boxes = draw("g");
  for (let k = drawn.length - 1; k >= 0; k--) lines.append(drawLine(drawn[k], drawing.lines[k]));
  const order = [...members].sort(byPlace);
  const reachable = members.has(state.focused) ? state.focused : state.chosen ?? order[0];
  for (const v of order) {
    const box = drawBox(v), isChosen = v === state.chosen;
    const about = { role: "button", tabindex: v === reachable ? 0 : -1, "aria-pressed": isChosen, "aria-label": names[v] };
    for (const [name, value] of Object.entries(about)) box.setAttribute(name, value);
    box.classList.toggle("chosen", isChosen);
    box.classList.toggle("faint", around !== null && !around.has(v));
    boxes.append(box);
  }
  const hadFocus = picture.contains(document.activeElement);
  picture.replaceChildren(lines, boxes);
  squeeze(boxes);
  if (hadFocus) focusNode();
  find("count").textContent = `${drawn.length} pair${drawn.length === 1 ? "" : "s"} shown` +
    (isWhole ? "" : `, between ${members.size} of ${names.length} variables`) +
    (state.chosen === null ? "" : `; ${cut(names[state.chosen], 40)} is selected`);
  find("near").checked = state.near;
  if (fit) fitView(lines.getBBox(), boxes.getBBox());
  else if (state.chosen !== null) reveal(...places.get(state.chosen));
}

/* Where a picture is small, the variable under the pointer shows at a size that can be read, and its lines stand out. */
function magnify(node) {
  picture.querySelector(".lens")?.remove();
  picture.classList.toggle("lit", node !== null);
  for (const line of picture.querySelectorAll(".line.lit")) line.classList.remove("lit");
  if (node === null) return;
  const v = node.dataset.node;
  for (const line of picture.querySelectorAll(".line")) {
    if (line.dataset.ends.split(" ").includes(v)) line.classList.add("lit");
  }
  const grow = 0.9 * Math.max(view.width / picture.clientWidth, view.height / picture.clientHeight);
  if (grow <= 1.1) return;
  const lens = draw("g", { class: `${node.getAttribute("class")} lens`, "aria-hidden": "true",
    transform: `${node.getAttribute("transform")} scale(${grow})` });
  lens.append(...[...node.children].map((part) => part.cloneNode(true)));
  picture.append(lens);
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

/* About a place of the view, by default its middle. */
function zoom(factor, x = view.x + view.width / 2, y = view.y + view.height / 2) {
  setView({ x: x + (view.x - x) * factor, y: y + (view.y - y) * factor,
    width: view.width * factor, height: view.height * factor });
}

function showNear(isNear) {
  if (isNear && state.chosen === null) {
    /* Nothing is selected: the variable that has the most neighbours is as good a place to begin as any. */
    const degree = names.map(() => 0);
    for (const pair of pairs) {
      degree[pair.source] += pair.joined;
      degree[pair.target] += pair.joined;
    }
    state.chosen = state.focused = degree.indexOf(Math.max(...degree));
  }
  state.near = isNear;
  drawGraph({ fit: true });
  fillPanel();
}

function choose(v) {
  state.chosen = v;
  if (v !== null) state.focused = v;
  drawGraph({ fit: state.near });
  fillPanel();
}

/* The picture as a file of its own, on white, as it would be printed. */

const SVG_TYPE = "image/svg+xml";
const LIGHT = {
  told: "#0072b2", open: "#c14f00", disagreed: "#5b6472", ink: "#1c2430", node: "#e9eef5", nodeLine: "#93a1b3",
  chosen: "#ffd166",
};
const UNWRITABLE = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

function savedPicture() {
  magnify(null);
  const saved = picture.cloneNode(true), scale = Math.min(picture.clientWidth / view.width, picture.clientHeight / view.height);
  const width = picture.clientWidth / scale, height = picture.clientHeight / scale;
  const left = view.x - (width - view.width) / 2, top = view.y - (height - view.height) / 2;
  for (const name of ["id", "role", "aria-label", "style", "class"]) saved.removeAttribute(name);
  const look = { xmlns: "http://www.w3.org/2000/svg", viewBox: [left, top, width, height].map(round).join(" "),
    width: round(width), height: round(height), "font-family": getComputedStyle(picture).fontFamily, "font-size": 14 };
  const styles = {
    ".edge": { fill: "none" }, ".edge.told": { stroke: LIGHT.told },
    ".edge.open": { stroke: LIGHT.open, "stroke-dasharray": "7 4" },
    ".edge.disagreed": { stroke: LIGHT.disagreed, "stroke-dasharray": "2 4" }, ".head": { fill: LIGHT.told },
    ".node rect": { fill: LIGHT.node, stroke: LIGHT.nodeLine, "stroke-width": 1.2 },
    ".node text": { fill: LIGHT.ink, "text-anchor": "middle" },
    ".chosen rect": { fill: LIGHT.chosen, stroke: LIGHT.ink }, ".faint rect": { opacity: 0.4 }, ".faint text": { opacity: 0.65 },
  };
  const set = (element, values) => Object.entries(values).forEach(([name, value]) => element.setAttribute(name, value));
  set(saved, look);
  for (const [selector, style] of Object.entries(styles)) saved.querySelectorAll(selector).forEach((part) => set(part, style));
  for (const node of saved.querySelectorAll(".node")) {
    for (const name of ["role", "tabindex", "aria-pressed", "aria-label"]) node.removeAttribute(name);
  }
  for (const text of saved.querySelectorAll("title, text")) text.textContent = text.textContent.replace(UNWRITABLE, "\ufffd");
  saved.prepend(draw("rect", { x: round(left), y: round(top), width: round(width), height: round(height), fill: "#ffffff" }));
  return { text: new XMLSerializer().serializeToString(saved), width, height };
}

function save(ending, blob) {
  const link = make("a", { download: `${graph.file}.${ending}`, href: URL.createObjectURL(blob) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

/* Three dots for each pixel of the drawing, which prints well, unless that were more than browsers can hold. */
const DOTS = 3, MOST_DOTS = 8000;

async function savePng() {
  const { text, width, height } = savedPicture();
  const scale = Math.min(DOTS, MOST_DOTS / Math.max(width, height));
  const image = new Image(), canvas = make("canvas", { width: Math.ceil(width * scale), height: Math.ceil(height * scale) });
  image.src = `data:${SVG_TYPE};charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  /* Not by toBlob, which can wait for seconds until the browser has nothing else to do. */
  const bytes = Uint8Array.from(atob(canvas.toDataURL().split(",")[1]), (letter) => letter.charCodeAt(0));
  save("png", new Blob([bytes], { type: "image/png" }));
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
  const near = make("button", { type: "button" }, state.near ? "Show the whole graph" : "Show only its neighbourhood");
  near.addEventListener("click", () => {
    showNear(!state.near);
    panel.firstChild.focus({ preventScroll: true });
  });
  panel.replaceChildren(make("h3", { tabindex: -1 }, make("bdi", {}, names[v])), make("p", {}, near, " ", clear),
    ...rankedList("Most probable parents", list("target", "source"), "None has a probability of 0.01 or more."),
    ...rankedList("Most probable children", list("source", "target"), "None has a probability of 0.01 or more."),
    ...(hasEffects ? [make("p", { class: "note" }, "Effects are total, given that there is a path.")] : []),
    ...rankedList("Markov blanket: parents, children, and their other parents", blanket,
      "None has a probability of 0.05 or more."));
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
const isEnd = (column) => ["a", "direction", "b"].includes(column.key);
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
      if (column.key === "direction" && pair.direction === "?") cell.title = DISAGREE;
      if (!isEnd(column)) cell.dataset.label = column.title;
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
    drawGraph({ fit: true });
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
  near.addEventListener("change", () => showNear(near.checked));

  find("zoom-in").addEventListener("click", () => zoom(0.8));
  find("zoom-out").addEventListener("click", () => zoom(1.25));
  find("zoom-fit").addEventListener("click", () => drawGraph({ fit: true }));
  picture.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse());
    zoom(event.deltaY < 0 ? 0.9 : 1.1, place.x, place.y);
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
    if (!node) return;
    choose(Number(node.dataset.node));
    /* Not an event of its own, since the first of two clicks draws the variable anew. */
    if (event.detail === 2 && !state.near) showNear(true);
  });
  picture.addEventListener("pointerover", (event) => {
    if (event.pointerType === "mouse") magnify(event.target.closest("[data-node]"));
  });
  picture.addEventListener("pointerleave", () => magnify(null));
  find("save-svg").addEventListener("click", () => save("svg", new Blob([savedPicture().text], { type: SVG_TYPE })));
  find("save-png").addEventListener("click", savePng);

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

/* A square takes no more height than the screen has width, and where its cells are lower than a line of text, no names
   stand beside it: they show on touching a cell. */
const AROUND = 130, LINE = 11;

function fitSquare(layout, width) {
  if (layout.yaxis.scaleanchor !== "x") return;
  layout.height = Math.min(layout.height, Math.round(width));
  for (const axis of [layout.xaxis, layout.yaxis]) {
    if (axis.tickvals && (layout.height - AROUND) / axis.tickvals.length < LINE) {
      Object.assign(axis, { showticklabels: false, ticks: "" });
    }
  }
}

/* The browser takes a second to read Plotly, which nobody is to wait for who looks at the graph or the table. */
function loadPlotly() {
  if (window.Plotly) return;
  const script = document.createElement("script");
  script.textContent = find("plotly").textContent;
  document.body.append(script);
}

/* Each chart is drawn when it comes within a screen of what is shown, or when the page is printed. */
function prepareCharts() {
  const waiting = new Map();
  for (const [name, figure] of Object.entries(JSON.parse(find("figure-data").textContent))) {
    const place = find(`chart-${name}`);
    fitSquare(figure.layout, place.clientWidth);
    place.style.height = `${figure.layout.height}px`;
    waiting.set(place, figure);
  }
  const places = [...waiting.keys()];
  const draw = (place) => {
    const figure = waiting.get(place);
    if (!waiting.delete(place)) return;
    loadPlotly();
    Plotly.newPlot(place, figure.data, figure.layout, { responsive: true, displayModeBar: false });
  };
  const nearby = new IntersectionObserver(
    (entries) => { for (const entry of entries) if (entry.isIntersecting) draw(entry.target); },
    { rootMargin: "100% 0%" },
  );
  for (const place of places) nearby.observe(place);
  matchMedia("print").addEventListener("change", () => {
    for (const place of places) {
      draw(place);
      Plotly.Plots.resize(place);
    }
  });
}

listen();
drawGraph({ fit: true });
fillPanel();
buildTable();
prepareCharts();
