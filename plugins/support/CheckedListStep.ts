import type { PgSelectRowsStep, PgSelectStep } from "postgraphile/@dataplan/pg";
import { type ExecutionDetails, flagError, type GrafastResultsList, Step } from "postgraphile/grafast";

/**
 * Returns the rows of a select, or an error. The select runs in both cases: it may be inlined into its parent's
 * statement, so it cannot fail without failing the parent.
 */
export class CheckedListStep extends Step<unknown[]> {
  static override $$export = { moduleName: "content-service", exportName: "CheckedListStep" };
  override isSyncAndSafe = false;

  constructor($rows: PgSelectRowsStep, $fault: Step<Error | null>) {
    super();
    this.addDependency($rows);
    this.addDependency($fault);
  }

  /** The select, for other plugins to filter, order and page. */
  getClassStep(): PgSelectStep {
    return (this.getDepOptions(0).step as PgSelectRowsStep).getClassStep();
  }

  listItem($item: Step): Step {
    return this.getClassStep().listItem($item as never);
  }

  override deduplicate(peers: readonly CheckedListStep[]): readonly CheckedListStep[] {
    return peers;
  }

  override execute({
    indexMap,
    values: [rows, fault],
  }: ExecutionDetails<[unknown[], Error | null]>): GrafastResultsList<unknown[]> {
    return indexMap((i) => {
      const error = fault.at(i);
      return error ? flagError(error) : rows.at(i);
    });
  }
}

/** @param $fault the error to return, or null */
export function checkedList($select: PgSelectStep, $fault: Step<Error | null>): Step {
  return new CheckedListStep($select.items(), $fault);
}
