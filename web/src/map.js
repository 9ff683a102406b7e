// The map: points of an embedding, coloured, searched, and a node's neighbours beside it.
import { colour, isDark, rgb, sequential, style } from './colours.js';
import { pointRenderer } from './points.js';
import { count, counted, el, percent, runName } from './text.js';

const partNames = ['in no part of the split', 'train', 'val', 'test'];
const colourings = [
  ['label', 'label', (run) => run.data.labels],
  ['prediction', 'predicted label', (run) => run.map.predictions],
  ['mistakes', 'right or wrong', (run) => run.map.predictions && run.data.labels],
  ['confidence', 'confidence', (run) => run.map.confidence],
  ['degree', 'degree', (run) => run.data.degrees],
];
const most_matches = 12;
const most_pairs = 10;
const sure = 230; // of 255: sigma 0.9

/** The points by cells of a grid, to find those near a place. */
class Grid {
  constructor(points) {
    this.points = points;
    this.side = Math.max(1, Math.min(256, Math.round(Math.sqrt(points.length / 8))));
    this.cells = Array.from({ length: this.side * this.side }, () => []);
    for (let i = 0; i < points.length / 2; ++i) this.cells[this.cell(points[2 * i]) + this.side * this.cell(points[2 * i + 1])].push(i);
  }
  cell(value) {
    return Math.max(0, Math.min(this.side - 1, Math.floor((value / 65536) * this.side)));
  }
  nearest(x, y, reach) {
    let best = -1;
    let least = reach * reach;
    for (let row = this.cell(y - reach); row <= this.cell(y + reach); ++row) {
      for (let column = this.cell(x - reach); column <= this.cell(x + reach); ++column) {
        for (const i of this.cells[column + this.side * row]) {
          const far = (this.points[2 * i] - x) ** 2 + (this.points[2 * i + 1] - y) ** 2;
          if (far < least) [least, best] = [far, i];
        }
      }
    }
    return best;
  }
}

