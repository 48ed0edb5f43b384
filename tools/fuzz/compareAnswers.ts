import { sqlStateOf } from "@content-service/errors/sqlStates.ts";
import {
  buildSchema,
  execute,
  type GraphQLSchema,
  getNamedType,
  isRequiredArgument,
  lexicographicSortSchema,
  parse,
  printSchema,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { anyCredential } from "../../src/database/requestAccess.ts";
import type { RequestPipeline } from "../../src/graphql/RequestPipeline.ts";
import type { ServedSchema } from "../../src/graphql/schema/buildSchema.ts";
import { clientAt } from "../../test/support/client.ts";
import type { Cursors, RandomRequest } from "./plainRequest.ts";

export interface Comparison {
  /** Requests within the limits. */
  requests: number;
  /** Requests that the compiled statement answered. */
  compiled: number;
  /** Requests whose statement left the answer to the engine. */
  fellBack: number;
  /** The differences, with both answers. */
  differences: Difference[];
}

interface Difference {
  problem:
    | "the answers differ"
    | "the error is internal"
    | "the schema rules the answer out"
    | "PostgreSQL does not understand the statement";
  query: string;
  variables: unknown;
  viewer: string;
  engine: string;
  compiled: string;
  /** PostgreSQL's messages about the statement. */
  refusal: string;
}

/** The counts of the compiled statements so far. */
interface Seen {
  statements: number;
  answers: number;
  /** Why the statement of this request has failed. */
  failure: unknown;
}

export function newComparison(): Comparison {
  return { requests: 0, compiled: 0, fellBack: 0, differences: [] };
}

/** SQLSTATEs of class 42 for which a statement is right: it leaves the wording to the engine (42704), or the caller lacks a right (42501). */
const understood = ["42704", "42501"];

/**
 * Answers requests as each viewer twice, by the compiled statement and by the engine alone, and compares the texts. Of a JSON column, only
 * what JavaScript reads in it: the engine parses its numbers as doubles, and a compiled statement keeps PostgreSQL's text. Each answer must
 * be one that the schema allows. Requests that notice that the database has changed, and follow it, are not compared.
 *
 * @param viewers ids of users; "" for an anonymous one
 * @param state unsettled: the database is no longer the one that the schema was made of. content: besides, each row is as the schema
 *   promises, so that no error is internal
 */
export async function compareAnswers(
  pipeline: RequestPipeline,
  requests: Iterable<RandomRequest>,
  viewers: readonly string[],
  summary: Comparison,
  state: "content" | "settled" | "unsettled" = "settled",
): Promise<void> {
  const { served } = pipeline;
  const promised = buildSchema(printSchema(served.schema));
  const seen: Seen = { statements: 0, answers: 0, failure: undefined };
  const compiling: ServedSchema = {
    ...served,
    databaseAccess: { ...served.databaseAccess, atOnce: counted(served, seen) },
  };
  const alone: ServedSchema = { ...served, compiled: undefined };
  for (const { query, variables: make } of requests) {
    const variables = make();
    for (const viewer of viewers) {
      const before = { ...seen };
      seen.failure = undefined;
      const { text: compiled, isRefused, hasFollowed } = await answer(pipeline, compiling, query, variables, viewer);
      const inEngine = await answer(pipeline, alone, query, variables, viewer);
      const engine = inEngine.text;
      if (!isRefused) summary.requests++;
      summary.compiled += seen.answers - before.answers;
      summary.fellBack += seen.statements - before.statements - (seen.answers - before.answers);
      if (hasFollowed || inEngine.hasFollowed) continue;
      // Somebody who is banned. The engine asks the database nothing for an empty page, and so refuses less of it, or another field.
      if (sqlStateOf(seen.failure) === "TOKEN" && compiled.includes('"TOKEN_INVALID"')) continue;
      const refusal = String(seen.failure ?? "");
      const found = (problem: Difference["problem"]) =>
        summary.differences.push({ problem, query, variables, viewer, engine, compiled, refusal });
      if (compiled !== engine && !(parsed(compiled) === parsed(engine) && selectsJson(served.schema, query)))
        found("the answers differ");
      if (!(await isAllowed(promised, query, variables, compiled))) found("the schema rules the answer out");
      if (state === "content" && engine.includes('"INTERNAL_SERVER_ERROR"')) found("the error is internal");
      const sqlState = sqlStateOf(seen.failure);
      const isNotUnderstood = state !== "unsettled" && sqlState.startsWith("42") && !understood.includes(sqlState);
      if (isNotUnderstood && !engine.startsWith('{"errors"')) found("PostgreSQL does not understand the statement");
    }
  }
  pipeline.serve(served);
}

function counted(served: ServedSchema, seen: Seen) {
  return async (...args: Parameters<ServedSchema["databaseAccess"]["atOnce"]>): Promise<string | undefined> => {
    seen.statements++;
    try {
      const data = await served.databaseAccess.atOnce(...args);
      if (data !== undefined) seen.answers++;
      return data;
    } catch (error) {
      seen.failure = error;
      throw error;
    }
  };
}

/** Whether graphql-js, which reads the data of an answer as its source, answers the same. */
async function isAllowed(
  schema: GraphQLSchema,
  query: string,
  variableValues: Record<string, unknown>,
  text: string,
): Promise<boolean> {
  const { data } = JSON.parse(text);
  if (!data) return true;
  const result = await execute({
    schema,
    document: parse(query),
    variableValues,
    rootValue: data,
    fieldResolver: (source, _arguments, _context, { path }) => source[path.key],
  });
  return JSON.stringify(result.data) === JSON.stringify(data);
}

/**
 * The answer as it is written: the order of its keys and each digit count. White space between them does not.
 *
 * @returns hasFollowed: whether a newer schema is served now
 */
export async function answer(
  pipeline: RequestPipeline,
  served: ServedSchema,
  query: string,
  variables: Record<string, unknown>,
  viewer: string,
): Promise<{ text: string; isRefused: boolean; hasFollowed: boolean }> {
  const token = viewer ? { userId: viewer, ...anyCredential, expiresAt: new Date("9999-12-31") } : undefined;
  const client = clientAt("127.0.0.1", { authenticate: async () => token });
  pipeline.serve(served);
  const { isRequestError } = await pipeline.handle(() => ({ query, variables }), client);
  const written = client.heldResult.content.toString().replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");
  // Random, and the same error all the same.
  const text = written.replace(/"errorId":"[^"]*"/g, '"errorId":""');
  return { text, isRefused: isRequestError, hasFollowed: pipeline.served !== served };
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
