import type { GraphQLError } from "graphql";
import { limitError } from "./limitError.ts";
import type { Limits } from "./limits.ts";

/**
 * Whether a request's variables are more than it is worth to look at one by one: 1 MB of `{}` takes half a second to
 * coerce, and objects inside of objects outgrow the stack. Undeclared variables count too.
 *
 * @returns the VALIDATION_ERROR to refuse them with, or undefined
 */
export function variablesSizeError(
  given: Readonly<Record<string, unknown>>,
  limits: Pick<Limits, "variableValues" | "variableDepth">,
): GraphQLError | undefined {
  let values = 0;
  let level: object[] = [given];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limits.variableDepth) return limitError("variableDepth", limits.variableDepth, depth, { orMore: true });
    const next: object[] = [];
    for (const parent of level) {
      const children: unknown[] = Array.isArray(parent) ? parent : Object.values(parent);
      values += children.length;
      if (values > limits.variableValues) {
        return limitError("variableValues", limits.variableValues, values, { orMore: true });
      }
      for (const child of children) if (typeof child === "object" && child !== null) next.push(child);
    }
    level = next;
  }
  return undefined;
}
