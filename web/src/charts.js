// Curves over epochs, by uPlot; diagrams as SVG and tables.
import uPlot from 'uplot';
import { colour, isDark, style, withAlpha } from './colours.js';
import { count, el, ownName, percent, plain, runName, svg } from './text.js';

const figures = [
  { title: 'Loss', label: 'loss', keys: [['loss', '']] },
  { title: 'The method’s own part of the loss', label: 'loss', keys: [['contrast', '']], unless: 'same' },
  { title: 'Contrast-Reg’s part, before its ratio', label: 'regulariser', keys: [['regulariser', '']] },
  { title: 'Confidence in pairs: E[σ]', label: 'mean σ', keys: [['positive_sigma', 'positives'], ['negative_sigma', 'negatives']] },
  { title: 'Length of the embeddings', label: 'mean |h|', keys: [['norm_mean', '']] },
  { title: 'Variance of the lengths', label: 'var |h|', keys: [['norm_variance', '']] },
  { title: 'Calibration error', label: 'ECE', keys: [['ece', '']] },
  { title: 'Most similar pairs of one label: q⁺', label: 'q⁺', keys: [['q_positive', '']] },
  { title: 'Confidence in random pairs', label: 'E[σ] random', keys: [['mean_sigma_random', '']] },
  { title: 'Spectrum of M(f,c): largest eigenvalue', label: 'mean σmax', keys: [['sigma_max_mean', '']] },
  { title: 'Second moment of the lengths', label: 'E|h|²', keys: [['norm_squared_mean', '']] },
];

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * At each of these epochs the mean over the seeds, less and plus their standard deviation; none where a seed has stopped
 * already: the mean over fewer would jump.
 */
export function bandOf(curve, epochs) {
  const place = new Map(curve.epochs.map((epoch, i) => [epoch, i]));
  const out = [[], [], []];
  const seeds = curve.seeds.filter((seed) => seed.some((value) => value !== null));
  for (const epoch of epochs) {
    const at = place.get(epoch);
    const values = at === undefined ? [] : seeds.map((seed) => seed[at]).filter((value) => value !== null);
    const middle = values.length && values.length === seeds.length ? mean(values) : null;
    const std = middle !== null ? Math.sqrt(mean(values.map((value) => (value - middle) ** 2))) : 0;
    out[0].push(middle);
    out[1].push(middle === null ? null : middle - std);
    out[2].push(middle === null ? null : middle + std);
  }
  return out;
}

const sameValues = (a, b) => a && b && a.seeds.every((seed, s) => seed.every((value, i) => value === b.seeds[s]?.[i]));

function linesOf(figure, runs) {
  return runs.flatMap((run) => figure.keys.map(([key, part], nth) => {
    const curve = run.curves.find((one) => one.key === key);
    if (!curve) return null;
    if (figure.unless && sameValues(curve, run.curves.find((one) => one.key === 'loss'))) return null;
    return { run, curve, part, nth };
  })).filter(Boolean);
}

// Nobody trains half an epoch.
const wholeSteps = [1, 10, 100, 1000, 10000, 100000].flatMap((ten) => [ten, 2 * ten, 5 * ten]);

function drawChart(holder, figure, lines, width) {
  const epochs = [...new Set(lines.flatMap((line) => line.curve.epochs))].sort((a, b) => a - b);
  const data = [epochs];
  const series = [{}];
  const bands = [];
  for (const line of lines) {
    const stroke = colour(line.run.number);
    const [middle, low, high] = bandOf(line.curve, epochs);
    const from = data.length;
    data.push(middle, low, high);
    const of = `${runName(line.run)}${line.part ? `, ${line.part}` : ''}`;
    series.push({ label: of, stroke, width: 2, dash: line.nth ? [6, 4] : undefined, spanGaps: true, points: { show: epochs.length < 3 } });
    for (const end of ['low', 'high']) series.push({ label: `${of} ${end}`, stroke: 'transparent', width: 0, spanGaps: true, points: { show: false } });
    bands.push({ series: [from + 2, from + 1], fill: withAlpha(stroke, isDark() ? 0.22 : 0.16) });
  }
  const readout = holder.querySelector('.readout');
  const axis = { stroke: style('--quiet'), font: '12px system-ui, sans-serif', grid: { stroke: style('--line'), width: 1 }, ticks: { stroke: style('--line'), width: 1 } };
  const chart = new uPlot({
    width,
    height: 220,
    legend: { show: false },
    cursor: { y: false, drag: { x: true, y: false }, points: { size: 7 } },
    scales: { x: { time: false } },
    axes: [
      { ...axis, incrs: wholeSteps, label: 'epoch', labelFont: '12px system-ui, sans-serif', labelSize: 20, size: 34 },
      { ...axis, size: 62, values: (_, ticks) => ticks.map((tick) => (tick === 0 ? '0' : Math.abs(tick) >= 1e4 || Math.abs(tick) < 1e-3 ? tick.toExponential(0) : String(+tick.toPrecision(6))))  },
    ],
    series,
    bands,
    hooks: {
      setCursor: [(plot) => {
        const at = plot.cursor.idx;
        readout.textContent = at === null || at === undefined
          ? readout.dataset.rest
          : `epoch ${count(epochs[at])}: ` + lines.map((line, i) => `${series[1 + 3 * i].label} ${plain(data[1 + 3 * i][at])}`).join(' · ');
      }],
    },
  }, data, holder.querySelector('.plot'));
  return chart;
}

