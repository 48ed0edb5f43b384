import "postgraphile";
import type { ValidationFault } from "@content-service/errors/ApiError.ts";
import type { PgSelectStep } from "postgraphile/@dataplan/pg";
import { list, type Step } from "postgraphile/grafast";

const faults = new WeakMap<PgSelectStep, Step<ValidationFault | null>[]>();

/** Refuses a list for a fault of one of its arguments. LimitOffsetPlugin reports it, with those that it finds itself. */
export function addListFault($rows: PgSelectStep, $fault: Step<ValidationFault | null>): void {
  faults.set($rows, [...(faults.get($rows) ?? []), $fault]);
}

export function listFaults($rows: PgSelectStep): Step<readonly (ValidationFault | null)[]> {
  return list(faults.get($rows) ?? []) as Step<readonly (ValidationFault | null)[]>;
}
