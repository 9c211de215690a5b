"use strict";
/* Where the variables of a graph stand, and how its edges run around them: the steps of layout.py and of drawing.py,
   number by number, for graphs that change while one looks at them. */

const WIDEST = 1.2, FEWEST = 6, CENTRE = 0.1, SWEEPS = 24, IDLE = 4, PULLS = 16, MOST_SORTED = 20000, STIFF = [8, 2, 1];
const HEIGHT = 32, AIR = 16, LANE = 14, HEAD = 9, PORT = 13;
const GAP = { least: 46, most: 150, slope: 0.16 };

/* Variables are numbered in a topological order, and edges, pairs of an upper and a lower one, sorted. */
function placeLayers(rooms, edges, lane) {
  const p = rooms.length, down = rooms.map(() => 0), across = rooms.map(() => 0), bends = edges.map(() => []);
  let limit = 0, shelf = [], layer = 0, layers = 0, reached = 0;
  for (const room of rooms) limit += room;
  limit *= Math.max(FEWEST, WIDEST * Math.sqrt(p)) / p;
  const centre = () => {
    for (const { variables, itsEdges } of shelf) {
      for (const v of variables) across[v] -= reached / 2;
      for (const edge of itsEdges) bends[edge] = bends[edge].map((place) => place - reached / 2);
    }
  };
  for (const part of findParts(p, edges)) {
    const { variables, itsEdges } = part;
    const number = new Map(variables.map((v, k) => [v, k])), itsRooms = variables.map((v) => rooms[v]);
    const placed = placePart(itsRooms, itsEdges.map((edge) => edges[edge].map((v) => number.get(v))), lane);
    let left = Infinity, right = -Infinity;
    placed.across.forEach((place, k) => {
      const half = (k < variables.length ? itsRooms[k] : lane) / 2;
      left = Math.min(left, place - half);
      right = Math.max(right, place + half);
    });
    limit = Math.max(limit, right - left);
    const isFirstAlone = shelf.length && shelf[shelf.length - 1].itsEdges.length && !itsEdges.length;
    if (shelf.length && (reached + right - left > limit || isFirstAlone)) {
      centre();
      layer += layers;
      [shelf, layers, reached] = [[], 0, 0];
    }
    variables.forEach((v, k) => {
      down[v] = layer + placed.down[k];
      across[v] = placed.across[k] - left + reached;
      layers = Math.max(layers, placed.down[k] + 1);
    });
    itsEdges.forEach((edge, k) => {
      bends[edge] = placed.chains[k].map((bend) => placed.across[bend] - left + reached);
    });
    reached += right - left;
    shelf.push(part);
  }
  centre();
  return { down, across, bends };
}

function findParts(p, edges) {
  const part = Array.from({ length: p }, (_, v) => v), found = new Map();
  const root = (v) => {
    while (part[v] !== v) {
      part[v] = part[part[v]];
      v = part[v];
    }
    return v;
  };
  for (const [upper, lower] of edges) {
    const one = root(upper), other = root(lower);
    part[Math.max(one, other)] = Math.min(one, other);
  }
  for (let v = 0; v < p; v++) {
    if (!found.has(root(v))) found.set(root(v), { variables: [], itsEdges: [] });
    found.get(root(v)).variables.push(v);
  }
  edges.forEach(([upper], number) => found.get(root(upper)).itsEdges.push(number));
  return [...found.values()].sort((one, other) => other.variables.length - one.variables.length);
}

/* Bends follow the variables. */
function placePart(rooms, edges, lane) {
  const p = rooms.length, down = chooseLayers(p, edges), room = [...rooms];
  const above = rooms.map(() => []), below = rooms.map(() => []);
  const chains = edges.map(([upper, lower]) => {
    const chain = [];
    let last = upper;
    for (let layer = down[upper] + 1; layer < down[lower]; layer++) {
      const bend = room.length;
      chain.push(bend);
      room.push(lane);
      down.push(layer);
      above.push([last]);
      below.push([]);
      below[last].push(bend);
      last = bend;
    }
    above[lower].push(last);
    below[last].push(lower);
    return chain;
  });
  const rows = sortRows(firstRows(down, above, below), above, below);
  return { down, across: pull(rows, room, p, above, below), chains };
}

