// The page in a browser, as a person meets it.
//   node page_test.mjs CREG CHROMIUM FOLDER [write]
// With "write" the coarse pictures that screenshots are compared with are made anew: look at FOLDER/*.png first.
// Makes a small graph whose nodes have awkward names, trains on it, and looks at the report.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';

const [creg, browserPath, folder, write] = process.argv.slice(2);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

const script = '<script>document.title="run"</script>';
const awkward = [script, '</script><h1 id="broken">', '<!--<script>', '&amp; "quotes" \'', 'naïve Ünicode 节点'];
const nodes = Array.from({ length: 120 }, (_, i) => awkward[i] ?? `paper-${i}`);

function makeRuns() {
  const quoted = (name) => `"${name.replaceAll('"', '""')}"`;
  const edges = [];
  const features = [];
  const labels = [];
  nodes.forEach((name, i) => {
    // Three rings, a few edges between them.
    edges.push(`${quoted(name)},${quoted(nodes[(i + 3) % nodes.length])}`);
    edges.push(`${quoted(name)},${quoted(nodes[(i + 6) % nodes.length])}`);
    if (i % 10 === 0) edges.push(`${quoted(name)},${quoted(nodes[(i + 1) % nodes.length])}`);
    const noise = Math.sin(i * 12.9898) * 0.5;
    features.push([name, i % 3 === 0 ? 1 : noise, i % 3 === 1 ? 1 : noise, i % 3 === 2 ? 1 : noise, Math.cos((i * 2 * Math.PI) / nodes.length), Math.sin((i * 2 * Math.PI) / nodes.length)]);
    labels.push(`${quoted(name)},class ${i % 3}`);
  });
  writeFileSync(join(folder, 'edges.csv'), `source,target\n${edges.join('\n')}\n`);
  writeFileSync(join(folder, 'features.csv'), `node,a,b,c,d,e\n${features.map(([name, ...rest]) => [quoted(name), ...rest].join(',')).join('\n')}\n`);
  writeFileSync(join(folder, 'labels.csv'), `node,label\n${labels.join('\n')}\n`);
  const data = ['--edges', join(folder, 'edges.csv'), '--features', join(folder, 'features.csv'), '--labels', join(folder, 'labels.csv')];
  for (const reg of ['none', 'contrast']) {
    execFileSync(creg, ['train', ...data, '--method', 'ml', '--reg', reg, '--recipe', 'none', '--dim', '16', '--epochs', '12', '--seeds', '2',
      '--calibrate', '4', '--out', join(folder, reg), '--quiet', '--json', '--threads', '1'], { stdio: ['ignore', 'ignore', 'inherit'] });
  }
  const out = join(folder, 'report.html');
  execFileSync(creg, ['report', join(folder, 'none'), join(folder, 'contrast'), '-o', out, '--quiet', '--json', '--threads', '1'],
    { stdio: ['ignore', 'ignore', 'inherit'] });
  return out;
}

/** The tables whose rows of one method are told apart by encoder and score, one seed of each. */
function makeRivalsPage() {
  const store = join(folder, 'rivals.sqlite');
  execFileSync(creg, ['reproduce', 'regularization_ablation', 'ece', 'gat_gin_backbone', '--datasets', 'cora=synthetic:cora@0.05',
    '--methods', 'ml', '--seeds', '1', '--set', 'dim=8', '--set', 'epochs=5', '--set', 'patience=0', '--store', store, '--quiet', '--json', '--threads', '1'],
  { stdio: ['ignore', 'ignore', 'inherit'] });
  const out = join(folder, 'rivals.html');
  execFileSync(creg, ['report', store, '-o', out, '--map', 'none', '--no-baselines', '--quiet', '--json', '--threads', '1'], { stdio: ['ignore', 'ignore', 'inherit'] });
  return out;
}

