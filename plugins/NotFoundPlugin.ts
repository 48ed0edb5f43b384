import "postgraphile";
import type { PgSelectSingleStep } from "postgraphile/@dataplan/pg";
import { type ExecutionDetails, first, flagError, type GrafastResultsList, Step } from "postgraphile/grafast";
import { notFound } from "../src/errors.ts";
import { type Field, type FieldContext, reshape } from "./support/fields.ts";

/**
 * A single row that is asked for by its key and is not there is null, with NOT_FOUND (specification 7). One that the
 * policies hide is not there either: the answer is the same, to the letter.
 */
export const NotFoundPlugin: GraphileConfig.Plugin = {
  name: "NotFoundPlugin",
  version: "1.0.0",
  schema: { hooks: { GraphQLObjectType_fields_field: refuseMissing } },
};

function refuseMissing(field: Field, _build: unknown, { scope }: FieldContext): Field {
  if (!scope.isPgRowByUniqueConstraintField) return field;
  return reshape(field, ($answer) => {
    const $select = ($answer as PgSelectSingleStep).getClassStep();
    return $select.row(new FoundRowStep(first($select as never, true)) as never);
  });
}

/** A row as the database gave it, or NOT_FOUND where it gave none. */
class FoundRowStep extends Step<unknown> {
  static override $$export = { moduleName: "content-service", exportName: "FoundRowStep" };
  override isSyncAndSafe = false;

  constructor($row: Step) {
    super();
    this.addDependency($row);
  }

  override deduplicate(peers: readonly FoundRowStep[]): readonly FoundRowStep[] {
    return peers;
  }

  override execute({ indexMap, values: [row] }: ExecutionDetails<[unknown]>): GrafastResultsList<unknown> {
    return indexMap((i) => row.at(i) ?? flagError(notFound()));
  }
}
