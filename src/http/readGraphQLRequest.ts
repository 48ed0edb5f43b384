import type { GraphQLRequest } from "../graphql/Engine.ts";
import { HttpRefusal } from "./httpRefusal.ts";

/** No input type nests this deep; what does is there to exhaust the stack. */
const deepestJson = 64;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** A request's body as an object, before anything in it is believed. @throws HttpRefusal 400 */
export function readBody(body: Buffer): Record<string, unknown> {
  const parsed = parse(body);
  if (!isObject(parsed)) throw new HttpRefusal(400, "The body is not a JSON object.");
  if (isDeeper(parsed, deepestJson)) {
    throw new HttpRefusal(400, `The body nests deeper than ${deepestJson} levels.`);
  }
  return parsed;
}

/** What of a body GraphQL over HTTP knows; any other key is ignored. @throws HttpRefusal 400 */
export function readGraphQLRequest(body: Record<string, unknown>): GraphQLRequest {
  const { query, variables, operationName, extensions } = body;
  if (typeof query !== "string") throw new HttpRefusal(400, "query is missing, or is not a string.");
  return {
    query,
    variables: readObject("variables", variables),
    operationName: readOperationName(operationName),
    extensions: readObject("extensions", extensions),
  };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(body));
  } catch {
    throw new HttpRefusal(400, "The body is not JSON in UTF-8.");
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function isDeeper(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== "object") return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

function readObject(name: string, value: unknown): Record<string, unknown> {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw new HttpRefusal(400, `${name} is not an object.`);
  return value;
}

function readOperationName(value: unknown): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value !== "string") throw new HttpRefusal(400, "operationName is not a string.");
  return value;
}