/** The page of the runs with other figures: what `change` makes of its data. */
function altered(name, change) {
  const html = readFileSync(page, 'utf8');
  const begin = '<script id="data" type="application/json">';
  const from = html.indexOf(begin) + begin.length;
  const to = html.indexOf('</script>', from);
  const data = JSON.parse(html.slice(from, to));
  change(data);
  const file = join(folder, `${name}.html`);
  writeFileSync(file, html.slice(0, from) + JSON.stringify(data).replaceAll('<', '\\u003c') + html.slice(to));
  return file;
}

const packed = (Type, values) => Buffer.from(Type.from(values).buffer).toString('base64');
const gzipped = (names) => ({ gzip: gzipSync(JSON.stringify(names)).toString('base64') });

/** A store of the paper's runs on small graphs in the place of its own. */
function makeStorePage() {
  const store = join(folder, 'store.sqlite');
  execFileSync(creg, ['reproduce', 'node_classification', 'regularization_ablation', '--datasets', 'cora=synthetic:cora@0.05', '--methods', 'ml',
    '--seeds', '2', '--set', 'dim=8', '--set', 'epochs=5', '--store', store, '--quiet', '--json', '--threads', '1'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const out = join(folder, 'store.html');
  execFileSync(creg, ['report', store, '-o', out, '--most-runs', '2', '--quiet', '--json', '--threads', '1'], { stdio: ['ignore', 'ignore', 'inherit'] });
  return out;
}

const hasStores = /^run stores\s+yes/m.test(execFileSync(creg, ['info'], { encoding: 'utf8' }));
const page = makeRuns();
const storePage = hasStores ? makeStorePage() : null;
const rivalsPage = hasStores ? makeRivalsPage() : null;
assert.ok(statSync(page).size < 3e6, 'the page is small');
const browser = await chromium.launch({
  executablePath: browserPath,
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
});

async function opened(options = {}, file = page) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, offline: true, ...options });
  const tab = await context.newPage();
  const complaints = [];
  tab.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  tab.on('pageerror', (error) => complaints.push(error.message));
  tab.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) complaints.push(`a request of ${request.url()}`);
  });
  await tab.goto(pathToFileURL(file).href);
  await tab.waitForSelector('html[data-ready]');
  return { tab, complaints, close: () => context.close() };
}

/** Whether anything is drawn on a canvas: the share of its pixels that are not empty. */
const drawn = (tab, selector) => tab.$eval(selector, (canvas) => {
  const copy = document.createElement('canvas');
  copy.width = canvas.width;
  copy.height = canvas.height;
  const pen = copy.getContext('2d');
  pen.drawImage(canvas, 0, 0);
  const { data } = pen.getImageData(0, 0, copy.width, copy.height);
  let marks = 0;
  for (let i = 3; i < data.length; i += 4) marks += data[i] > 0;
  return marks / (data.length / 4);
});

/** The pixels of a PNG: {width, height, at(x, y)}, decoded by a browser. */
async function pixelsOf(png) {
  decoder ??= await browser.newPage();
  const { width, height, data } = await decoder.evaluate(async (url) => {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.width, image.height];
    const pen = canvas.getContext('2d');
    pen.drawImage(image, 0, 0);
    const bytes = pen.getImageData(0, 0, image.width, image.height).data;
    let text = '';
    for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
    return { width: image.width, height: image.height, data: btoa(text) };
  }, `data:image/png;base64,${png.toString('base64')}`);
  const bytes = Buffer.from(data, 'base64');
  return { width, height, at: (x, y) => [...bytes.subarray(4 * (y * width + x), 4 * (y * width + x) + 3)] };
}
let decoder = null;

const distance = (a, b) => Math.max(...a.map((value, i) => Math.abs(value - b[i])));
const rgbOf = (words) => words.match(/\d+/g).slice(0, 3).map(Number);

