import type { Page } from "playwright-core";

/** Runs in the browser. Colors with alpha are mixed with what is behind them; luminance and contrast are those of WCAG 2.2. */
const measure = `(element, pseudo) => {
  const parse = (color) => {
    const [red, green, blue, alpha = 1] = color.match(/[\\d.]+/g).map(Number);
    return { rgb: [red, green, blue], alpha };
  };
  const mix = ({ rgb, alpha }, behind) => rgb.map((value, index) => value * alpha + behind[index] * (1 - alpha));
  const behind = (one) => (one ? mix(parse(getComputedStyle(one).backgroundColor), behind(one.parentElement)) : [255, 255, 255]);
  const luminance = (rgb) => {
    const [red, green, blue] = rgb.map((value) => value / 255).map((value) => (value > 0.04045 ? ((value + 0.055) / 1.055) ** 2.4 : value / 12.92));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const background = behind(element);
  const { color, opacity } = getComputedStyle(element, pseudo);
  const text = parse(color);
  const pair = [luminance(background), luminance(mix({ ...text, alpha: text.alpha * opacity }, background))];
  return { background: pair[0], contrast: (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05) };
}`;

/** The luminance of what is behind an element's text, from 0 to 1, and the contrast of the text with it, from 1 to 21. */
export function colorsOf(page: Page, selector: string, pseudo = ""): Promise<{ background: number; contrast: number }> {
  return page.evaluate(`(${measure})(document.querySelector(${JSON.stringify(selector)}), ${JSON.stringify(pseudo)})`);
}
