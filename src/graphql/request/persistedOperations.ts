import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ApiError } from "../../errors/ApiError.ts";
import type { Settings } from "../../settings.ts";
import { StartError } from "../../support/StartError.ts";

/** A payload whose operation has been looked up. */
export interface Resolved {
  payload: Record<string, unknown>;
  /** Whether the operation's text is the operator's own. Limits against hostile documents do not apply to it. */
  isPersisted: boolean;
}

export type ResolvePersisted = (payload: Record<string, unknown>) => Resolved;

/**
 * Operations that clients send by hash instead of by text: Apollo's `extensions.persistedQuery.sha256Hash`, Relay's
 * `documentId`, or `id`. They are read once, at start.
 *
 * @throws StartError when the directory cannot be read
 */
export function makeResolvePersisted({
  persistedDir,
  persistedOnly,
}: Pick<Settings, "persistedDir" | "persistedOnly">): ResolvePersisted {
  const operations = persistedDir === "" ? new Map<string, string>() : readOperations(persistedDir);
  return (payload) => {
    const hash = hashIn(payload);
    const query = hash === undefined ? undefined : operations.get(hash);
    if (query !== undefined) return { payload: { ...payload, query }, isPersisted: true };
    // A client may send the text together with its hash.
    if (!persistedOnly && (hash === undefined || typeof payload.query === "string")) {
      return { payload, isPersisted: false };
    }
    const message = hash === undefined ? "Name a persisted operation by its hash." : "PersistedQueryNotFound";
    throw new ApiError("GRAPHQL_VALIDATION_FAILED", message);
  };
}

function hashIn({ extensions, documentId, id }: Record<string, unknown>): string | undefined {
  const { persistedQuery } = (extensions ?? {}) as { persistedQuery?: { sha256Hash?: unknown } | null };
  return [persistedQuery?.sha256Hash, documentId, id].find((hash) => typeof hash === "string");
}

function readOperations(directory: string): Map<string, string> {
  try {
    const files = readdirSync(directory).filter((file) => file.endsWith(".graphql"));
    return new Map(
      files.map((file) => [file.slice(0, -".graphql".length), readFileSync(join(directory, file), "utf8")]),
    );
  } catch (error) {
    throw new StartError(`PERSISTED_DIR: ${directory} cannot be read: ${(error as Error).message}`);
  }
}