/** Of a picture, the mean colours of a grid of cells. */
function coarse(picture, columns, rows) {
  const out = [];
  for (let row = 0; row < rows; ++row) {
    for (let column = 0; column < columns; ++column) {
      const sum = [0, 0, 0];
      let count = 0;
      for (let y = Math.floor((row * picture.height) / rows); y < ((row + 1) * picture.height) / rows; ++y) {
        for (let x = Math.floor((column * picture.width) / columns); x < ((column + 1) * picture.width) / columns; ++x) {
          if (y >= picture.height || x >= picture.width) continue;
          picture.at(x, y).forEach((value, i) => { sum[i] += value; });
          ++count;
        }
      }
      out.push(...sum.map((value) => Math.round(value / count)));
    }
  }
  return out;
}

const referenceFile = join(dirname(fileURLToPath(import.meta.url)), 'page_pictures.json');
const references = existsSync(referenceFile) ? JSON.parse(readFileSync(referenceFile, 'utf8')) : {};
const grid = { columns: 32, rows: 24 };

/** A screenshot is what it was when somebody looked at it, letters and their edges aside. */
async function expectLooks(name, locator) {
  await locator.scrollIntoViewIfNeeded();
  const png = await locator.screenshot({ animations: 'disabled' });
  writeFileSync(join(folder, `${name}.png`), png);
  const found = coarse(await pixelsOf(png), grid.columns, grid.rows);
  if (write) {
    references[name] = Buffer.from(found).toString('base64');
    return;
  }
  assert.ok(references[name], `no picture ${name} in ${referenceFile}`);
  const expected = [...Buffer.from(references[name], 'base64')];
  const apart = found.map((value, i) => Math.abs(value - expected[i]));
  const mean = apart.reduce((sum, value) => sum + value, 0) / apart.length;
  const far = apart.filter((value) => value > 64).length / apart.length;
  assert.ok(mean < 6 && far < 0.03, `${name} looks other than it did: ${mean.toFixed(1)} of 255 on average, ${(100 * far).toFixed(1)} % far off; see ${name}.png`);
}

