import type { ApiError } from "@content-service/errors/ApiError.ts";
import { limitError } from "@content-service/errors/limitError.ts";
import type { QueryLimits } from "../../settings.ts";

/**
 * Refuses variables that are too many or too deeply nested to be coerced: 1 MB of `{}` takes half a second, and deep
 * nesting overflows the stack. Undeclared variables count too.
 */
export function variablesSizeError(
  given: Readonly<Record<string, unknown>>,
  limits: Pick<QueryLimits, "variableValues" | "variableDepth">,
): ApiError | undefined {
  let values = 0;
  let level: object[] = [given];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limits.variableDepth) return limitError("variableDepth", limits.variableDepth, depth, true);
    const next: object[] = [];
    for (const parent of level) {
      const children: unknown[] = Array.isArray(parent) ? parent : Object.values(parent);
      values += children.length;
      if (values > limits.variableValues) {
        return limitError("variableValues", limits.variableValues, values, true);
      }
      for (const child of children) if (typeof child === "object" && child !== null) next.push(child);
    }
    level = next;
  }
  return undefined;
}
