import type { PgSelectSingleStep } from "postgraphile/@dataplan/pg";
import { type ExecutionDetails, first, flagError, type GrafastResultsList, Step } from "postgraphile/grafast";

/** Returns the row, or an error when there is none. */
class PresentRowStep extends Step<unknown> {
  static override $$export = { moduleName: "content-service", exportName: "PresentRowStep" };
  override isSyncAndSafe = false;
  readonly #refuse: () => Error;
  readonly #presenceIndex: number;

  constructor($row: Step, $presence: Step, refuse: () => Error) {
    super();
    this.addDependency($row);
    // Adding the same step twice gives the same dependency.
    this.#presenceIndex = this.addDependency($presence);
    this.#refuse = refuse;
  }

  override deduplicate(peers: readonly PresentRowStep[]): readonly PresentRowStep[] {
    return peers.filter((peer) => peer.#refuse === this.#refuse);
  }

  override execute({ indexMap, values }: ExecutionDetails<unknown[]>): GrafastResultsList<unknown> {
    const [row, presence] = [values[0], values[this.#presenceIndex]];
    return indexMap((i) => ((presence?.at(i) ?? null) === null ? flagError(this.#refuse()) : row?.at(i)));
  }
}

/**
 * The single row of `$row`, or the error of `refuse` when there is none.
 *
 * @param attribute is null only when there is no row. Needed for a function: one that returns null in place of a
 *   composite value gives a row of nulls.
 */
export function presentRow($row: PgSelectSingleStep, refuse: () => Error, attribute?: string): PgSelectSingleStep {
  const $select = $row.getClassStep();
  const $item = first($select as never, true);
  const $presence = attribute === undefined ? $item : ($row.get(attribute) as Step);
  return $select.row(new PresentRowStep($item, $presence, refuse) as never) as PgSelectSingleStep;
}
