// What was run on what, and what it came to.
import { colour } from './colours.js';
import { count, counted, el, join, ownName, percent, plain, regulariserName, runName } from './text.js';

const rate = (value) => `${percent(value)} %`;
const columns = [
  ['accuracy', 'Test accuracy', rate, 1, 'Nodes of the test part whose label logistic regression finds in the embedding'],
  ['ece', 'ECE', plain, -1, 'How far the confidence in pairs of nodes is from the truth'],
  ['mean_sigma_random', 'E[σ] random', plain, -1, 'How sure the embedding is that two random nodes belong together; 0.5 is undecided'],
  ['q_positive', 'q⁺', plain, 0, 'Share of the most similar pairs that have one label'],
  ['norm_mean', 'mean |h|', plain, 0, 'Length of the embeddings'],
  ['norm_variance', 'var |h|', plain, 0, 'Variance of the lengths'],
  ['classifier_ece', 'Classifier ECE', plain, -1, 'How far the confidence of the classifier is from its accuracy'],
];

/** A table that scrolls by itself where it is wider than the page. */
const wide = (label, table) => el('div', { class: 'wide', tabindex: '0', role: 'region', 'aria-label': label }, table);

/** As many decimals as the number that it stands beside. */
const besides = (number, of) => {
  const decimals = plain(of).split('.')[1];
  return decimals === undefined || decimals.includes('e') ? plain(number) : number.toFixed(decimals.length);
};

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const spread = (values) => Math.sqrt(mean(values.map((value) => (value - mean(values)) ** 2)));

function figure(sample, show) {
  if (!sample) return ['–'];
  const parts = [show(sample.mean)];
  if (sample.values.length > 1) parts.push(el('small', {}, ` ± ${show === rate ? percent(sample.std) : besides(sample.std, sample.mean)}`));
  return parts;
}

/** Runs without Contrast-Reg and what they are compared with, as creg paired them: each run once. */
const pairs = (runs) => runs.filter((run) => run.counterpart !== null).map((run) => [run, runs[run.counterpart]]);

// Of Student's distribution, for an interval of 95 %.
const quantiles = [12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23];
const quantile = (freedom) => quantiles[freedom - 1] ?? 1.96 + 2.5 / freedom;

/** The values of each seed, where all have equally many; else null. */
function bySeed(run, sample) {
  const each = sample.values.length / run.seeds.length;
  if (!Number.isInteger(each) || each === 0) return null;
  return new Map(run.seeds.map((seed, i) => [seed, sample.values.slice(i * each, (i + 1) * each)]));
}

/** Of the seeds that both have, and of each on the same splits. */
export function differences(before, after, key) {
  const without = bySeed(before, before.figures[key]);
  const using = bySeed(after, after.figures[key]);
  if (!without || !using) return [];
  return [...without].flatMap(([seed, values]) => {
    const others = using.get(seed);
    return others?.length === values.length ? values.map((value, i) => others[i] - value) : [];
  });
}

/** The mean of the differences over the same seeds and splits, with its interval, or that of the means alone. */
function difference(before, after, key) {
  if (!before.figures[key] || !after.figures[key]) return null;
  const values = differences(before, after, key);
  if (values.length < 2) return { mean: after.figures[key].mean - before.figures[key].mean, half: null };
  const freedom = values.length - 1;
  return { mean: mean(values), half: (quantile(freedom) * spread(values)) / Math.sqrt(freedom), pairs: values.length };
}

function card([before, after]) {
  const lines = columns
    .filter(([key]) => ['accuracy', 'ece', 'mean_sigma_random', 'norm_variance'].includes(key))
    .map(([key, label, show, better]) => {
      const change = difference(before, after, key);
      if (!change) return null;
      const share = key === 'accuracy';
      const signed = (value) => {
        const text = share ? `${percent(Math.abs(value))} points` : plain(Math.abs(value));
        return `${value >= 0 ? '+' : '−'}${text}`;
      };
      // What may be chance is called neither, and one run may be.
      const certain = change.half !== null && Math.abs(change.mean) > change.half;
      const good = certain && change.mean * better > 0;
      const bad = certain && change.mean * better < 0;
      return el('div', { class: 'change' },
        el('dt', {}, label),
        el('dd', {},
          el('span', { class: 'from' }, show(before.figures[key].mean)), ' → ',
          el('strong', {}, show(after.figures[key].mean)),
          el('span', { class: `delta ${good ? 'good' : bad ? 'bad' : ''}` },
            `${signed(change.mean)}${good ? ', better' : bad ? ', worse' : ''}`),
          change.half === null ? null : el('small', {}, `95 %: ${signed(change.mean - change.half)} to ${signed(change.mean + change.half)}`)));
    })
    .filter(Boolean);
  if (!lines.length) return null;
  return el('article', { class: 'card' },
    el('h3', {}, `${runName(before)} on ${before.data.name}`),
    el('p', { class: 'quiet' }, `without → with Contrast-Reg${lines.some((line) => line.querySelector('small')) ? '; differences over the same seeds and splits' : ''}` +
      `${before.differs.length ? `; they differ in ${join(before.differs)} too` : ''}`),
    el('dl', {}, lines));
}

