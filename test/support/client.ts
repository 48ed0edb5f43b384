import type { Client } from "../../src/graphql/RequestPipeline.ts";
import { ByteLedger } from "../../src/memory/ByteLedger.ts";

/** A client of the pipeline without a transport, and without a bound of its memory. */
export function clientAt(address: string, more: Partial<Client> = {}): Client {
  const account = new ByteLedger(Number.POSITIVE_INFINITY).account(address);
  const { signal } = new AbortController();
  const helds = { held: account.hold("requests"), heldResult: account.hold("results") };
  return { authenticate: async () => undefined, address, account, ...helds, signal, canSubscribe: false, ...more };
}
