import type { TestService } from "../support/service.ts";

/** Lets the engine plan as long as it takes: on a busy machine, random operations exceed the second that clients get. */
export function planAtLeisure({ app }: TestService): void {
  Object.assign(app.pipeline.served.resolvedPreset.grafast?.timeouts ?? {}, { planning: 60_000 });
}