/** What the paper prints below ours. */
function publishedWords(number, show) {
  if (!number) return null;
  const decimals = (value) => (show === rate ? percent(value, 2) : plain(value));
  return el('small', { class: 'published' }, `paper ${decimals(number.mean)}${number.std === null ? '' : ` ± ${decimals(number.std)}`}`);
}

function tableOf(data, set, number) {
  const runs = data.runs.filter((run) => run.dataset === number);
  const used = columns.filter(([key]) => runs.some((run) => run.figures[key]));
  const best = new Map(used.filter(([, , , better]) => better).map(([key, , , better]) => {
    const values = runs.map((run) => run.figures[key]?.mean).filter((value) => value !== undefined);
    return [key, runs.length > 1 ? (better > 0 ? Math.max(...values) : Math.min(...values)) : null];
  }));
  const rows = runs.map((run) =>
    el('tr', {},
      el('th', { scope: 'row' },
        el('span', { class: 'swatch', style: `--of:${colour(run.number)}`, 'data-run': run.number }), runName(run),
        el('small', {}, ` ${ownName(run)}, ${counted(run.seeds.length, 'seed')}`)),
      used.map(([key, , show]) =>
        el('td', { class: best.get(key) === run.figures[key]?.mean && run.figures[key] ? 'best' : null },
          figure(run.figures[key], show), publishedWords(run.published[key], show)))));
  for (const line of set.baselines) {
    rows.push(el('tr', { class: 'baseline' },
      el('th', { scope: 'row' }, line.label, el('small', {}, ' nothing learnt')),
      used.map(([key, , show]) => el('td', {}, key === 'accuracy' ? figure(line.accuracy, show) : ''))));
  }
  const about = set.nodes
    ? `${counted(set.nodes, 'node')}, ${counted(set.edges, 'edge')}, ${counted(set.features, 'feature')}` +
      `${set.classes.length ? `, ${count(set.classes.length)} classes` : ''}` +
      `${set.protocol ? `; split: ${set.protocol}` : ''}`
    : 'not at hand: what the runs recorded is all there is';
  return el('div', { class: 'dataset' },
    el('h3', {}, set.name),
    el('p', { class: 'quiet' }, about),
    wide(`Figures on ${set.name}`, el('table', { class: 'figures' },
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Run'),
        used.map(([, label, , , help]) => el('th', { scope: 'col', title: help }, label)))),
      el('tbody', {}, rows))));
}

function settingsTable(runs) {
  const keys = [...new Set(runs.flatMap((run) => Object.keys(run.settings)))];
  const differing = keys.filter((key) => new Set(runs.map((run) => run.settings[key])).size > 1);
  const rows = (of) => of.map((key) =>
    el('tr', {}, el('th', { scope: 'row' }, key), runs.map((run) => el('td', {}, run.settings[key] ?? '–'))));
  const table = (of, label) => wide(label, el('table', {},
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Setting'),
      runs.map((run) => el('th', { scope: 'col' }, run.name)))),
    el('tbody', {}, rows(of))));
  return el('details', {},
    el('summary', {}, 'Settings of the runs'),
    differing.length && runs.length > 1 ? [el('h4', {}, 'In which they differ'), table(differing, 'Settings that differ')] : null,
    el('h4', {}, 'All'), table(keys, 'All settings'));
}

