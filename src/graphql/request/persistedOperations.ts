import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { ApiError } from "@content-service/errors/ApiError.ts";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import type { Settings } from "../../settings.ts";
import type { Documents } from "./Documents.ts";

/** A payload whose operation has been looked up. */
export interface Resolved {
  payload: Record<string, unknown>;
  /** Whether the operation's text is the operator's own. Limits against hostile documents do not apply to it. */
  isPersisted: boolean;
}

export type ResolvePersisted = (payload: Record<string, unknown>) => Resolved;

/** The operator's operations by their names, which are hashes as a rule. */
export type StoredOperations = ReadonlyMap<string, string>;

/** Of the operations that clients have registered, the ones used lately are kept. A client registers a lost one again. */
const maxRegisteredCharacters = 4_000_000;

/**
 * Operations that clients send by hash instead of by text: Apollo's `extensions.persistedQuery.sha256Hash`, Relay's
 * `documentId`, or `id`. Clients register others than the operator's by Apollo's protocol: they send the hash alone, and after
 * PERSISTED_QUERY_NOT_FOUND the hash with the text.
 */
export function makeResolvePersisted(
  operations: StoredOperations,
  { persistedOnly, automaticPersistedQueries }: Pick<Settings, "persistedOnly" | "automaticPersistedQueries">,
): ResolvePersisted {
  const registered =
    automaticPersistedQueries && !persistedOnly
      ? new LRUCache<string, string>({ maxSize: maxRegisteredCharacters, sizeCalculation: ({ length }) => 1 + length })
      : undefined;
  return (payload) => {
    const { query: text, extensions } = payload;
    const automatic = automaticHash(extensions);
    const hash = [automatic, payload.documentId, payload.id].find((one) => typeof one === "string");
    const known = hash === undefined ? undefined : operations.get(hash);
    if (known !== undefined) return { payload: { ...payload, query: known }, isPersisted: true };
    if (hash === undefined || (typeof text === "string" && !persistedOnly)) {
      if (persistedOnly) throw refused("Name a persisted operation by its hash.");
      if (registered && automatic !== undefined) register(registered, automatic, text as string);
      return { payload, isPersisted: false };
    }
    const query = registered?.get(hash);
    if (query !== undefined) return { payload: { ...payload, query }, isPersisted: false };
    // Clients know these errors by their messages: they send the text next, and where registering is off, no hash any more.
    if (automatic !== undefined && !registered) {
      throw new ApiError("PERSISTED_QUERY_NOT_SUPPORTED", "PersistedQueryNotSupported");
    }
    throw new ApiError("PERSISTED_QUERY_NOT_FOUND", "PersistedQueryNotFound");
  };
}

function automaticHash(extensions: unknown): string | undefined {
  const { persistedQuery } = (extensions ?? {}) as { persistedQuery?: { sha256Hash?: unknown } | null };
  const hash = persistedQuery?.sha256Hash;
  return typeof hash === "string" ? hash : undefined;
}

/** @throws ApiError when the hash is not the text's: another client would get another operation than it asks for */
function register(registered: LRUCache<string, string>, hash: string, text: string): void {
  if (registered.has(hash)) return;
  if (createHash("sha256").update(text).digest("hex") !== hash) {
    throw refused("extensions.persistedQuery.sha256Hash is not the SHA-256 of query.");
  }
  registered.set(hash, text);
}

function refused(message: string): ApiError {
  return new ApiError("GRAPHQL_VALIDATION_FAILED", message);
}

/**
 * The operations that the operator has stored. Read once, at start.
 *
 * @param directory none if empty
 * @throws OperatorError when it cannot be read
 */
export function readOperations(directory: string): StoredOperations {
  if (directory === "") return new Map();
  try {
    const files = readdirSync(directory).filter((file) => file.endsWith(".graphql"));
    return new Map(
      files.map((file) => [file.slice(0, -".graphql".length), readFileSync(join(directory, file), "utf8")]),
    );
  } catch (error) {
    throw new OperatorError(`PERSISTED_DIR: ${directory} cannot be read: ${(error as Error).message}`);
  }
}

/** Logs the operations that the schema no longer fits, or never has: each fails when a client calls it, and the others do not. */
export async function reportUnfit(operations: StoredOperations, documents: Documents, log: Logger): Promise<void> {
  const unfit: Record<string, string[]> = {};
  for (const [name, text] of operations) {
    const errors = documents.check(text);
    if (errors.length > 0) unfit[name] = errors.map(({ message }) => message);
    // There may be thousands, and requests go on.
    await setImmediate();
  }
  if (Object.keys(unfit).length > 0) log.warn({ unfit }, "Persisted operations do not fit the schema");
}
