import { type FragmentDefinitionNode, type GraphQLSchema, type OperationDefinitionNode, parse } from "graphql";
import { LRUCache } from "lru-cache";
import { execute } from "postgraphile/grafast";
import { sumUp } from "../request/sumUp.ts";

/** The heap that plans take, measured and rounded up: 60 KB for an operation, and 15 to 31 KB for each selection. */
const bytesPerPlan = 64 * 1_024;
const bytesPerSelection = 32 * 1_024;

/** Plans that the engine keeps for one operation. It makes several when `@skip` and `@include` depend on variables. */
const plansPerOperation = 4;

/** The members of a plan that hold the values of the request which it was made for. The engine reads them while planning only. */
const tracked = ["trackedVariableValuesStep", "trackedContextStep", "trackedRootValueStep", "_inputStepCache"] as const;

/** An operation's plans, as the engine keeps them. */
interface PlannedOperation {
  fragments: Record<string, FragmentDefinitionNode>;
  possibleOperationPlans: Planned | null;
}
interface Planned {
  value: { error?: unknown; operationPlan?: Partial<Record<(typeof tracked)[number], unknown>> };
  next: Planned | null;
}

interface EngineExtensions {
  operationOperationPlansCacheMaxLength?: number;
  [cache: symbol]: unknown;
}

/**
 * Bounds the engine's plan cache by bytes. The engine itself keeps the plans of 500 operations, whatever their size: up to
 * 2 GB. It also keeps planning errors, so that one timeout would fail the operation for everybody; here they are dropped.
 *
 * The engine has no setting for this. It creates the cache with the first operation, under a private symbol.
 */
export async function boundPlanCache(
  schema: GraphQLSchema,
  resolvedPreset: GraphileConfig.ResolvedPreset,
  maxBytes: number,
): Promise<void> {
  await execute({ schema, document: parse("{ __typename }"), resolvedPreset });
  const extensions = schema.extensions["grafast"] as EngineExtensions;
  const key = Object.getOwnPropertySymbols(extensions).find(({ description }) => description === "cacheByOperation");
  if (!key) throw new Error("The engine keeps its plans elsewhere. Adapt boundPlanCache() to this version of Grafast.");
  extensions.operationOperationPlansCacheMaxLength = plansPerOperation;
  extensions[key] = new PlanCache(maxBytes);
}

/** Stands in for the engine's cache. The least recently used operations are dropped first. */
export class PlanCache {
  readonly #operations: LRUCache<OperationDefinitionNode, { planned: PlannedOperation; plans: number }>;

  constructor(maxBytes: number) {
    this.#operations = new LRUCache({ maxSize: maxBytes });
  }

  /** The heap that the cached plans take, roughly, in bytes. */
  get size(): number {
    return this.#operations.calculatedSize;
  }

  get(operation: OperationDefinitionNode): PlannedOperation | undefined {
    const entry = this.#operations.get(operation);
    if (!entry) return undefined;
    // The engine adds further plans, and planning errors, to the object that it was given.
    const { planned } = entry;
    planned.possibleOperationPlans = withoutErrors(planned.possibleOperationPlans);
    if (lengthOf(planned.possibleOperationPlans) !== entry.plans) this.set(operation, planned);
    return planned;
  }

  set(operation: OperationDefinitionNode, planned: PlannedOperation): void {
    planned.possibleOperationPlans = withoutErrors(planned.possibleOperationPlans);
    const plans = lengthOf(planned.possibleOperationPlans);
    const size = plans * (bytesPerPlan + bytesPerSelection * countSelections(operation, planned.fragments));
    this.#operations.delete(operation);
    forgetValues(planned.possibleOperationPlans);
    if (plans > 0) this.#operations.set(operation, { planned, plans }, { size });
  }
}

function withoutErrors(plans: Planned | null): Planned | null {
  if (!plans) return null;
  plans.next = withoutErrors(plans.next);
  return plans.value.error === undefined ? plans : plans.next;
}

/** Lets go of the request that a plan was made for: its variables may be 900 KB, which the size does not count. */
function forgetValues(plans: Planned | null): void {
  for (let each = plans; each; each = each.next) {
    for (const name of tracked) if (each.value.operationPlan) each.value.operationPlan[name] = undefined;
  }
}

function lengthOf(plans: Planned | null): number {
  return plans ? 1 + lengthOf(plans.next) : 0;
}

/** The selections of a valid operation, its fragments expanded, since the engine plans each spread anew. */
function countSelections(operation: OperationDefinitionNode, fragments: PlannedOperation["fragments"]): number {
  const countIn = sumUp<number>(new Map(Object.entries(fragments)), {
    nothing: 0,
    plus: (sum, other) => sum + other,
    ofField: ({ selectionSet }, _type, sumOf) => 1 + sumOf(selectionSet),
    ofSpread: (inner) => inner + 1,
  });
  return countIn(operation.selectionSet);
}