export function drawMap(section, data) {
  const runs = data.runs.filter((run) => run.map);
  if (!runs.length) {
    section.append(el('p', { class: 'quiet' }, 'There is none: it needs the dataset of the runs, and was not left out.'));
    return () => {};
  }
  let run = runs.find((one) => one.reg === 'contrast') ?? runs[0];
  let layout = 0;
  let colouring = null;
  let selected = -1;
  let hovered = -1;
  let only = null; // the class that alone is bright
  let grid = null;
  const view = { x: 0.5, y: 0.5, zoom: 1 };

  const choice = (label, id, options) => el('label', { for: id }, label, el('select', { id }, options));
  const runChoice = choice('Run', 'map-run', runs.map((one) => el('option', { value: one.number }, `${runName(one)} (${one.name}${data.datasets.length > 1 ? `, ${one.data.name}` : ''})`)));
  const layoutChoice = choice('Layout', 'map-layout', []);
  const colourChoice = choice('Colour', 'map-colour', []);
  const search = el('input', {
    id: 'map-search', type: 'text', autocomplete: 'off', spellcheck: 'false', role: 'combobox', 'aria-expanded': 'false',
    'aria-controls': 'map-matches', 'aria-autocomplete': 'list', placeholder: 'name or number',
  });
  const matches = el('ul', { id: 'map-matches', role: 'listbox', 'aria-label': 'Nodes found', hidden: true });
  const searchBox = el('div', { class: 'search' }, el('label', { for: 'map-search' }, 'Find a node'), search, matches);
  const canvasBefore = el('canvas', { class: 'points', 'aria-hidden': 'true' });
  const overlay = el('canvas', {
    class: 'overlay', id: 'map-canvas', tabindex: '0', role: 'img',
    'aria-label': 'Map of the embedding. Arrow keys move, plus and minus zoom, 0 shows all; find a node by name to read its neighbours.',
  });
  const tip = el('div', { class: 'tip', hidden: true, role: 'tooltip' });
  const zoomIn = el('button', { type: 'button', 'aria-label': 'Zoom in', onclick: () => zoomBy(1.6) }, '+');
  const zoomOut = el('button', { type: 'button', 'aria-label': 'Zoom out', onclick: () => zoomBy(1 / 1.6) }, '−');
  const zoomAll = el('button', { type: 'button', 'aria-label': 'Show all of the map', onclick: () => showAll() }, 'All');
  const stage = el('div', { class: 'stage' }, canvasBefore, overlay, tip, el('div', { class: 'zoom' }, zoomIn, zoomOut, zoomAll));
  const legend = el('div', { class: 'legend map-legend', role: 'group', 'aria-label': 'Colours of the map' });
  const panel = el('aside', { class: 'panel', 'aria-live': 'polite', 'aria-label': 'The node chosen' });
  const about = el('p', { class: 'quiet' });
  section.append(about,
    el('div', { class: 'controls' }, runChoice, layoutChoice, colourChoice, searchBox),
    el('div', { class: 'map' }, el('div', {}, stage, legend), panel));
  const renderer = pointRenderer(canvasBefore);
  const canvas = renderer.canvas;
  stage.dataset.renderer = renderer.kind;
  const pen = overlay.getContext('2d');

  const points = () => run.map.layouts[layout][2];
  const total = () => points().length / 2;

  // Places: points are 0 … 65535 in both directions, y upwards; the view's middle is in 0 … 1.
  const scaleOf = () => {
    const side = Math.min(canvas.width, canvas.height) * 0.94 * view.zoom;
    return [side / canvas.width, side / canvas.height];
  };
  function toScreen(i) {
    const [sx, sy] = scaleOf();
    const x = (points()[2 * i] / 65535 - view.x) * sx * canvas.width + canvas.width / 2;
    const y = canvas.height / 2 - (points()[2 * i + 1] / 65535 - view.y) * sy * canvas.height;
    return [x, y];
  }
  function fromScreen(x, y) {
    const [sx, sy] = scaleOf();
    return [(x - canvas.width / 2) / (sx * canvas.width) + view.x, (canvas.height / 2 - y) / (sy * canvas.height) + view.y];
  }
  const ratio = () => Math.min(window.devicePixelRatio || 1, 2);
  const pointSize = () => ratio() * Math.max(2.5, Math.min(14, (420 / Math.sqrt(total())) * Math.sqrt(view.zoom) * 0.35 + 2));

  function tints() {
    const out = new Uint8Array(4 * total());
    const alpha = total() > 8000 ? 190 : 225;
    const fade = isDark() ? 45 : 38;
    const of = colouring;
    const { labels, degrees } = run.data;
    const { predictions, confidence } = run.map;
    const grey = rgb(style('--faint'));
    const classes = of === 'prediction' ? predictions : labels;
    const palette = run.data.classes.map((_, i) => rgb(colour(i)));
    const right = rgb(colour(0));
    const wrong = rgb(colour(1));
    const widest = degrees ? Math.log1p(degrees.reduce((most, one) => Math.max(most, one), 1)) : 1;
    for (let i = 0; i < total(); ++i) {
      let tint = grey;
      let bright = alpha;
      if (of === 'label' || of === 'prediction') {
        tint = classes[i] < 0 ? grey : palette[classes[i]];
        if (only !== null && classes[i] !== only) bright = fade;
      } else if (of === 'mistakes') {
        const state = labels[i] < 0 ? 2 : labels[i] === predictions[i] ? 0 : 1;
        tint = [right, wrong, grey][state];
        if (only !== null && state !== only) bright = fade;
      } else if (of === 'confidence') {
        tint = sequential(confidence[i] / 255);
      } else if (of === 'degree') {
        tint = sequential(Math.log1p(degrees[i]) / widest);
      }
      out.set([tint[0], tint[1], tint[2], bright], 4 * i);
    }
    return out;
  }

  function drawLegend() {
    const { classes, labels, degrees } = run.data;
    const { predictions } = run.map;
    legend.replaceChildren();
    const swatches = (entries) => {
      for (const [value, name, of, size] of entries) {
        legend.append(el('button', {
          type: 'button', 'aria-pressed': String(only === value),
          onclick: () => {
            only = only === value ? null : value;
            recolour();
            [...legend.children].find((child) => child.dataset.value === String(value))?.focus();
          },
          'data-value': value,
        }, el('span', { class: 'swatch', style: `--of:${of}` }), name, el('small', {}, ` ${count(size)}`)));
      }
    };
    const among = (values, value) => values.reduce((sum, one) => sum + (one === value), 0);
    if (colouring === 'label' || colouring === 'prediction') {
      const values = colouring === 'label' ? labels : predictions;
      swatches(classes.map((name, i) => [i, name, colour(i), among(values, i)]).filter(([, , , size]) => size));
    } else if (colouring === 'mistakes') {
      const state = Array.from(labels, (label, i) => (label < 0 ? 2 : label === predictions[i] ? 0 : 1));
      swatches([[0, 'right', colour(0), among(state, 0)], [1, 'wrong', colour(1), among(state, 1)], [2, 'no label', style('--faint'), among(state, 2)]].filter(([, , , size]) => size));
    } else {
      const steps = Array.from({ length: 12 }, (_, i) => `rgb(${sequential(i / 11).join(',')})`);
      const [low, high] = colouring === 'confidence' ? ['0', '1'] : ['0', count(degrees.reduce((most, one) => Math.max(most, one), 0))];
      legend.append(el('span', { class: 'ramp' }, low, el('span', { class: 'ramp-bar', style: `background:linear-gradient(90deg,${steps.join(',')})` }), `${high} ${colouring}${colouring === 'degree' ? ', by its logarithm' : ' of the classifier'}`));
    }
  }

  let pending = false;
  function draw() {
    if (pending) return;
    pending = true;
    requestAnimationFrame(() => {
      pending = false;
      drawNow();
    });
  }

  function drawNow() {
    const [sx, sy] = scaleOf();
    renderer.draw({ scale: [2 * sx, 2 * sy], shift: [-2 * sx * view.x, -2 * sy * view.y], size: pointSize() });
    pen.clearRect(0, 0, overlay.width, overlay.height);
    const ring = (i, size, width, of) => {
      const [x, y] = toScreen(i);
      pen.beginPath();
      pen.arc(x, y, size, 0, 2 * Math.PI);
      pen.lineWidth = width;
      pen.strokeStyle = of;
      pen.stroke();
    };
    const dot = ratio();
    if (selected >= 0) {
      const ink = style('--ink');
      const [x, y] = toScreen(selected);
      for (const near of neighboursOf(selected)) {
        const [nx, ny] = toScreen(near.node);
        pen.beginPath();
        pen.moveTo(x, y);
        pen.lineTo(nx, ny);
        pen.lineWidth = (near.edge ? 2.2 : 1.2) * dot;
        pen.setLineDash(near.edge ? [] : [4 * dot, 3 * dot]);
        pen.strokeStyle = near.edge ? ink : style('--quiet');
        pen.stroke();
        pen.setLineDash([]);
        ring(near.node, pointSize() / 2 + 2 * dot, 1.5 * dot, near.edge ? ink : style('--quiet'));
      }
      ring(selected, pointSize() / 2 + 4 * dot, 3 * dot, style('--accent'));
    }
    if (hovered >= 0) ring(hovered, pointSize() / 2 + 2 * dot, 2 * dot, style('--ink'));
  }

  function neighboursOf(i) {
    const { k, neighbours, sigma, edges } = run.map;
    const out = [];
    for (let j = 0; j < k; ++j) {
      const at = i * k + j;
      out.push({ node: neighbours[at], sigma: sigma[at], edge: Boolean((edges[i] >> j) & 1) });
    }
    return out;
  }

  const labelOf = (i) => (run.data.labels ? run.data.className(run.data.labels[i]) : null);
  const swatchOf = (i) => (run.data.labels && run.data.labels[i] >= 0 ? el('span', { class: 'swatch', style: `--of:${colour(run.data.labels[i])}` }) : null);
  const sigmaText = (value) => (value === 255 ? '1.00' : (value / 255).toFixed(2));

  function facts(i) {
    const out = [];
    const { labels, degrees, parts } = run.data;
    const { predictions, confidence } = run.map;
    if (labels) out.push(['label', labelOf(i)]);
    if (predictions) out.push(['predicted', `${run.data.className(predictions[i])}, ${percent(confidence[i] / 255, 0)} % sure${labels && labels[i] >= 0 ? (labels[i] === predictions[i] ? ', right' : ', wrong') : ''}`]);
    out.push(['degree', count(degrees[i])]);
    if (parts) out.push(['part', partNames[parts[i]]]);
    return out;
  }

  /** Pairs that the embedding is surest of, of two labels and without an edge. */
  function surestMistakes() {
    const { labels } = run.data;
    const { k, neighbours, sigma, edges } = run.map;
    if (!labels) return [];
    const found = [];
    const seen = new Set();
    for (let i = 0; i < total(); ++i) {
      for (let j = 0; j < k; ++j) {
        const other = neighbours[i * k + j];
        const value = sigma[i * k + j];
        if (value < sure || labels[i] < 0 || labels[other] < 0 || labels[i] === labels[other] || (edges[i] >> j) & 1) continue;
        const key = Math.min(i, other) * total() + Math.max(i, other);
        if (seen.has(key)) continue;
        seen.add(key);
        found.push({ node: i, other, sigma: value, place: j });
      }
    }
    const number = found.length;
    found.sort((a, b) => b.sigma - a.sigma || a.place - b.place || a.node - b.node);
    return { number, pairs: found.slice(0, most_pairs) };
  }

  const nodeButton = (i) => el('button', { type: 'button', class: 'node', onclick: () => select(i, true) }, run.data.nodeName(i));

  function drawPanel() {
    panel.replaceChildren();
    if (selected < 0) {
      panel.append(el('h3', {}, 'Choose a node'), el('p', { class: 'quiet' }, 'Click one on the map or find it by name: its nearest neighbours in the embedding are listed here, with those that the graph joins to it marked.'));
      const mistakes = surestMistakes();
      if (mistakes.number) {
        panel.append(el('h4', {}, 'Sure, yet two labels'),
          el('p', { class: 'quiet' }, `${counted(mistakes.number, 'pair')} of near nodes with σ of 0.9 and more have two labels and no edge:`),
          el('ol', { class: 'pairs' }, mistakes.pairs.map((pair) =>
            el('li', {}, swatchOf(pair.node), nodeButton(pair.node), ' and ', swatchOf(pair.other), nodeButton(pair.other), el('small', {}, ` σ ${sigmaText(pair.sigma)}`)))));
      }
      return;
    }
    // In the order of the number that they show; equal ones by cosine.
    const near = neighboursOf(selected).sort((a, b) => b.sigma - a.sigma);
    panel.append(
      el('div', { class: 'panel-head' }, el('h3', {}, swatchOf(selected), run.data.nodeName(selected)),
        el('button', { type: 'button', 'aria-label': 'Let go of this node', onclick: () => { select(-1); overlay.focus(); } }, '×')),
      el('dl', { class: 'facts' }, facts(selected).map(([key, value]) => [el('dt', {}, key), el('dd', {}, value)])),
      el('h4', {}, 'Nearest in the embedding'),
      el('p', { class: 'quiet' }, 'The most similar by cosine, first the one that the embedding is surest of.'),
      el('table', { class: 'near' },
        el('thead', {}, el('tr', {}, ['node', 'label', 'σ', 'edge'].map((name) => el('th', { scope: 'col' }, name)))),
        el('tbody', {}, near.map((one) => {
          const labels = run.data.labels;
          const apart = labels && one.sigma >= sure && labels[selected] >= 0 && labels[one.node] >= 0 && labels[selected] !== labels[one.node];
          return el('tr', { class: apart ? 'apart' : null, title: apart ? 'sure, yet two labels' : null },
            el('td', {}, nodeButton(one.node)),
            el('td', {}, swatchOf(one.node), labelOf(one.node) ?? '–', apart ? [el('span', { 'aria-hidden': 'true' }, ' ≠'), el('span', { class: 'hidden' }, ', sure, yet two labels')] : null),
            el('td', {}, sigmaText(one.sigma)),
            el('td', {}, one.edge ? 'yes' : el('span', { class: 'quiet' }, 'no')));
        }))));
  }

  function select(i, move = false) {
    selected = i;
    if (i >= 0 && move) {
      const [x, y] = toScreen(i);
      if (x < 0 || y < 0 || x > canvas.width || y > canvas.height) [view.x, view.y] = [points()[2 * i] / 65535, points()[2 * i + 1] / 65535];
    }
    stage.dataset.selected = i < 0 ? '' : run.data.nodeName(i);
    drawPanel();
    draw();
  }

  function hover(i, x = 0, y = 0) {
    if (i !== hovered) {
      hovered = i;
      draw();
    }
    tip.hidden = i < 0;
    stage.style.cursor = i < 0 ? 'grab' : 'pointer';
    if (i < 0) return;
    tip.replaceChildren(el('strong', {}, run.data.nodeName(i)), ...facts(i).slice(0, 2).map(([key, value]) => el('span', {}, `${key}: ${value}`)));
    const box = stage.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(x + 14, box.width - tip.offsetWidth - 4))}px`;
    tip.style.top = `${y + tip.offsetHeight + 24 > box.height ? y - tip.offsetHeight - 12 : y + 16}px`;
  }

  function zoomBy(factor, x = canvas.width / 2, y = canvas.height / 2) {
    const [fx, fy] = fromScreen(x, y);
    view.zoom = Math.max(0.5, Math.min(400, view.zoom * factor));
    const [tx, ty] = fromScreen(x, y);
    view.x += fx - tx;
    view.y += fy - ty;
    draw();
  }

  function showAll() {
    Object.assign(view, { x: 0.5, y: 0.5, zoom: 1 });
    draw();
  }

  function recolour() {
    renderer.setTints(tints());
    drawLegend();
    draw();
  }

  function rearrange() {
    renderer.setPlaces(points());
    grid = new Grid(points());
    hover(-1);
    draw();
  }

  function open(next) {
    const same = next.dataset === run.dataset;
    run = next;
    const name = run.map.layouts[layout]?.[0];
    layout = 0;
    layoutChoice.lastChild.replaceChildren(...run.map.layouts.map(([key, label]) => el('option', { value: key }, label)));
    const kept = run.map.layouts.findIndex(([key]) => key === name);
    if (kept > 0) layout = kept;
    layoutChoice.lastChild.value = run.map.layouts[layout][0];
    const able = colourings.filter(([, , has]) => has(run));
    if (!able.some(([key]) => key === colouring)) colouring = able[0][0];
    colourChoice.lastChild.replaceChildren(...able.map(([key, label]) => el('option', { value: key }, label)));
    colourChoice.lastChild.value = colouring;
    runChoice.lastChild.value = String(run.number);
    about.textContent = `${total() < run.data.nodes ? `${counted(total(), 'node')} drawn from ${count(run.data.nodes)}` : `All ${counted(total(), 'node')}`} of ${run.data.name}; neighbours are the most similar of these by cosine, σ is the confidence that both belong together.` +
      `${run.data.names_cut ? ` Names are cut at ${run.data.names_cut} letters.` : ''}${run.data.namesLost ? ' This browser cannot unpack their names: they have numbers.' : ''}`;
    if (!same) {
      only = null;
      selected = -1;
    }
    resize();
    rearrange();
    recolour();
    select(selected);
  }

  function resize() {
    const width = Math.max(1, Math.round(stage.clientWidth * ratio()));
    const height = Math.max(1, Math.round(stage.clientHeight * ratio()));
    for (const one of [canvas, overlay]) {
      if (one.width !== width) one.width = width;
      if (one.height !== height) one.height = height;
    }
    drawNow();
  }

  // Pointers: one moves, two zoom, one that stays chooses.
  const down = new Map();
  let moved = 0;
  const local = (event) => {
    const box = overlay.getBoundingClientRect();
    return [(event.clientX - box.left) * (canvas.width / box.width), (event.clientY - box.top) * (canvas.height / box.height)];
  };
  function near(event) {
    const [x, y] = local(event);
    const [px, py] = fromScreen(x, y);
    const reach = ((event.pointerType === 'touch' ? 22 : 10) * ratio()) / (scaleOf()[0] * canvas.width);
    return grid.nearest(px * 65535, py * 65535, reach * 65535);
  }
  overlay.addEventListener('pointerdown', (event) => {
    overlay.setPointerCapture(event.pointerId);
    down.set(event.pointerId, local(event));
    if (down.size === 1) moved = 0;
  });
  overlay.addEventListener('pointermove', (event) => {
    const [x, y] = local(event);
    if (!down.has(event.pointerId)) {
      const box = overlay.getBoundingClientRect();
      hover(near(event), event.clientX - box.left, event.clientY - box.top);
      return;
    }
    const [fx, fy] = down.get(event.pointerId);
    moved += Math.hypot(x - fx, y - fy);
    if (down.size === 1) {
      const [sx, sy] = scaleOf();
      view.x -= (x - fx) / (sx * canvas.width);
      view.y += (y - fy) / (sy * canvas.height);
    } else {
      const [[ox, oy]] = [...down].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
      const [sx, sy] = scaleOf();
      view.x -= (x - fx) / (2 * sx * canvas.width);
      view.y += (y - fy) / (2 * sy * canvas.height);
      zoomBy(Math.hypot(x - ox, y - oy) / Math.max(1, Math.hypot(fx - ox, fy - oy)), (x + ox) / 2, (y + oy) / 2);
    }
    down.set(event.pointerId, [x, y]);
    hover(-1);
    draw();
  });
  const up = (event) => {
    if (down.delete(event.pointerId) && event.type === 'pointerup' && moved < 6 * ratio()) select(near(event));
  };
  overlay.addEventListener('pointerup', up);
  overlay.addEventListener('pointercancel', up);
  overlay.addEventListener('pointerleave', () => hover(-1));
  overlay.addEventListener('dblclick', (event) => zoomBy(2, ...local(event)));
  overlay.addEventListener('wheel', (event) => {
    // The page scrolls as ever unless the map is being used.
    if (document.activeElement !== overlay && !event.ctrlKey) return;
    event.preventDefault();
    zoomBy(Math.exp(-event.deltaY * 0.002), ...local(event));
  }, { passive: false });
  overlay.addEventListener('keydown', (event) => {
    const step = 0.1 / view.zoom;
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
    if (event.key in moves) {
      view.x += moves[event.key][0];
      view.y += moves[event.key][1];
    } else if (event.key === '+' || event.key === '=') zoomBy(1.3);
    else if (event.key === '-') zoomBy(1 / 1.3);
    else if (event.key === '0') showAll();
    else if (event.key === 'Escape') select(-1);
    else return;
    event.preventDefault();
    draw();
  });

  // Search.
  let found = [];
  let active = -1;
  function showMatches() {
    matches.replaceChildren(...found.map((node, i) => el('li', {
      id: `match-${i}`, role: 'option', 'aria-selected': String(i === active),
      onpointerdown: (event) => {
        event.preventDefault();
        take(node);
      },
    }, run.data.nodeName(node), el('small', {}, labelOf(node) ? ` ${labelOf(node)}` : ''))));
    matches.hidden = !found.length;
    search.setAttribute('aria-expanded', String(found.length > 0));
    if (active >= 0) search.setAttribute('aria-activedescendant', `match-${active}`);
    else search.removeAttribute('aria-activedescendant');
  }
  function look() {
    const words = search.value.trim().toLowerCase();
    const first = [];
    const later = [];
    const exact = [];
    // To the last node: the one that is called so may be it.
    for (let i = 0; words && i < total(); ++i) {
      const name = run.data.nodeName(i).toLowerCase();
      if (name === words) exact.push(i);
      else if (first.length < most_matches && name.startsWith(words)) first.push(i);
      else if (later.length < most_matches && name.includes(words)) later.push(i);
    }
    found = [...exact, ...first, ...later].slice(0, most_matches);
    active = found.length ? 0 : -1;
    search.setAttribute('aria-invalid', String(Boolean(words) && !found.length));
    showMatches();
  }
  function take(node) {
    search.value = run.data.nodeName(node);
    found = [];
    active = -1;
    showMatches();
    if (view.zoom < 3) view.zoom = 3;
    [view.x, view.y] = [points()[2 * node] / 65535, points()[2 * node + 1] / 65535];
    select(node, true);
  }
  search.addEventListener('input', look);
  search.addEventListener('blur', () => {
    found = [];
    active = -1;
    showMatches();
  });
  search.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (!found.length) return;
      active = (active + (event.key === 'ArrowDown' ? 1 : found.length - 1)) % found.length;
      showMatches();
    } else if (event.key === 'Enter' && active >= 0) take(found[active]);
    else if (event.key === 'Escape') {
      found = [];
      active = -1;
      showMatches();
    } else return;
    event.preventDefault();
  });

  runChoice.lastChild.addEventListener('change', (event) => open(data.runs[Number(event.target.value)]));
  layoutChoice.lastChild.addEventListener('change', (event) => {
    layout = run.map.layouts.findIndex(([key]) => key === event.target.value);
    rearrange();
  });
  colourChoice.lastChild.addEventListener('change', (event) => {
    colouring = event.target.value;
    only = null;
    recolour();
  });
  new ResizeObserver(resize).observe(stage);
  open(run);
  drawNow();
  /** Where a node is on the page, for those who look from outside. */
  stage.placeOf = (name) => {
    for (let i = 0; i < total(); ++i) {
      if (run.data.nodeName(i) !== name) continue;
      const [x, y] = toScreen(i);
      const box = overlay.getBoundingClientRect();
      return [box.left + (x * box.width) / canvas.width, box.top + (y * box.height) / canvas.height];
    }
    return null;
  };
  return () => {
    recolour();
    drawPanel();
  };
}
