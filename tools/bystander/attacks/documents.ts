import { getIntrospectionQuery } from "graphql";
import type { Attack } from "./Attack.ts";
import { costly } from "./costly.ts";

const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join(" ");

export const busyMachine: Attack = {
  title: "no attack: a process that sends nothing and keeps a core busy",
  run: (attacker) =>
    attacker.repeat(1, () => {
      for (const until = performance.now() + 20; performance.now() < until; );
      return new Promise(setImmediate);
    }),
};

export const newDocuments: Attack = {
  title: "different documents of 77 selections without end",
  leastAnswers: 400,
  run: (attacker) =>
    attacker.flood(4, (index) => ({
      query: `{ ${times(7, (i) => `p${index}_${i}: posts(limit: 1) { id title slug excerpt content status author { id name } tags { id } }`)} }`,
    })),
};

export const refusedDocuments: Attack = {
  title: "different documents without end, each refused by validation",
  leastAnswers: 1_000,
  run: (attacker) =>
    attacker.flood(8, (index) => ({
      query: `{ ${times(25, (i) => `a${index}_${i}: missing${index}_${i}(${times(4, (n) => `argument${n}: "${"x".repeat(120)}"`)})`)} }`,
    })),
};

/** A body is parsed before anything is known about it. */
export const nestedBodies: Attack = {
  title: "bodies of 900 KB of empty lists",
  run(attacker) {
    const value = Array(300_000).fill([]);
    return attacker.flood(4, () => ({ query: "query ($v: [String]) { __typename }", variables: { v: value } }), {
      isAnonymous: true,
    });
  },
};

/** The memory of a document may not hold the variables that came with it. */
export const largeVariables: Attack = {
  title: "different documents without end, each with a variable of 900 KB",
  leastAnswers: 300,
  run(attacker) {
    const text = "x".repeat(900_000);
    return attacker.flood(4, (index) => ({
      query: `query ($text: String!) { a${index}: searchConnection(text: $text, first: 1) { nodes { rank } } posts(limit: 1) { id } }`,
      variables: { text },
    }));
  },
};

/** Each refusal takes an alias away, until the document is within the limits. */
export const counts: Attack = {
  title: "up to 15 aliases of counts and deep offsets for each user",
  run: (attacker) =>
    attacker.flood(5, () => {
      const { VALIDATION_ERROR = 0, GRAPHQL_VALIDATION_FAILED = 0 } = attacker.outcomes;
      const aliases = Math.max(1, 15 - VALIDATION_ERROR - GRAPHQL_VALIDATION_FAILED);
      const alias = (index: number) =>
        `a${index}: users { postsConnection { totalCount } posts(limit: 1, offset: 10000) { id } }`;
      return { query: `{ ${times(aliases, alias)} }` };
    }),
};

/** Documents that are slow to plan. Each has a new text, because the service caches the plan of a known one. */
export const planning: Attack = {
  title: "documents that are slow to plan, each with a new text",
  run(attacker) {
    const texts = Object.entries(costly).flatMap(([name, text]) =>
      /introspection|fields of/.test(name) ? [] : [text],
    );
    return attacker.flood(4, (index) => ({ query: `${texts[index % texts.length]} # ${index}` }));
  },
};

export const introspection: Attack = {
  title: "introspection, each with a new text",
  run: (attacker) => attacker.flood(8, (index) => ({ query: `${getIntrospectionQuery()} # ${index}` })),
};
