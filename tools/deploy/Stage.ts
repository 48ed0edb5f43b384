import type { Checkout } from "./Checkout.ts";
import type { Composition } from "./Composition.ts";
import type { Engine } from "./Engine.ts";
import { Load } from "./Load.ts";
import type { TlsTunnel } from "./TlsTunnel.ts";

/** The running composition, with what a trial needs beside it. */
export interface Stage {
  engine: Engine;
  checkout: Checkout;
  composition: Composition;
  /** To nginx, by TLS. */
  tunnel: TlsTunnel;
  /** Builds the images of the checkout as it is, to be removed at the end. */
  build(release: string): Promise<void>;
}

/** @returns what was seen, with its counts. @throws when the promise is broken */
export type Trial = (stage: Stage) => Promise<string>;

/** Starts callers and listeners that go through nginx by TLS. */
export function startLoad({ checkout, composition, tunnel }: Stage): Promise<Load> {
  const { JWT_SECRET: secret } = checkout.environment;
  return Load.start({ url: tunnel.url, secret, databaseUrl: () => composition.databaseUrl() });
}

/** Fails a trial with a text. */
export function must(isKept: boolean, text: string): asserts isKept {
  if (!isKept) throw new Error(text);
}

export const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