export function drawCurves(section, data) {
  const hidden = new Set();
  const shown = figures.map((figure) => ({ figure, lines: linesOf(figure, data.runs) })).filter(({ lines }) => lines.length);
  if (!shown.length) {
    section.append(el('p', { class: 'quiet' }, 'These runs kept no figures of their epochs.'));
    return () => {};
  }
  const legend = el('div', { class: 'legend', role: 'group', 'aria-label': 'Runs in the charts' },
    data.runs.map((run) => el('button', {
      type: 'button', 'aria-pressed': 'true', 'data-run': run.number,
      onclick: (event) => {
        const button = event.currentTarget;
        if (hidden.has(run.number)) hidden.delete(run.number); else hidden.add(run.number);
        button.setAttribute('aria-pressed', String(!hidden.has(run.number)));
        redraw();
      },
    }, el('span', { class: 'swatch', style: `--of:${colour(run.number)}`, 'data-run': run.number }), runName(run),
      el('small', {}, ` ${run.data.name === data.datasets[0].name ? '' : run.data.name} ${ownName(run)}`))));
  section.append(
    el('p', { class: 'quiet' }, 'The mean over the seeds, as far as all of them go, with a band of one standard deviation. Drag over a chart to look closer, double-click to see all of it.'),
    legend);
  const grid = el('div', { class: 'charts' });
  section.append(grid);
  const charts = shown.map(({ figure, lines }) => {
    const last = lines.map((line) => {
      const value = bandOf(line.curve, line.curve.epochs)[0].findLast((one) => one !== null);
      return `${runName(line.run)}${line.part ? `, ${line.part}` : ''}: ${plain(value)}`;
    });
    const rest = figure.keys.length > 1 ? `${figure.label}; ${figure.keys[0][1]} solid, ${figure.keys[1][1]} dashed` : figure.label;
    const holder = el('figure', { class: 'chart' },
      el('figcaption', {}, figure.title),
      el('div', { class: 'plot', role: 'img', 'aria-label': `${figure.title} over epochs. At the end ${last.join('; ')}` }),
      el('p', { class: 'readout', 'data-rest': rest }, rest));
    grid.append(holder);
    const one = { figure, lines, holder, chart: null };
    /** Where the mean of a run is at an epoch, for those who look from outside. */
    holder.placeOf = (number, epoch) => {
      const line = lines.find(({ run }) => run.number === number);
      const value = bandOf(line.curve, [epoch])[0][0];
      const box = one.chart.over.getBoundingClientRect();
      return [box.left + one.chart.valToPos(epoch, 'x'), box.top + one.chart.valToPos(value, 'y')];
    };
    return one;
  });
  function redraw() {
    for (const one of charts) {
      one.chart?.destroy();
      one.chart = null;
      const lines = one.lines.filter((line) => !hidden.has(line.run.number));
      const width = one.holder.querySelector('.plot').clientWidth;
      if (lines.length && width > 0) one.chart = drawChart(one.holder, one.figure, lines, width);
    }
  }
  redraw();
  new ResizeObserver(() => {
    for (const { chart, holder } of charts) {
      const width = holder.querySelector('.plot').clientWidth;
      if (chart && width > 0 && width !== chart.width) chart.setSize({ width, height: 220 });
    }
  }).observe(grid);
  return redraw;
}