const checks = {
  async 'nothing is complained of and nothing is fetched'() {
    const { tab, complaints, close } = await opened();
    await tab.waitForTimeout(200);
    assert.deepEqual(complaints, []);
    await close();
  },

  async 'figures, curves, diagrams and points are there'() {
    const { tab, close } = await opened();
    const overview = await tab.textContent('#overview');
    for (const words of ['ML + Contrast-Reg', 'Test accuracy', 'Features X alone', 'Smoothed features', '120 nodes', '3 classes']) assert.ok(overview.includes(words), words);
    const charts = await tab.$$('#curves canvas');
    assert.ok(charts.length >= 8, `${charts.length} charts`);
    for (let i = 0; i < charts.length; ++i) {
      await charts[i].evaluate((canvas, id) => canvas.setAttribute('id', id), `chart-${i}`);
      assert.ok((await drawn(tab, `#chart-${i}`)) > 0.002, `chart ${i} is empty`);
    }
    assert.equal((await tab.$$('#calibration svg')).length, 4);
    assert.equal((await tab.$$('#calibration .confusion')).length, 2);
    assert.equal(await tab.$eval('.stage', (stage) => stage.dataset.renderer), 'webgl');
    assert.ok((await drawn(tab, '.stage canvas.points')) > 0.002, 'no points');
    await close();
  },

  async 'names are text'() {
    const { tab, complaints, close } = await opened();
    assert.equal(await tab.title(), 'Embeddings of edges');
    assert.equal(await tab.$('#broken'), null);
    for (const name of awkward) {
      await tab.fill('#map-search', name);
      await tab.keyboard.press('Enter');
      assert.equal(await tab.textContent('.panel-head h3'), name);
    }
    assert.equal(await tab.title(), 'Embeddings of edges');
    assert.equal((await tab.$$('script')).length, 2);
    assert.deepEqual(complaints, []);
    await close();
  },

  async 'a node is hovered, chosen, and its neighbours are walked'() {
    const { tab, close } = await opened();
    await tab.locator('.stage').scrollIntoViewIfNeeded();
    const [x, y] = await tab.$eval('.stage', (stage) => stage.placeOf('paper-60'));
    await tab.mouse.move(x, y);
    await tab.waitForSelector('.tip:not([hidden])');
    const name = await tab.textContent('.tip strong');
    await tab.mouse.down();
    await tab.mouse.up();
    assert.equal(await tab.textContent('.panel-head h3'), name);
    const rows = await tab.$$eval('.near tbody tr', (all) => all.map((row) => row.textContent));
    assert.equal(rows.length, 10);
    assert.ok(rows.some((row) => row.endsWith('yes')), 'no neighbour is marked as one of the graph');
    const next = await tab.textContent('.near .node');
    await tab.click('.near .node');
    assert.equal(await tab.textContent('.panel-head h3'), next);
    assert.ok((await drawn(tab, '.stage .overlay')) > 0.0005, 'the neighbours are not marked');
    await close();
  },

  async 'search by name with the keyboard'() {
    const { tab, close } = await opened();
    await tab.focus('#map-search');
    await tab.keyboard.type('paper-1');
    assert.equal(await tab.getAttribute('#map-search', 'aria-expanded'), 'true');
    const options = await tab.$$eval('#map-matches li', (all) => all.map((one) => one.firstChild.textContent));
    assert.equal(options[0], 'paper-10');
    await tab.keyboard.press('ArrowDown');
    assert.equal(await tab.getAttribute('#map-search', 'aria-activedescendant'), 'match-1');
    await tab.keyboard.press('Enter');
    assert.equal(await tab.textContent('.panel-head h3'), options[1]);
    await tab.fill('#map-search', 'nobody');
    assert.equal(await tab.getAttribute('#map-search', 'aria-invalid'), 'true');
    await close();
  },

  async 'every control is reached by tab, in the order of the page, and has a name'() {
    const { tab, close } = await opened();
    const seen = [];
    for (let i = 0; i < 120; ++i) {
      await tab.keyboard.press('Tab');
      const one = await tab.evaluate(() => {
        const at = document.activeElement;
        if (!at || at === document.body) return null;
        const label = at.labels?.[0]?.textContent ?? at.getAttribute('aria-label') ?? at.textContent;
        return { tag: at.tagName, id: at.id, name: label.trim(), top: at.getBoundingClientRect().top + scrollY };
      });
      if (!one) break;
      assert.ok(one.name, `a ${one.tag} without a name`);
      seen.push(one);
    }
    const ids = seen.map((one) => one.id).filter(Boolean);
    assert.deepEqual(ids.slice(-5), ['map-run', 'map-layout', 'map-colour', 'map-search', 'map-canvas']);
    assert.equal(seen[0].name, 'Skip to the figures');
    await tab.focus('#map-canvas');
    const before = await tab.$eval('.stage', (stage) => stage.placeOf('paper-60'));
    await tab.keyboard.press('+');
    await tab.keyboard.press('ArrowLeft');
    assert.notDeepEqual(await tab.$eval('.stage', (stage) => stage.placeOf('paper-60')), before);
    await close();
  },

  async 'runs, layouts and colours are changed'() {
    const { tab, complaints, close } = await opened();
    const place = () => tab.$eval('.stage', (stage) => stage.placeOf('paper-60').map(Math.round));
    const first = await place();
    await tab.selectOption('#map-layout', 'principal');
    assert.notDeepEqual(await place(), first);
    for (const colour of ['prediction', 'mistakes', 'confidence', 'degree', 'label']) await tab.selectOption('#map-colour', colour);
    await tab.click('.map-legend button');
    assert.equal(await tab.getAttribute('.map-legend button', 'aria-pressed'), 'true');
    await tab.selectOption('#map-run', '0');
    await tab.click('#curves .legend button');
    assert.equal(await tab.getAttribute('#curves .legend button', 'aria-pressed'), 'false');
    assert.deepEqual(complaints, []);
    await close();
  },

  async 'light and dark'() {
    const back = (tab) => tab.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await opened();
    const dark = await opened({ colorScheme: 'dark' });
    assert.notEqual(await back(light.tab), await back(dark.tab));
    await light.tab.click('#theme');
    assert.equal(await back(light.tab), await back(dark.tab));
    assert.deepEqual([...light.complaints, ...dark.complaints], []);
    await light.close();
    await dark.close();
  },

  async 'a phone shows all of it without scrolling sideways'() {
    const { tab, complaints, close } = await opened({ viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true });
    const [page, screen] = await tab.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(page <= screen, `${page} pixels wide`);
    await tab.locator('.stage').scrollIntoViewIfNeeded();
    const [x, y] = await tab.$eval('.stage', (stage) => stage.placeOf('paper-60'));
    await tab.touchscreen.tap(x, y);
    await tab.waitForSelector('.panel-head');
    assert.deepEqual(complaints, []);
    await close();
    if (!storePage) return;
    const other = await opened({ viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true }, storePage);
    assert.ok(await other.tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'tables are too wide');
    await other.close();
  },

  async 'it is drawn without WebGL too'() {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const tab = await context.newPage();
    await tab.addInitScript(() => {
      const ask = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function getContext(kind, ...rest) {
        return kind.includes('webgl') ? null : ask.call(this, kind, ...rest);
      };
    });
    await tab.goto(pathToFileURL(page).href);
    await tab.waitForSelector('html[data-ready]');
    assert.equal(await tab.$eval('.stage', (stage) => stage.dataset.renderer), 'canvas');
    assert.ok((await drawn(tab, '.stage canvas.points')) > 0.002, 'no points');
    await context.close();
  },

  async 'the paper’s tables stand beside what a store has'() {
    if (!storePage) return;
    const { tab, complaints, close } = await opened({}, storePage);
    const rows = await tab.$$eval('.paper table', (tables) => tables.map((table) => [...table.querySelectorAll('tbody tr')].map((row) => row.textContent)));
    assert.equal(rows.length, 3, 'two tables and the gains');
    assert.equal(rows[0].length, 1);
    assert.match(rows[0][0], /^ML \+ Contrast-Reg\d.*paper 82\.65 ± 0\.57ours on synthetic:cora@0\.05$/);
    assert.equal(rows[1].length, 4);
    assert.match(rows[2].join(''), /^ML \+ Contrast-Reg accuracyCora.*2\+9\.43$/);
    assert.match(await tab.textContent('#overview > .note'), /2 of 4 settings are shown/);
    assert.deepEqual(await tab.$$eval('.dataset tbody th small', (all) => all.map((one) => one.textContent.trim())).then((all) => all.slice(0, 2)),
      ['synthetic:cora@0.05, 2 seeds', 'synthetic:cora@0.05, 2 seeds']);
    assert.equal(await tab.$$eval('#map-run option', (all) => all.length), 2);
    assert.deepEqual(complaints, []);
    await close();
  },

  async 'nodes, legends and lines have the colours of their classes and runs'() {
    for (const colorScheme of ['light', 'dark']) {
      const { tab, close } = await opened({ colorScheme });
      await tab.selectOption('#map-layout', 'principal');
      await tab.locator('.stage').scrollIntoViewIfNeeded();
      await tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      const swatches = (await tab.$$eval('.map-legend .swatch', (all) => all.map((one) => getComputedStyle(one).backgroundColor))).map(rgbOf);
      assert.equal(swatches.length, 3);
      const box = await tab.locator('.stage').boundingBox();
      const picture = await pixelsOf(await tab.locator('.stage').screenshot());
      let right = 0;
      for (let i = 0; i < nodes.length; ++i) {
        const [x, y] = await tab.$eval('.stage', (stage, name) => stage.placeOf(name), nodes[i]);
        const seen = picture.at(Math.round(x - box.x), Math.round(y - box.y));
        const nearest = swatches.map((swatch) => distance(seen, swatch));
        right += nearest[i % 3] === Math.min(...nearest) && nearest[i % 3] < 70;
      }
      // A node may lie below one of another class.
      assert.ok(right > 0.9 * nodes.length, `${right} of ${nodes.length} nodes have the colour of their class, ${colorScheme}`);

      const lines = (await tab.$$eval('#curves .legend .swatch', (all) => all.map((one) => getComputedStyle(one).backgroundColor))).map(rgbOf);
      const chart = tab.locator('#curves .chart').first();
      await chart.scrollIntoViewIfNeeded();
      const frame = await chart.boundingBox();
      const drawnChart = await pixelsOf(await chart.screenshot());
      for (const number of [0, 1]) {
        const [x, y] = await chart.evaluate((holder, run) => holder.placeOf(run, 6), number);
        // Anti-aliased, and another line may cross: somewhere within two pixels.
        let least = 255;
        for (let dx = -2; dx <= 2; ++dx) {
          for (let dy = -2; dy <= 2; ++dy) least = Math.min(least, distance(drawnChart.at(Math.round(x - frame.x) + dx, Math.round(y - frame.y) + dy), lines[number]));
        }
        assert.ok(least < 40, `the line of run ${number} is not where its mean is, ${colorScheme}: ${least}`);
      }
      await close();
    }
  },

  async 'it looks as it did'() {
    for (const colorScheme of ['light', 'dark']) {
      const { tab, close } = await opened({ colorScheme });
      // Whatever the machine's own letters are.
      await tab.addStyleTag({ content: "* { font-family: 'DejaVu Sans', sans-serif !important; }" });
      await expectLooks(`${colorScheme}-cards`, tab.locator('.cards'));
      await expectLooks(`${colorScheme}-chart`, tab.locator('#curves .chart').first());
      await expectLooks(`${colorScheme}-diagram`, tab.locator('#calibration .diagram').first());
      await tab.selectOption('#map-layout', 'principal');
      await expectLooks(`${colorScheme}-map`, tab.locator('.stage'));
      await tab.fill('#map-search', 'paper-60');
      await tab.keyboard.press('Enter');
      await expectLooks(`${colorScheme}-chosen`, tab.locator('.map'));
      await close();
    }
    if (write) writeFileSync(referenceFile, `${JSON.stringify(references, null, 1)}\n`);
  },

  async 'the node that is called so is found among many that begin so'() {
    const { tab, close } = await opened({}, altered('search', (data) => {
      data.datasets[0].names = nodes.map((_, i) => `ann-${i}`);
      data.datasets[0].names[nodes.length - 1] = 'ann';
    }));
    await tab.fill('#map-search', 'ann');
    const options = await tab.$$eval('#map-matches li', (all) => all.map((one) => one.firstChild.textContent));
    assert.equal(options.length, 12);
    assert.equal(options[0], 'ann');
    await tab.keyboard.press('Enter');
    assert.equal(await tab.textContent('.panel-head h3'), 'ann');
    await close();
  },

  async 'neighbours stand in the order of what is shown of them'() {
    const sigma = nodes.flatMap((_, i) => Array.from({ length: 10 }, (_, j) => (i * 37 + j * 101) % 256));
    const { tab, close } = await opened({}, altered('order', (data) => {
      for (const run of data.runs) run.map.sigma = packed(Uint8Array, sigma);
    }));
    await tab.fill('#map-search', 'paper-60');
    await tab.keyboard.press('Enter');
    const shown = await tab.$$eval('.near tbody tr', (all) => all.map((row) => Number(row.children[2].textContent)));
    assert.deepEqual(shown, [...shown].sort((a, b) => b - a));
    assert.ok(new Set(shown).size > 5);
    await close();
  },

  async 'as many classes as there are have colours of their own'() {
    for (const colorScheme of ['light', 'dark']) {
      const { tab, close } = await opened({ colorScheme }, altered('classes', (data) => {
        data.datasets[0].classes = Array.from({ length: 47 }, (_, i) => `class ${i}`);
        data.datasets[0].labels = packed(Int8Array, nodes.map((_, i) => i % 47));
        for (const run of data.runs) run.confusion = null;
      }));
      await tab.selectOption('#map-colour', 'label');
      const colours = (await tab.$$eval('.map-legend .swatch', (all) => all.map((one) => getComputedStyle(one).backgroundColor))).map(rgbOf);
      assert.equal(colours.length, 47);
      colours.forEach((one, i) => colours.slice(0, i).forEach((other, j) => assert.ok(distance(one, other) > 7, `classes ${i} and ${j} look alike, ${colorScheme}`)));
      const back = rgbOf(await tab.$eval('.stage', (stage) => getComputedStyle(stage).backgroundColor));
      for (const one of colours) assert.ok(distance(one, back) > 60);
      await close();
    }
  },

  async 'a curve ends where its first seed ends'() {
    const { tab, close } = await opened({}, altered('stopped', (data) => {
      const loss = data.runs[0].curves.find((curve) => curve.key === 'loss');
      loss.seeds = [loss.epochs.map(() => 1), loss.epochs.map((epoch) => (epoch < 6 ? 3 : null))];
    }));
    assert.match(await tab.getAttribute('#curves .chart .plot', 'aria-label'), /At the end ML: 2\.000;/);
    const chart = tab.locator('#curves .chart').first();
    await chart.scrollIntoViewIfNeeded();
    const over = await chart.locator('.u-over').boundingBox();
    await tab.mouse.move(over.x + over.width - 2, over.y + over.height / 2);
    assert.match(await chart.locator('.readout').textContent(), /ML – · ML \+ Contrast-Reg \d/);
    await close();
  },

  async 'differences are over the seeds that both have, and one of them proves nothing'() {
    const words = async (change) => {
      const { tab, close } = await opened({}, altered('seeds', (data) => {
        const [before, after] = data.runs;
        before.figures.accuracy = { mean: 0.5, std: 0.1, values: [0.4, 0.6] };
        after.figures.accuracy = { mean: 0.65, std: 0.1, values: [0.55, 0.75] };
        change(data, before, after);
      }));
      const text = await tab.textContent('.card .change dd');
      await close();
      return text;
    };
    assert.match(await words(() => {}), /\+15\.0 points, better95 %: \+15\.0 points to \+15\.0 points$/);
    // Seed 1 alone is both's.
    assert.match(await words((data, before, after) => { after.seeds = [1, 2]; }), /\+15\.0 points$/);
    assert.match(await words((data, before, after) => {
      after.seeds = [1, 0];
      after.figures.accuracy.values = [0.75, 0.55];
    }), /\+15\.0 points, better95 %: \+15\.0 points to/);
    const { tab, close } = await opened({}, altered('differs', (data) => { data.runs[0].differs = ['lr']; }));
    assert.match(await tab.textContent('.card'), /they differ in lr too/);
    await close();
  },

  async 'the rows of a store are compared with their own counterparts'() {
    if (!rivalsPage) return;
    const { tab, complaints, close } = await opened({}, rivalsPage);
    const rows = new Map(await tab.$$eval('.dataset tbody tr', (all) => all.map((row) => [row.querySelector('th').childNodes[1].textContent, row.querySelector('td').firstChild.textContent])));
    assert.equal(rows.size, 10);
    const cards = await tab.$$eval('.card', (all) => all.map((card) => [card.querySelector('h3').textContent, card.querySelector('.from').textContent, card.querySelector('strong').textContent, card.textContent]));
    assert.deepEqual(cards.map(([title]) => title).sort(), ['ML, GAT', 'ML, GCN, bilinear score', 'ML, GCN, dot score', 'ML, GIN'].map((name) => `${name} on synthetic:cora@0.05`));
    for (const [title, from, to, all] of cards) {
      const kind = title.replace(/^ML, | on .*$/g, '');
      assert.equal(from, rows.get(`ML, ${kind}`), title);
      assert.equal(to, rows.get(`ML + Contrast-Reg, ${kind}`), title);
      assert.doesNotMatch(all, /better|worse/);
    }
    const names = await tab.$$eval('.dataset tbody th', (all) => all.map((one) => one.textContent));
    assert.equal(new Set(names).size, names.length);
    assert.deepEqual(complaints, []);
    await close();
  },

  async 'names that came packed are unpacked, where the browser can'() {
    const file = altered('packed', (data) => { data.datasets[0].names = gzipped(nodes); });
    const { tab, complaints, close } = await opened({}, file);
    await tab.fill('#map-search', script);
    await tab.keyboard.press('Enter');
    assert.equal(await tab.textContent('.panel-head h3'), script);
    assert.deepEqual(complaints, []);
    await close();
    const context = await browser.newContext();
    const old = await context.newPage();
    await old.addInitScript(() => { delete globalThis.DecompressionStream; });
    await old.goto(pathToFileURL(file).href);
    await old.waitForSelector('html[data-ready]');
    assert.match(await old.textContent('#map > .quiet'), /cannot unpack/);
    await old.fill('#map-search', '60');
    await old.keyboard.press('Enter');
    assert.equal(await old.textContent('.panel-head h3'), '60');
    await context.close();
  },

  async '20,000 nodes are drawn, named and found'() {
    const count = 20000;
    let state = 1;
    const draw = () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state / 2 ** 32;
    };
    const some = (most, times = 1) => Array.from({ length: times * count }, () => Math.floor(draw() * most));
    const file = altered('large', (data) => {
      data.runs.length = 1;
      data.runs[0].counterpart = null;
      Object.assign(data.datasets[0], {
        nodes: count, shown_count: count, shown: null, names: gzipped(some(1e9).map((one, i) => `A paper about ${one} and ${i}`)),
        labels: packed(Int8Array, some(3)), degrees: packed(Uint16Array, some(300)), parts: packed(Uint8Array, some(4)),
      });
      Object.assign(data.runs[0].map, {
        tsne: packed(Uint16Array, some(65536, 2)), principal: packed(Uint16Array, some(65521, 2)), predictions: packed(Int8Array, some(3)),
        confidence: packed(Uint8Array, some(256)), neighbours: packed(Uint16Array, some(count, 10)), sigma: packed(Uint8Array, some(256, 10)), edges: packed(Uint16Array, some(1024)),
      });
    });
    assert.ok(statSync(file).size < 3e6, `${statSync(file).size} bytes`);
    const begun = performance.now();
    const { tab, complaints, close } = await opened({}, file);
    console.log(`        ready in ${Math.round(performance.now() - begun)} ms, ${statSync(file).size} bytes`);
    assert.ok((await drawn(tab, '.stage canvas.points')) > 0.05, 'points are missing');
    await tab.fill('#map-search', 'and 19999');
    await tab.keyboard.press('Enter');
    assert.match(await tab.textContent('.panel-head h3'), / and 19999$/);
    assert.equal(await tab.$$eval('.near tbody tr', (all) => all.length), 10);
    assert.deepEqual(complaints, []);
    await close();
  },

  async 'paper gets all of it'() {
    const { tab, close } = await opened();
    const pdf = await tab.pdf({ format: 'A4' });
    assert.ok(pdf.length > 20000, `${pdf.length} bytes`);
    await close();
  },
};

let failed = 0;
try {
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check();
      console.log(`ok      ${name}`);
    } catch (error) {
      ++failed;
      console.log(`FAILED  ${name}\n${error.stack}`);
    }
  }
} finally {
  await browser.close();
}
process.exitCode = failed ? 1 : 0;
