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
  const present = presentRowAsked(refuse, attribute);
  return ($row) => present($row);
}

/** As presentRow(). `refuse` gets the value of `$asked`; when it returns no error, the missing row is null. */
export function presentRowAsked(
  refuse: (asked: unknown) => Error | undefined,
  attribute?: string,
): ($row: Step, $asked?: Step) => PgSelectSingleStep {
  const check = ([row, presence, asked]: readonly unknown[]) => {
    if (presence !== null && presence !== undefined) return row;
    const error = refuse(asked);
    if (error) throw error;
    return null;
  };
  return ($step, $asked) => {
    const $row = $step as PgSelectSingleStep;
    const $select = $row.getClassStep();
    const $item = first($select as never, true) as Step;
    const $presence = attribute === undefined ? $item : ($row.get(attribute) as Step);
    return $select.row(
      lambda($asked ? [$item, $presence, $asked] : [$item, $presence], check) as never,
    ) as PgSelectSingleStep;
  };
}
