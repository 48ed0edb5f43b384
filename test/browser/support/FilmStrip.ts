import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";

const pictures = fileURLToPath(new URL("../../../docs/pictures/", import.meta.url));
/** The pictures are the same each day. */
const withoutTimes = "time { font-size: 0 } time::before { content: '5 May'; font-size: 0.9rem }";

/** Pictures of two windows, side by side, after each step. Nothing is taken unless `npm run snapshots` runs. */
export class FilmStrip {
  readonly #frames: string[] = [];
  readonly #windows: readonly Page[];

  constructor(windows: readonly Page[]) {
    this.#windows = windows;
  }

  /** @param name also writes this frame as a picture of its own */
  async take(caption: string, name?: string): Promise<void> {
    if (process.env.WRITE_SNAPSHOTS !== "1") return;
    const shots = await Promise.all(this.#windows.map((window) => window.screenshot({ style: withoutTimes })));
    const images = shots.map((shot) => `<img src="data:image/png;base64,${shot.toString("base64")}">`).join("");
    if (name) await this.#write(name, `<main>${images}</main>`);
    this.#frames.push(`<figure><figcaption>${this.#frames.length + 1}. ${caption}</figcaption>${images}</figure>`);
  }

  /** Writes all frames as one picture. */
  async develop(name: string): Promise<void> {
    if (this.#frames.length > 0) await this.#write(name, `<main>${this.#frames.join("")}</main>`);
  }

  async #write(name: string, html: string): Promise<void> {
    const page = await (this.#windows[0] as Page).context().newPage();
    await page.setContent(`<style>
      main { display: grid; grid-template-columns: auto auto; gap: 32px; width: max-content; padding: 24px; background: #d9d7d2 }
      figure { display: grid; grid-template-columns: auto auto; gap: 16px; margin: 0 }
      figcaption { grid-column: 1 / -1; width: 0; min-width: 100%; font: 600 24px sans-serif }
      img { display: block; border-radius: 12px }
      body { margin: 0 }</style>${html}`);
    await page.locator("main").screenshot({ path: `${pictures}${name}.png` });
    await page.close();
  }
}
