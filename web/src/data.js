// The figures that creg wrote into the page, with arrays instead of base64.

function bytes(text) {
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) out[i] = raw.charCodeAt(i);
  return out.buffer;
}

const decode = (text, Type) => (text === null ? null : new Type(bytes(text)));

const counts = { 1: Uint8Array, 2: Uint16Array, 4: Int32Array };
const classes = { 1: Int8Array, 2: Int16Array, 4: Int32Array };

/** So many numbers of as few bytes as hold the largest. */
function decodeFew(text, count, types) {
  if (text === null) return null;
  const buffer = bytes(text);
  return new types[count ? buffer.byteLength / count : 1](buffer);
}

/** Names as they are, or as gzip; null where this browser cannot unpack them. */
async function unpack(names) {
  if (Array.isArray(names)) return names;
  if (typeof DecompressionStream === 'undefined') return null;
  const stream = new Blob([bytes(names.gzip)]).stream().pipeThrough(new DecompressionStream('gzip'));
  return JSON.parse(await new Response(stream).text());
}

function openMap(map, count) {
  if (!map) return null;
  return {
    layouts: [
      ['tsne', 't-SNE', decode(map.tsne, Uint16Array)],
      ['principal', 'principal components', decode(map.principal, Uint16Array)],
    ].filter(([, , points]) => points),
    predictions: decodeFew(map.predictions, count, classes),
    confidence: decode(map.confidence, Uint8Array),
    k: map.k,
    neighbours: decodeFew(map.neighbours, count * map.k, counts),
    sigma: decode(map.sigma, Uint8Array),
    edges: decode(map.edges, Uint16Array),
  };
}

export async function openData() {
  const data = JSON.parse(document.getElementById('data').textContent);
  for (const set of data.datasets) {
    const count = set.shown_count;
    set.shown = decodeFew(set.shown, count, counts);
    set.labels = decodeFew(set.labels, count, classes);
    set.degrees = decodeFew(set.degrees, count, counts);
    set.parts = decode(set.parts, Uint8Array);
    const names = await unpack(set.names);
    set.namesLost = names === null;
    set.names = names ?? [];
    set.nodeName = (i) => (set.names.length ? set.names[i] : String(set.shown ? set.shown[i] : i));
    set.className = (label) => (label < 0 ? 'no label' : set.classes[label] ?? String(label));
  }
  data.runs.forEach((run, number) => {
    run.number = number;
    run.data = data.datasets[run.dataset];
    run.map = openMap(run.map, run.data.shown_count);
  });
  return data;
}
