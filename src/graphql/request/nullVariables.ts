import { invalidInput } from "@content-service/errors/ApiError.ts";
import type { PreparedOperation } from "./PreparedOperation.ts";

/**
 * Refuses null for a variable that is used where the schema promises a value. Validation allows a nullable variable there if the
 * variable or the place has a default, which stands for a missing value, not for null (CoerceArgumentValues() of the specification).
 *
 * @param coerced variables
 * @throws VALIDATION_ERROR with each such variable, at most `limits.errors`
 */
export function refuseNullVariables(
  prepared: PreparedOperation,
  coerced: Readonly<Record<string, unknown>>,
  limits: { errors: number },
): void {
  const nulls = Object.keys(coerced).filter((name) => coerced[name] === null);
  if (nulls.length === 0) return;
  const refused = nulls.filter((name) => prepared.requiredVariables.has(name)).slice(0, limits.errors);
  if (refused.length === 0) return;
  throw invalidInput(
    refused.map((name) => {
      const message = `\`${name}\` must not be null: it is used where a value is required.`;
      return { path: [name], field: name, code: "REQUIRED", message };
    }),
  );
}
