// Elements and words. Whatever comes out of a file goes through text nodes: a node called <script>
// is shown, not run.

export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? '' : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children.flat(Infinity));
  return element;
}

export const count = (number) => number.toLocaleString('en');
export const counted = (number, word) => `${count(number)} ${word}${number === 1 ? '' : 's'}`;
export const percent = (share, digits = 1) => (100 * share).toFixed(digits);

export function plain(number) {
  if (number === null || number === undefined || !Number.isFinite(number)) return '–';
  if (number === 0) return '0';
  const size = Math.abs(number);
  if (size >= 1e5 || size < 1e-3) return number.toExponential(2);
  return number.toFixed(size >= 100 ? 1 : size >= 10 ? 2 : 3);
}

export const join = (words) =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

const regularisers = { none: 'plain', contrast: 'Contrast-Reg', l2norm: 'L2 norm', 'weight-decay': 'weight decay' };
export const regulariserName = (key) => regularisers[key] ?? key;

/** "ML + Contrast-Reg". */
export function methodName(run) {
  const method = run.method.length <= 5 ? run.method.toUpperCase() : run.method;
  return run.reg === 'none' || run.reg === '' ? method : `${method} + ${regulariserName(run.reg)}`;
}

/** The same with what tells it from others: "ML + Contrast-Reg, GAT". */
export const runName = (run) => (run.apart ? `${methodName(run)}, ${run.apart}` : methodName(run));

/** Its name less what runName says already. */
export function ownName(run) {
  const known = [runName(run), methodName(run)].find((words) => run.name.startsWith(words));
  return known ? run.name.slice(known.length).replace(/^, /, '') : run.name;
}