function chooseLayers(p, edges) {
  const parents = Array.from({ length: p }, () => []), children = Array.from({ length: p }, () => []);
  for (const [upper, lower] of edges) {
    children[upper].push(lower);
    parents[lower].push(upper);
  }
  const widest = Math.max(FEWEST, Math.ceil(WIDEST * Math.sqrt(p)));
  const down = parents.map(() => 0), filled = [...down, 0];
  for (let v = 0; v < p; v++) {
    let layer = 0;
    for (const parent of parents[v]) layer = Math.max(layer, down[parent] + 1);
    while (filled[layer] >= widest) layer += 1;
    filled[layer] += 1;
    down[v] = layer;
  }
  for (let v = p - 1; v >= 0; v--) {
    if (children[v].length <= parents[v].length) continue;
    let layer = Math.min(...children[v].map((child) => down[child])) - 1;
    while (layer > down[v] && filled[layer] >= widest) layer -= 1;
    if (layer > down[v]) {
      filled[down[v]] -= 1;
      filled[layer] += 1;
      down[v] = layer;
    }
  }
  let number = 0;
  const kept = filled.map((count) => (count > 0 ? number++ : number));
  return down.map((layer) => kept[layer]);
}

function firstRows(down, above, below) {
  let layers = 0;
  for (const layer of down) layers = Math.max(layers, layer + 1);
  const rows = Array.from({ length: layers }, () => []), isMet = down.map(() => false);
  for (let start = 0; start < down.length; start++) {
    const stack = [start];
    while (stack.length) {
      const one = stack.pop();
      if (isMet[one]) continue;
      isMet[one] = true;
      rows[down[one]].push(one);
      stack.push(...[...above[one]].reverse(), ...[...below[one]].reverse());
    }
  }
  return rows;
}

function sortRows(rows, above, below) {
  const position = above.map(() => 0), mean = above.map(() => 0);
  const number = (row) => row.forEach((one, place) => { position[one] = place; });
  rows.forEach(number);
  let best = rows.map((row) => [...row]), fewest = countCrossings(rows, below, position), idle = 0;
  const sweeps = above.length <= MOST_SORTED ? SWEEPS : IDLE;
  for (let sweep = 0; sweep < sweeps && fewest > 0 && idle < IDLE; sweep++) {
    const downwards = sweep % 2 === 0, neighbours = downwards ? above : below;
    for (const row of downwards ? rows : [...rows].reverse()) {
      for (const one of row) {
        let total = 0;
        for (const other of neighbours[one]) total += position[other];
        mean[one] = neighbours[one].length ? total / neighbours[one].length : position[one];
      }
      row.sort((one, other) => mean[one] - mean[other]);
      number(row);
    }
    const crossings = countCrossings(rows, below, position);
    idle += 1;
    if (crossings < fewest) {
      best = rows.map((row) => [...row]);
      fewest = crossings;
      idle = 0;
    }
  }
  return best;
}

function countCrossings(rows, below, position) {
  let crossings = 0;
  for (let layer = 0; layer + 1 < rows.length; layer++) {
    const tree = new Int32Array(rows[layer + 1].length + 1);
    let seen = 0;
    for (const one of rows[layer]) {
      const ends = below[one].map((other) => position[other]).sort((x, y) => x - y);
      for (const end of ends) {
        let before = 0;
        for (let place = end + 1; place; place -= place & -place) before += tree[place];
        crossings += seen - before;
      }
      for (const end of ends) for (let place = end + 1; place < tree.length; place += place & -place) tree[place] += 1;
      seen += ends.length;
    }
  }
  return crossings;
}

function pull(rows, room, p, above, below) {
  const place = room.map(() => 0);
  for (const row of rows) {
    let whole = 0;
    for (const one of row) whole += room[one];
    let edge = -whole / 2;
    for (const one of row) {
      place[one] = edge + room[one] / 2;
      edge += room[one];
    }
  }
  const pulls = room.length <= MOST_SORTED ? PULLS : IDLE;
  for (let number = 0; number < pulls; number++) {
    const downwards = number % 2 === 0, isLast = number >= PULLS - IDLE;
    for (const row of downwards ? rows : [...rows].reverse()) {
      const wanted = [], weight = [];
      for (const one of row) {
        let total = 0, stiffness = CENTRE;
        const sides = isLast ? [above[one], below[one]] : [downwards ? above[one] : below[one]];
        for (const side of sides) {
          for (const other of side) {
            const stiff = STIFF[(one < p) + (other < p)];
            total += stiff * place[other];
            stiffness += stiff;
          }
        }
        wanted.push(stiffness > CENTRE ? total / stiffness : place[one]);
        weight.push(stiffness);
      }
      spread(row, wanted, weight, room, place);
    }
  }
  return place;
}

function spread(row, wanted, weight, room, place) {
  const offsets = [], means = [], weights = [], sizes = [];
  let reached = 0;
  row.forEach((one, number) => {
    if (number) reached += (room[row[number - 1]] + room[one]) / 2;
    offsets.push(reached);
  });
  row.forEach((_, number) => {
    let mean = wanted[number] - offsets[number], total = weight[number], size = 1;
    while (means.length && means[means.length - 1] > mean) {
      const before = means.pop(), others = weights.pop();
      mean = (mean * total + before * others) / (total + others);
      total += others;
      size += sizes.pop();
    }
    means.push(mean);
    weights.push(total);
    sizes.push(size);
  });
  let next = 0;
  sizes.forEach((size, pool) => {
    for (let k = 0; k < size; k++, next++) place[row[next]] = means[pool] + offsets[next];
  });
}

