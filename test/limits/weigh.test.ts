import { isDeepStrictEqual } from "node:util";
import { countCeiling } from "@content-service/errors/limitError.ts";
import { parse } from "graphql";
import { checkDocument } from "../../src/graphql/request/checkDocument.ts";
import { selectOperation } from "../../src/graphql/request/Documents.ts";
import { PreparedOperation } from "../../src/graphql/request/PreparedOperation.ts";
import { weigh } from "../../src/graphql/request/weigh.ts";
import { defaultSettings } from "../../src/settings.ts";
import { expand } from "./expand.ts";
import { randomDocument, randomVariables } from "./randomDocument.ts";
import { schema } from "./schema.ts";

/* Weighing looks at each selection once; this shows that it finds what expanding every fragment would. */
const seeds = Array.from({ length: 1_000 }, (_, seed) => seed);

function weighed(text: string) {
  const document = parse(text);
  const operation = selectOperation(document);
  const { mutations: _, ...cost } = weigh(new PreparedOperation(schema, document, operation), randomVariables).cost;
  return cost;
}

function expanded(text: string) {
  const total = expand(schema, parse(text), { ...randomVariables, byDefault: 6 });
  return { ...total, nodes: Math.min(total.nodes, countCeiling), cost: Math.min(total.cost, countCeiling) };
}

test("1,000 random documents weigh what they are when expanded", () => {
  const texts = seeds.map((seed) => randomDocument(schema, seed));
  const wrong = texts.filter((text) => !isDeepStrictEqual(weighed(text), expanded(text)));
  expect(wrong).toEqual([]);
});

test("an operation weighs what its variables make it, whichever it was weighed with before", () => {
  const given = [
    { given: 4 },
    { given: 4 },
    {},
    { given: 7 },
    { given: null },
    { given: "5" },
    { given: [5] },
    { byDefault: 3 },
    {},
  ];
  for (const seed of seeds.slice(0, 100)) {
    const document = parse(randomDocument(schema, seed));
    const operation = selectOperation(document);
    const prepared = new PreparedOperation(schema, document, operation);
    for (const variables of given) {
      const { cost } = weigh(new PreparedOperation(schema, document, operation), variables);
      expect(checkDocument(prepared, variables, defaultSettings.queryLimits).cost).toEqual(cost);
    }
  }
});

test("the random documents are no trifles", () => {
  const weights = seeds.map((seed) => weighed(randomDocument(schema, seed)));
  const most = (name: keyof (typeof weights)[number]) => Math.max(...weights.map((weight) => weight[name]));
  expect(most("selections")).toBeGreaterThan(50);
  expect(most("depth")).toBeGreaterThan(7);
  expect(most("nodes")).toBe(countCeiling);
  expect(most("cost")).toBe(countCeiling);
});