/** The paper's tables beside ours. */
function paperCell(cell) {
  if (!cell) return el('td', {}, '–');
  const words = (mean, std) => {
    const show = (value) => (cell.rate ? percent(value, 2) : value.toFixed(3));
    return `${show(mean)}${std === null ? '' : ` ± ${show(std)}`}`;
  };
  const theirs = cell.paper_out_of_memory ? 'out of memory' : cell.paper_mean === null ? '–' : words(cell.paper_mean, cell.paper_std);
  return el('td', { class: cell.outside ? 'outside' : null },
    words(cell.mean, cell.values > 1 ? cell.std : null),
    cell.outside ? el('abbr', { title: 'further from the paper’s mean than the paper’s standard deviation' }, ' *') : null,
    el('small', { class: 'published' }, `paper ${theirs}`),
    cell.ran_on ? el('small', { class: 'published' }, `ours on ${cell.ran_on}`) : null);
}

function gainsTable(gains) {
  const signed = (gain, value) => {
    const text = gain.rate ? percent(Math.abs(value), 2) : Math.abs(value).toFixed(3);
    return `${value >= 0 ? '+' : '−'}${text}`;
  };
  return wide('What Contrast-Reg is worth', el('table', { class: 'figures' },
    el('thead', {}, el('tr', {}, ['Row', 'Column', 'With less without', '95 %', 'Pairs', 'Paper'].map((name) => el('th', { scope: 'col' }, name)))),
    el('tbody', {}, gains.map((gain) => el('tr', {},
      el('th', { scope: 'row' }, gain.row, el('small', {}, ` ${gain.metric}`)),
      el('td', {}, gain.column),
      el('td', {}, signed(gain, gain.mean)),
      el('td', {}, gain.low === null ? '–' : `${signed(gain, gain.low)} to ${signed(gain, gain.high)}`),
      el('td', {}, count(gain.pairs)),
      el('td', {}, gain.paper === null ? '–' : signed(gain, gain.paper)))))));
}

function drawPaper(section, paper) {
  if (!paper?.tables) return;
  const tables = paper.tables.map((table) => el('details', { open: true },
    el('summary', {}, table.title),
    el('p', { class: 'quiet' }, table.about),
    wide(table.title, el('table', { class: 'figures' },
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Method'), table.columns.map((name) => el('th', { scope: 'col' }, name)))),
      el('tbody', {}, table.rows.map((row) => el('tr', {}, el('th', { scope: 'row' }, row.name), row.cells.map(paperCell))))))));
  section.append(el('div', { class: 'paper' },
    el('h3', {}, 'The paper’s tables beside ours'),
    el('p', { class: 'quiet' }, 'Rates in percent; what has no ± is one run. * further from the paper’s mean than the paper’s standard deviation.'),
    tables,
    paper.gains.length ? el('details', { open: true },
      el('summary', {}, 'With Contrast-Reg less without'),
      el('p', { class: 'quiet' }, 'Paired over the same seeds and splits.'),
      gainsTable(paper.gains)) : null));
}

export function drawOverview(section, data) {
  const cards = pairs(data.runs).map(card).filter(Boolean);
  if (cards.length) section.append(el('div', { class: 'cards' }, cards));
  data.datasets.forEach((set, number) => section.append(tableOf(data, set, number)));
  drawPaper(section, data.paper);
  if (data.note) section.append(el('p', { class: 'note', role: 'note' }, data.note));
  if (!data.runs.length) return;
  const seeds = Math.max(...data.runs.map((run) => run.seeds.length));
  section.append(el('p', { class: 'quiet' },
    `${seeds > 1 ? 'Mean ± standard deviation over seeds and splits. ' : ''}` +
    'Accuracy is what training recorded, if it did; all else was measured for this page. A figure in bold is the best of its column.'));
  const notes = data.runs.flatMap((run) => run.notes.map((note) => `${run.name}: ${note}`));
  if (notes.length) section.append(el('div', { class: 'note', role: 'note' }, notes.map((note) => el('p', {}, note))));
  section.append(settingsTable(data.runs));
}

export function subtitle(data) {
  if (!data.runs.length) return 'What a store of runs has of them';
  const methods = [...new Set(data.runs.map((run) => run.method.toUpperCase()))];
  const regs = [...new Set(data.runs.map((run) => run.reg).filter(Boolean))].map(regulariserName);
  return `${counted(data.runs.length, 'run')} of ${join(methods)} (${join(regs)}) on ${join(data.datasets.map((set) => set.name))}` +
    `, ${counted(data.runs.reduce((sum, run) => sum + run.seeds.length, 0), 'embedding')}`;
}
