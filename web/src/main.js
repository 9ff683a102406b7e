import { drawCalibration, drawCurves } from './charts.js';
import { colour, isDark } from './colours.js';
import { openData } from './data.js';
import { drawMap } from './map.js';
import { drawOverview, subtitle } from './overview.js';

async function show() {
  const data = await openData();
  const part = (id) => document.getElementById(id);
  document.title = data.title;
  part('title').textContent = data.title;
  part('subtitle').textContent = subtitle(data);
  part('made').textContent = `Made by creg ${data.version}. One file, without a network.`;

  drawOverview(part('overview'), data);
  const redraws = [drawCurves(part('curves'), data)];
  drawCalibration(part('calibration'), data);
  redraws.push(drawMap(part('map'), data));

  function recolour() {
    for (const swatch of document.querySelectorAll('.swatch[data-run]')) swatch.style.setProperty('--of', colour(Number(swatch.dataset.run)));
    for (const redraw of redraws) redraw();
    theme.textContent = isDark() ? 'Light' : 'Dark';
    theme.setAttribute('aria-label', `Show the page ${isDark() ? 'light' : 'dark'}`);
  }
  const theme = part('theme');
  theme.addEventListener('click', () => {
    document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
    recolour();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', recolour);
  // Paper is white.
  let before = null;
  addEventListener('beforeprint', () => {
    before = document.documentElement.dataset.theme ?? '';
    document.documentElement.dataset.theme = 'light';
    for (const details of document.querySelectorAll('#calibration details')) details.open = true;
    recolour();
  });
  addEventListener('afterprint', () => {
    if (before) document.documentElement.dataset.theme = before;
    else delete document.documentElement.dataset.theme;
    recolour();
  });
  recolour();
  document.documentElement.dataset.ready = 'yes';
}

show();
