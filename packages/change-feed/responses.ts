/**
 * What a response means. `delivered`: the endpoint has the message. `refused`: it will never take this one. `failed`: it may take it later. `gone`: it
 * wants none any more.
 */
export type ResponseVerdict = "delivered" | "refused" | "failed" | "gone";

/** Of the 4xx, those that say nothing of the message: of the endpoint's address, its secret, its load or its state. */
const endpointStatuses = new Set([401, 402, 403, 404, 405, 407, 408, 421, 423, 424, 425, 426, 429]);
/** In milliseconds. */
const [shortestRest, longestRest] = [1_000, 3_600_000];

export function verdictOf(status: number): ResponseVerdict {
  if (status >= 200 && status < 300) return "delivered";
  if (status === 410) return "gone";
  return status >= 400 && status < 500 && !endpointStatuses.has(status) ? "refused" : "failed";
}

/**
 * For how long an endpoint asks to be left alone.
 *
 * @param header `Retry-After`: seconds, or a date of HTTP
 * @returns milliseconds, between a second and an hour; undefined for anything else
 */
export function restOf(header: string | undefined): number | undefined {
  const text = header?.trim() ?? "";
  const rest = /^\d+$/.test(text)
    ? Number(text) * 1_000
    : / GMT$/.test(text)
      ? Date.parse(text) - Date.now()
      : Number.NaN;
  return Number.isNaN(rest) ? undefined : Math.min(Math.max(rest, shortestRest), longestRest);
}
