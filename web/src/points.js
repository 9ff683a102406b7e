// Many points on a canvas: by WebGL through regl, or, where there is none, one by one.
import createRegl from 'regl';

const vertex = `
precision highp float;
attribute vec2 place;
attribute vec4 tint;
uniform vec2 scale, shift;
uniform float size;
varying vec4 colour;
void main() {
  gl_Position = vec4(place * scale + shift, 0.0, 1.0);
  gl_PointSize = size;
  colour = tint;
}`;

const fragment = `
precision mediump float;
varying vec4 colour;
void main() {
  float far = length(gl_PointCoord - 0.5) * 2.0;
  if (far > 1.0) discard;
  float rim = smoothstep(1.0, 0.75, far);
  gl_FragColor = vec4(colour.rgb, 1.0) * colour.a * rim;
}`;

function byWebGl(canvas) {
  // Kept after drawing, so that it is there in print.
  const regl = createRegl({ canvas, attributes: { antialias: false, preserveDrawingBuffer: true, premultipliedAlpha: true } });
  const places = regl.buffer({ usage: 'static', type: 'uint16', length: 0 });
  const tints = regl.buffer({ usage: 'dynamic', type: 'uint8', length: 0 });
  let total = 0;
  const draw = regl({
    vert: vertex,
    frag: fragment,
    attributes: {
      place: { buffer: places, type: 'uint16', normalized: true, size: 2 },
      tint: { buffer: tints, type: 'uint8', normalized: true, size: 4 },
    },
    uniforms: { scale: regl.prop('scale'), shift: regl.prop('shift'), size: regl.prop('size') },
    blend: { enable: true, func: { src: 'one', dst: 'one minus src alpha' } },
    depth: { enable: false },
    count: () => total,
    primitive: 'points',
    viewport: () => ({ x: 0, y: 0, width: canvas.width, height: canvas.height }),
  });
  return {
    kind: 'webgl',
    setPlaces(points) {
      total = points.length / 2;
      places({ data: points, type: 'uint16', usage: 'static' });
    },
    setTints(bytes) {
      tints({ data: bytes, type: 'uint8', usage: 'dynamic' });
    },
    draw(view) {
      regl.poll();
      regl.clear({ color: [0, 0, 0, 0] });
      if (total) draw(view);
    },
  };
}

function byCanvas(canvas) {
  const pen = canvas.getContext('2d');
  let points = [];
  let tints = [];
  return {
    kind: 'canvas',
    setPlaces(given) {
      points = given;
    },
    setTints(bytes) {
      tints = bytes;
    },
    draw({ scale, shift, size }) {
      pen.clearRect(0, 0, canvas.width, canvas.height);
      for (let i = 0; i < points.length / 2; ++i) {
        const x = ((points[2 * i] / 65535) * scale[0] + shift[0] + 1) * 0.5 * canvas.width;
        const y = (1 - (points[2 * i + 1] / 65535) * scale[1] - shift[1]) * 0.5 * canvas.height;
        pen.fillStyle = `rgba(${tints[4 * i]},${tints[4 * i + 1]},${tints[4 * i + 2]},${tints[4 * i + 3] / 255})`;
        pen.fillRect(x - size / 2, y - size / 2, size, size);
      }
    },
  };
}

/** A canvas whose context was asked for once can have no other: the second way gets a new one. */
export function pointRenderer(canvas) {
  try {
    return { canvas, ...byWebGl(canvas) };
  } catch {
    const fresh = canvas.cloneNode();
    canvas.replaceWith(fresh);
    return { canvas: fresh, ...byCanvas(fresh) };
  }
}