// Observed frequency by confidence: bars, the gap to perfect calibration hatched.
function reliability(title, bins, words) {
  const size = 260;
  const left = 40;
  const bottom = 36;
  const across = (share) => left + share * (size - left - 8);
  const down = (share) => 8 + (1 - share) * (size - bottom - 8);
  const all = bins.reduce((sum, bin) => sum + bin.weight, 0);
  const gap = bins.reduce((sum, bin) => sum + bin.weight * Math.abs(bin.chance - bin.frequency), 0) / all;
  const over = bins.reduce((sum, bin) => sum + bin.weight * (bin.chance - bin.frequency), 0) / all;
  const picture = svg('svg', { viewBox: `0 0 ${size} ${size}`, role: 'img', 'aria-label': `${title}: expected calibration error ${gap.toFixed(3)}, ${over > 0 ? 'over' : 'under'}-confident on the whole` });
  for (const tick of [0, 0.5, 1]) {
    picture.append(
      svg('line', { x1: across(0), x2: across(1), y1: down(tick), y2: down(tick), class: 'grid' }),
      svg('text', { x: across(0) - 6, y: down(tick) + 4, 'text-anchor': 'end' }, String(tick)),
      svg('text', { x: across(tick), y: down(0) + 15, 'text-anchor': 'middle' }, String(tick)));
  }
  for (const bin of bins) {
    const x = across(bin.low) + 1;
    const width = Math.max(across(bin.high) - across(bin.low) - 2, 2);
    const high = Math.max(bin.frequency, bin.chance);
    const low = Math.min(bin.frequency, bin.chance);
    picture.append(
      svg('rect', { x, width, y: down(bin.frequency), height: down(0) - down(bin.frequency), class: 'bar' },
        svg('title', {}, `confidence ${bin.chance.toFixed(3)}, observed ${bin.frequency.toFixed(3)}, ${percent(bin.weight / all)} % of all`)),
      svg('rect', { x, width, y: down(high), height: Math.max(down(low) - down(high), 0.5), class: bin.chance > bin.frequency ? 'gap over' : 'gap under' }));
  }
  picture.append(
    svg('line', { x1: across(0), y1: down(0), x2: across(1), y2: down(1), class: 'perfect' }),
    svg('text', { x: across(0.5), y: size - 6, 'text-anchor': 'middle' }, words),
    svg('text', { x: 11, y: down(0.5), 'text-anchor': 'middle', transform: `rotate(-90 11 ${down(0.5)})` }, 'observed frequency'));
  return el('figure', { class: 'diagram' }, el('figcaption', {}, title, el('small', {}, ` binned ECE ${gap.toFixed(3)}`)), picture);
}

function spectrumBars(run) {
  const most = Math.max(...run.spectrum.map((one) => one.norm_squared_mean), 1e-12);
  return el('table', { class: 'bars' },
    el('caption', {}, 'Spectrum of M(f,c): the largest eigenvalue within E|h|², by class'),
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'class'), el('th', { scope: 'col' }, ''), el('th', { scope: 'col' }, 'σmax'), el('th', { scope: 'col' }, 'E|h|²'))),
    el('tbody', {}, run.spectrum.map((one) => el('tr', {},
      el('th', { scope: 'row' }, run.data.className(one.label)),
      el('td', { class: 'track', 'aria-hidden': 'true' },
        el('span', { class: 'outer', style: `width:${(100 * one.norm_squared_mean) / most}%` }),
        el('span', { class: 'inner', style: `width:${(100 * one.sigma_max) / most}%` })),
      el('td', {}, plain(one.sigma_max)),
      el('td', {}, plain(one.norm_squared_mean))))));
}

function confusion(run) {
  const rows = run.confusion.map((row) => row.reduce((sum, value) => sum + value, 0));
  const cell = (value, i, j) => {
    const share = rows[i] ? value / rows[i] : 0;
    // One blue, the stronger the more of the class: it does for light and for dark.
    return el('td', {
      style: share > 0 ? `background:rgba(0,98,160,${(0.08 + 0.92 * share).toFixed(3)})${share > 0.45 ? ';color:#fff' : ''}` : null,
      class: i === j ? 'right' : null,
      title: `${run.data.className(i)} taken for ${run.data.className(j)}: ${percent(share)} % of the class`,
    }, count(value));
  };
  return el('div', { class: 'wide', tabindex: '0', role: 'region', 'aria-label': 'Confusion matrix' },
    el('table', { class: 'confusion' },
      el('caption', {}, 'Confusion matrix: test nodes by their class (rows) and the one predicted'),
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, ''), run.data.classes.map((name) => el('th', { scope: 'col', title: name }, name)))),
      el('tbody', {}, run.confusion.map((row, i) => el('tr', {}, el('th', { scope: 'row' }, run.data.className(i)), row.map((value, j) => cell(value, i, j)))))));
}

export function drawCalibration(section, data) {
  const judged = data.runs.filter((run) => run.pair_bins.length || run.classifier_bins.length || run.spectrum.length);
  if (!judged.length) {
    section.append(el('p', { class: 'quiet' }, 'It needs the dataset of the runs, with labels.'));
    return;
  }
  section.append(el('p', { class: 'quiet' }, 'Of the first seed. Bars are what was observed, the shaded part is the gap to the confidence: ',
    el('span', { class: 'key over' }, 'over-confident'), ' or ', el('span', { class: 'key under' }, 'under-confident'), '. On the dashed line is perfect calibration.'));
  section.append(el('div', { class: 'diagrams' }, judged.flatMap((run) => {
    const own = [];
    if (run.pair_bins.length) own.push(reliability(`${runName(run)}: pairs of nodes`, run.pair_bins, 'confidence of the pair'));
    if (run.classifier_bins.length) own.push(reliability(`${runName(run)}: classifier`, run.classifier_bins, 'confidence of the prediction'));
    return own;
  })));
  for (const run of judged.filter((one) => one.spectrum.length || one.confusion)) {
    section.append(el('details', { open: judged.length <= 2 },
      el('summary', {}, `${runName(run)} (${run.name}): classes`),
      el('div', { class: 'classes' },
        run.spectrum.length ? spectrumBars(run) : null,
        run.confusion && run.data.classes.length <= 60 ? confusion(run) : null)));
  }
}
