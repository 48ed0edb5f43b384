import type { PgSelectRowsStep, PgSelectStep } from "postgraphile/@dataplan/pg";
import { type ExecutionDetails, flagError, type GrafastResultsList, Step } from "postgraphile/grafast";

/**
 * The rows of a select, or an error in their place. The select itself runs either way: inlined into its parent's
 * statement, it could not be refused without refusing the parent.
 */
export class CheckedListStep extends Step<unknown[]> {
  static override $$export = { moduleName: "content-service", exportName: "CheckedListStep" };
  override isSyncAndSafe = false;

  constructor($rows: PgSelectRowsStep, $fault: Step<Error | null>) {
    super();
    this.addDependency($rows);
    this.addDependency($fault);
  }

  /** The select, for whatever shapes it further before it runs. */
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

/** @param $fault the error to answer with, or null */
export function checkedList($select: PgSelectStep, $fault: Step<Error | null>): Step {
  return new CheckedListStep($select.items(), $fault);
}