/* Places of boxes, and the ways of edges, in pixels. ``nodes`` are in a topological order, with their widths; an edge
   has a source and a target among them, and isTold where its head is drawn. Returns the centre of each box, by node, and
   for each edge its path and, where it has a head, the tip of this and where it points to. */
function drawLayers(nodes, widths, edges) {
  const rank = new Map(nodes.map((v, number) => [v, number]));
  const ends = edges.map(({ source, target }) => {
    const from = rank.get(source), to = rank.get(target);
    return from < to ? [from, to] : [to, from];
  });
  const turn = [...ends.keys()].sort((k, l) => ends[k][0] - ends[l][0] || ends[k][1] - ends[l][1]);
  const sorted = turn.map((k) => ends[k]);
  const { down, across, bends } = placeLayers(nodes.map((v) => widths[v] + AIR), sorted, LANE);

  /* Where each edge leaves its upper variable and meets its lower one: side by side, in the order of what comes next. */
  const leaving = nodes.map(() => []), meeting = nodes.map(() => []);
  sorted.forEach(([upper, lower], k) => {
    const between = bends[k];
    leaving[upper].push([between.length ? between[0] : across[lower], k]);
    meeting[lower].push([between.length ? between[between.length - 1] : across[upper], k]);
  });
  const first = sorted.map(() => 0), last = sorted.map(() => 0);
  for (const [all, port] of [[leaving, first], [meeting, last]]) {
    all.forEach((lines, v) => {
      lines.sort((one, other) => one[0] - other[0] || one[1] - other[1]);
      const step = Math.min(PORT, (widths[nodes[v]] - 12) / lines.length);
      lines.forEach(([, k], number) => { port[k] = across[v] + (number - (lines.length - 1) / 2) * step; });
    });
  }
  const stops = sorted.map((_, k) => [first[k], ...bends[k], last[k]]);

  /* Between two layers there is more room where lines go far to the side. */
  let layers = 0;
  for (const layer of down) layers = Math.max(layers, layer + 1);
  const widest = Array.from({ length: layers }, () => 0);
  sorted.forEach(([upper], k) => {
    for (let part = 0; part + 1 < stops[k].length; part++) {
      const layer = down[upper] + part;
      widest[layer] = Math.max(widest[layer], Math.abs(stops[k][part + 1] - stops[k][part]));
    }
  });
  const top = [0];
  for (let layer = 0; layer + 1 < layers; layer++) {
    top.push(top[layer] + HEIGHT + Math.min(GAP.most, Math.max(GAP.least, GAP.slope * widest[layer])));
  }

  const lines = [];
  turn.forEach((original, k) => {
    const isUpwards = rank.get(edges[original].source) === sorted[k][1], isTold = edges[original].isTold;
    /* A line is upright beside the boxes of a layer, and bends only between layers. */
    const parts = [];
    for (let part = 0; part + 1 < stops[k].length; part++) {
      const layer = down[sorted[k][0]] + part, isEnd = part + 2 === stops[k].length;
      parts.push([stops[k][part], top[layer] + HEIGHT + (isTold && isUpwards && part === 0 ? HEAD : 0),
        stops[k][part + 1], top[layer + 1] - (isTold && !isUpwards && isEnd ? HEAD : 0)]);
    }
    if (isUpwards) {
      parts.reverse();
      for (const part of parts) part.push(...part.splice(0, 2));
    }
    let path = `M${round(parts[0][0])} ${round(parts[0][1])}`;
    parts.forEach(([x, y, toX, toY], part) => {
      const middle = (y + toY) / 2;
      if (part) path += `V${round(y)}`;
      path += `C${round(x)} ${round(middle)} ${round(toX)} ${round(middle)} ${round(toX)} ${round(toY)}`;
    });
    const [, , x, y] = parts[parts.length - 1], tip = isUpwards ? -HEAD : HEAD;
    lines[original] = { path, head: isTold
      ? `M${round(x - 5)} ${round(y)}H${round(x + 5)}L${round(x)} ${round(y + tip)}z` : null };
  });
  const places = new Map(nodes.map((v, number) => [v, [across[number], top[down[number]] + HEIGHT / 2]]));
  return { places, lines };
}

/* Tenths of a pixel, in the same digits as Python has. */
function round(value) {
  return Math.floor(value * 10 + 0.5) / 10;
}
