// Bundles the page into OUT/report.html, and the same as pieces of C++ text into OUT/page_shell.inc.
//   node build.mjs OUT
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2];
mkdirSync(out, { recursive: true });

async function bundle(entry) {
  const result = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: ['es2020'],
    charset: 'utf8',
    legalComments: 'none',
  });
  return result.outputFiles[0].text;
}

// No text of ours or of a library ends the element that it stands in.
const script = (await bundle('src/main.js')).replaceAll('</script', '<\\/script');
const style = await bundle('src/style.css');
// What their licences ask of a copy.
const notices = ['uplot', 'regl'].map((name) => {
  const folder = join(here, 'node_modules', name);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return `${name} ${version}\n${readFileSync(join(folder, 'LICENSE'), 'utf8').trim()}`.replaceAll('--', '- -');
});
const html = readFileSync(join(here, 'src/index.html'), 'utf8')
  .replace('<!--notices-->', () => `<!--\nWithin this page:\n\n${notices.join('\n\n')}\n-->`)
  .replace('/*style*/', () => style)
  .replace('/*script*/', () => script);
writeFileSync(join(out, 'report.html'), html);

// Compilers take literals of some length only: neighbours are one.
const pieces = html.match(/[^]{1,8000}/g);
const end = 'creg_page';
if (html.includes(`)${end}"`)) throw new Error('the page holds the end of a C++ literal');
writeFileSync(join(out, 'page_shell.inc'), pieces.map((piece) => `R"${end}(${piece})${end}"`).join('\n') + '\n');
