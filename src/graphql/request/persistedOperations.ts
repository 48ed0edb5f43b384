import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PersistedPlugin } from "@grafserv/persisted";
import { Refusal } from "../../errors.ts";
import { StartError } from "../../support/StartError.ts";

export interface PersistedSettings {
  /** A directory of operations, `<hash>.graphql`; empty for none. */
  persistedDir: string;
  /** Whether these are the only ones that are answered. */
  persistedOnly: boolean;
}

/** A request's body, over any transport, with the text of the operation that it names in `query`. */
export type ResolvePersisted = (body: Record<string, unknown>) => Promise<Record<string, unknown>>;

type ProcessBody = (next: () => unknown, event: { body: Record<string, unknown>; resolvedPreset: unknown }) => unknown;

/**
 * Operations that clients name instead of sending them: Apollo's `extensions.persistedQuery.sha256Hash`, Relay's
 * `documentId`, or `id`. They are read once, when the service starts.
 *
 * The lookup is `@grafserv/persisted`'s, which is made for another HTTP server than ours. It prints the whole body, with
 * its variables, for whatever it does not find, so it is asked for what is there only.
 *
 * @throws StartError when the directory cannot be read
 */
export function makeResolvePersisted({ persistedDir, persistedOnly }: PersistedSettings): ResolvePersisted {
  const operations = persistedDir === "" ? new Map<string, string>() : readOperations(persistedDir);
  const resolvedPreset = {
    grafserv: {
      persistedOperationsGetter: (hash: string) => operations.get(hash) ?? null,
      hashFromPayload,
      allowUnpersistedOperation: !persistedOnly,
    },
  };
  const { processGraphQLRequestBody } = PersistedPlugin.grafserv?.middleware as unknown as {
    processGraphQLRequestBody: ProcessBody;
  };
  return async (given) => {
    const hash = hashFromPayload(given);
    // A client that sends the text with its hash needs no list, where there need not be one.
    if (!persistedOnly && (hash === undefined || typeof given.query === "string")) return given;
    if (hash === undefined || !operations.has(hash)) {
      const message = hash === undefined ? "Name a persisted operation by its hash." : "PersistedQueryNotFound";
      throw new Refusal("GRAPHQL_VALIDATION_FAILED", message);
    }
    const body = { ...given };
    await processGraphQLRequestBody(() => undefined, { body, resolvedPreset });
    return body;
  };
}

/** In the order in which `@grafserv/persisted` looks. */
function hashFromPayload({ extensions, documentId, id }: Record<string, unknown>): string | undefined {
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
