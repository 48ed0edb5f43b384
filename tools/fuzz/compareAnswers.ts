import {
  type GraphQLSchema,
  getNamedType,
  isRequiredArgument,
  lexicographicSortSchema,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from "graphql";
import type { Client, Outcome, RequestPipeline } from "../../src/graphql/RequestPipeline.ts";
import type { ServedSchema } from "../../src/graphql/schema/buildSchema.ts";
import type { Cursors, RandomRequest } from "./plainRequest.ts";

export interface Comparison {
  /** Requests within the limits. */
  requests: number;
  /** Requests that the compiled statement answered. */
  compiled: number;
  /** Requests whose statement left the answer to the engine. */
  fellBack: number;
  /** Answers that differ. */
  differences: { query: string; variables: unknown; viewer: string; engine: string; compiled: string }[];
}

export function newComparison(): Comparison {
  return { requests: 0, compiled: 0, fellBack: 0, differences: [] };
}

/**
 * Answers requests as each viewer twice, by the compiled statement and by the engine alone, and compares the texts. Of a JSON column, only
 * what JavaScript reads in it: the engine parses its numbers as doubles, and a compiled statement keeps PostgreSQL's text.
 *
 * @param viewers ids of users; "" for an anonymous one
 */
export async function compareAnswers(
  pipeline: RequestPipeline,
  requests: Iterable<RandomRequest>,
  viewers: readonly string[],
  summary: Comparison,
): Promise<void> {
  const { served } = pipeline;
  const seen = { statements: 0, answers: 0 };
  const compiling: ServedSchema = {
    ...served,
    databaseAccess: { ...served.databaseAccess, atOnce: counted(served, seen) },
  };
  const alone: ServedSchema = { ...served, compiled: undefined };
  for (const { query, variables: make } of requests) {
    const variables = make();
    for (const viewer of viewers) {
      const before = { ...seen };
      const { text: compiled, isRefused } = await answer(pipeline, compiling, query, variables, viewer);
      const { text: engine } = await answer(pipeline, alone, query, variables, viewer);
      if (!isRefused) summary.requests++;
      summary.compiled += seen.answers - before.answers;
      summary.fellBack += seen.statements - before.statements - (seen.answers - before.answers);
      if (compiled !== engine && !(parsed(compiled) === parsed(engine) && selectsJson(served.schema, query)))
        summary.differences.push({ query, variables, viewer, engine, compiled });
    }
  }
  pipeline.serve(served);
}

function counted(served: ServedSchema, seen: { statements: number; answers: number }) {
  return async (...args: Parameters<ServedSchema["databaseAccess"]["atOnce"]>): Promise<string | undefined> => {
    seen.statements++;
    const data = await served.databaseAccess.atOnce(...args);
    if (data !== undefined) seen.answers++;
    return data;
  };
}

/** The answer as it is written: the order of its keys and each digit count. White space between them does not. */
export async function answer(
  pipeline: RequestPipeline,
  served: ServedSchema,
  query: string,
  variables: Record<string, unknown>,
  viewer: string,
): Promise<{ text: string; isRefused: boolean }> {
  const client: Client = {
    authenticate: async () => viewer || undefined,
    address: "127.0.0.1",
    signal: new AbortController().signal,
    canSubscribe: false,
  };
  pipeline.serve(served);
  const { json, result, isRequestError }: Outcome = await pipeline.handle(() => ({ query, variables }), client);
  const written = (json ?? JSON.stringify(result)).replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");
  // Random, and the same error all the same.
  return { text: written.replace(/"errorId":"[^"]*"/g, '"errorId":""'), isRefused: isRequestError };
}

function parsed(text: string): string {
  return JSON.stringify(JSON.parse(text));
}

function selectsJson(schema: GraphQLSchema, query: string): boolean {
  const types = new TypeInfo(schema);
  let isFound = false;
  const look = () => {
    isFound ||= getNamedType(types.getType())?.name === "JSON";
  };
  visit(parse(query), visitWithTypeInfo(types, { Field: look }));
  return isFound;
}

/** Cursors of each type of connection that Query has. */
export async function someCursors(pipeline: RequestPipeline, viewer: string): Promise<Cursors> {
  const schema = lexicographicSortSchema(pipeline.served.schema);
  const cursors = new Map<string, string[]>();
  for (const { name, type, args } of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    const typeName = getNamedType(type).name;
    if (!typeName.endsWith("Connection") || args.some(isRequiredArgument)) continue;
    const query = `{ ${name}(first: 6) { edges { cursor } } }`;
    const { text } = await answer(pipeline, pipeline.served, query, {}, viewer);
    const found = JSON.parse(text).data[name].edges.map(({ cursor }: { cursor: string }) => cursor);
    cursors.set(typeName, [...(cursors.get(typeName) ?? []), ...found]);
  }
  return cursors;
}
