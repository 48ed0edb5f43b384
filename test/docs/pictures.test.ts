import { readFileSync } from "node:fs";
import { drawPictures } from "../../bench/pictures.ts";
import { readSections } from "../../bench/results.ts";

test("the pictures of the bench show the results", () => {
  const drawn = drawPictures(readSections());
  expect([...drawn.keys()]).toEqual(["shares.svg", "growth.svg"]);
  for (const [name, svg] of drawn) {
    expect(readFileSync(new URL(`../../bench/${name}`, import.meta.url), "utf8")).toBe(svg);
  }
});
