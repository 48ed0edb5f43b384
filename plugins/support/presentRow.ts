import type { PgSelectSingleStep } from "postgraphile/@dataplan/pg";
import { first, lambda, type Step } from "postgraphile/grafast";

/**
 * Returns a function that makes the single row of `$row`, or the error of `refuse` when there is none. To be made outside of plans, as
 * wrapPlan() says.
 *
 * @param attribute is null only when there is no row. Needed for a function: one that returns null in place of a
 *   composite value gives a row of nulls.
 */
export function presentRow(refuse: () => Error, attribute?: string): ($row: Step) => PgSelectSingleStep {
  const check = ([row, presence]: readonly [unknown, unknown]) => {
    if (presence === null || presence === undefined) throw refuse();
    return row;
  };
  return ($step) => {
    const $row = $step as PgSelectSingleStep;
    const $select = $row.getClassStep();
    const $item = first($select as never, true) as Step;
    const $presence = attribute === undefined ? $item : ($row.get(attribute) as Step);
    return $select.row(lambda([$item, $presence] as const, check) as never) as PgSelectSingleStep;
  };
}
