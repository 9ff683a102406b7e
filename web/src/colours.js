// Colours that people with any kind of colour vision tell apart, on light and on dark.

const light = ['#0072b2', '#d55e00', '#009e73', '#b3478f', '#a06a00', '#4ba3d9', '#5b5b5b', '#7a5cc0', '#8a8f00', '#b0355a', '#2f7f86', '#c98b3a'];
const dark = ['#56a8e0', '#ff8a3d', '#2fc79a', '#e58cc4', '#f0c050', '#8fd3ff', '#b5b5b5', '#ab94f0', '#d3d84a', '#ff7d9f', '#5fd0d8', '#e6b57a'];

export const isDark = () => {
  const asked = document.documentElement.dataset.theme;
  return asked ? asked === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
};

/**
 * Beyond the list hues by the golden angle, of two brightnesses in turn: no two of some fifty are alike, though few
 * people tell so many apart, and the name stands beside each.
 */
function further(i) {
  const hue = ((i - light.length) * 137.508 + 20) % 360;
  const lightness = (isDark() ? 70 : 40) + (i % 3) * 8 - 8;
  const strength = i % 2 ? 0.75 : 0.5;
  const reach = strength * Math.min(lightness, 100 - lightness);
  const part = (offset) => {
    const at = (offset + hue / 30) % 12;
    const value = lightness - reach * Math.max(-1, Math.min(at - 3, 9 - at, 1));
    return Math.round(2.55 * value).toString(16).padStart(2, '0');
  };
  return `#${part(0)}${part(8)}${part(4)}`;
}

export const colour = (i) => (i < light.length ? (isDark() ? dark : light)[i] : further(i));

export function rgb(text) {
  return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
}

export const withAlpha = (text, alpha) => `rgba(${rgb(text).join(',')},${alpha})`;

// From dark blue over grey to yellow: brightness alone tells the order.
const scale = [[0, 34, 78], [42, 63, 109], [87, 93, 109], [124, 123, 120], [166, 157, 117], [212, 194, 95], [254, 232, 56]];

/** Of a number from 0 to 1. */
export function sequential(share) {
  const at = Math.min(Math.max(share, 0), 1) * (scale.length - 1);
  const low = Math.min(Math.floor(at), scale.length - 2);
  return scale[low].map((from, i) => Math.round(from + (at - low) * (scale[low + 1][i] - from)));
}

export const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
