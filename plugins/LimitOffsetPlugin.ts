import "postgraphile";
import { type ConnectionStep, ConstantStep, lambda, type Step } from "postgraphile/grafast";
import { type ApiError, invalidInput, type ValidationFault } from "../src/errors/ApiError.ts";
import { checkedList } from "./support/CheckedListStep.ts";
import { type Build, type Field, type FieldContext, reshape, rowsOf, smartTag } from "./support/fields.ts";
import { describeReads, type Reads, readsOf } from "./support/reads.ts";

const maxLimit = 100;
const maxOffset = 10_000;
const standardLimit = 20;

/**
 * Every list takes `limit` and `offset`, at any depth (specification 4.2, 8). The policies choose the rows; this plugin
 * only pages them. The default limit is 20. The smart tag `@listLimit 100` of a table or function changes the default,
 * and `@listLimit required` makes the argument required on the root field.
 *
 * @throws VALIDATION_ERROR when `limit` is outside 0–100 or `offset` outside 0–10,000: and when `first` or `last` of a connection is outside
 *   0–100: on the list or the connection, not on its parent.
 */
export const LimitOffsetPlugin: GraphileConfig.Plugin = {
  name: "LimitOffsetPlugin",
  version: "1.0.0",
  // In the schema, the filter arguments come before limit and offset.
  after: ["ListFilterPlugin", "ListOrderPlugin"],
  schema: { hooks: { GraphQLObjectType_fields_field: pageField } },
};

function pageField(field: Field, build: Build, context: FieldContext): Field {
  const { isPgFieldSimpleCollection, isPgFieldConnection, pgFieldResource } = context.scope;
  if (!pgFieldResource || pgFieldResource.isUnique) return field;
  const tag = smartTag(pgFieldResource, "listLimit");
  const defaultLimit = Number(tag) || standardLimit;
  if (isPgFieldSimpleCollection) {
    return pageList(field, build, context.scope.isRootQuery === true && tag === "required", defaultLimit);
  }
  return isPgFieldConnection ? pageConnection(field, build, defaultLimit) : field;
}

function pageList(field: Field, build: Build, isRequired: boolean, defaultLimit: number): Field {
  const { GraphQLInt, GraphQLList, GraphQLNonNull, getNamedType } = build.graphql;
  const paged = reshape(
    field,
    ($answer, args) => {
      const $rows = rowsOf($answer);
      $rows.setFirst(lambda(args.getRaw("limit"), (given) => clampLimit(given ?? defaultLimit), true));
      $rows.setOffset(lambda(args.getRaw("offset"), clampOffset, true));
      return checkedList($rows, lambda([args.getRaw("limit"), args.getRaw("offset")] as const, pageFaults, true));
    },
    (reads) => pageReads(reads, defaultLimit),
  );
  // Nullable, so that a refused list does not remove the rest of the response.
  paged.type = new GraphQLList(new GraphQLNonNull(getNamedType(field.type)));
  paged.args = {
    ...field.args,
    limit: {
      type: isRequired ? new GraphQLNonNull(GraphQLInt) : GraphQLInt,
      ...(isRequired ? null : { defaultValue: defaultLimit }),
      description: `How many to answer with at most: 0 to ${maxLimit}${isRequired ? "" : `, ${defaultLimit} if not given`}.`,
    },
    offset: {
      type: GraphQLInt,
      defaultValue: 0,
      description: `How many to pass over first: 0 to ${maxOffset}. Further on, page through the connection.`,
    },
  };
  return coverArguments(paged, ["limit", "offset"]);
}

/** Says the same in SQL: which rows a page has. */
function pageReads(reads: Reads, defaultLimit: number): Reads | undefined {
  const isRows = reads.kind === "list" || reads.kind === "connection";
  return isRows ? { ...reads, page: { defaultLimit, maxLimit, maxOffset } } : undefined;
}

function coverArguments(field: Field, args: string[]): Field {
  const reads = readsOf(field)?.reads;
  return reads ? describeReads(field, reads, args) : field;
}

type Args = [first: Step, last: Step, before: Step, after: Step];
/** Steps can depend on others; the engine's types keep this to subclasses. */
type Dependent = { addDependency(step: Step): unknown };

function pageConnection(field: Field, build: Build, defaultLimit: number): Field {
  const { GraphQLInt, getNullableType } = build.graphql;
  const Cursor = build.getInputTypeByName(build.inflection.builtin("Cursor"));
  const paged = reshape(
    field,
    ($answer, args) => {
      const $connection = $answer as ConnectionStep<unknown>;
      const [$first, $last, $before, $after] = ["first", "last", "before", "after"].map((name) =>
        args.getRaw(name),
      ) as Args;
      $connection.setFirst(lambda([$first, $last] as const, (given) => connectionFirst(given, defaultLimit), true));
      $connection.setLast(lambda($last, connectionLast, true));
      // A bad number fails the connection alone: the rows are selected with valid ones, in the parent's statement.
      ($connection as unknown as Dependent).addDependency(lambda([$first, $last] as const, refusePage, true));
      // The engine finds a bad cursor while it selects the rows, so they get a statement of their own.
      if (!isMissing($before) || !isMissing($after)) rowsOf($connection).setInliningForbidden();
      $connection.setBefore($before);
      $connection.setAfter($after);
      return $connection;
    },
    (reads) => pageReads(reads, defaultLimit),
  );
  // Nullable, so that a refused connection does not remove the rest of the response.
  paged.type = getNullableType(field.type);
  // The weight of a query depends on this number (src/graphql/request/), but no argument has it as its default.
  paged.extensions = { ...paged.extensions, defaultListSize: defaultLimit };
  const range = `0 to ${maxLimit}`;
  paged.args = {
    ...field.args,
    first: {
      type: GraphQLInt,
      description: `How many to answer with at most, from the start: ${range}, ${defaultLimit} if neither first nor last is given.`,
    },
    last: { type: GraphQLInt, description: `How many to answer with at most, from the end: ${range}.` },
    before: { type: Cursor, description: "Only what comes before this cursor." },
    after: { type: Cursor, description: "Only what comes after this cursor." },
  };
  return coverArguments(paged, ["first", "last", "before", "after"]);
}

function connectionFirst([first, last]: readonly [number | null, number | null], defaultLimit: number): number | null {
  if (first !== null && first !== undefined) return clampLimit(first);
  return last === null || last === undefined ? defaultLimit : null;
}

function connectionLast(last: number | null): number | null {
  return last === null || last === undefined ? last : clampLimit(last);
}

function refusePage([first, last]: readonly [number | null, number | null]): null {
  const refusal = refusalOf([outOfRange("first", first, maxLimit), outOfRange("last", last, maxLimit)]);
  if (refusal) throw refusal;
  return null;
}

/** Whether the request does not have the argument, not even as a variable. */
function isMissing($argument: Step): boolean {
  return $argument instanceof ConstantStep && $argument.data === undefined;
}

function clampLimit(limit: number): number {
  return Math.min(Math.max(limit, 0), maxLimit);
}

function clampOffset(offset: number | null | undefined): number {
  return Math.min(Math.max(offset ?? 0, 0), maxOffset);
}

function pageFaults(page: readonly [number | null, number | null]): ApiError | null {
  return refusalOf([outOfRange("limit", page[0], maxLimit), outOfRange("offset", page[1], maxOffset)]);
}

function refusalOf(faults: ReturnType<typeof outOfRange>[]): ApiError | null {
  const validationErrors = faults.filter((fault) => fault !== null);
  if (validationErrors.length === 0) return null;
  return invalidInput(validationErrors);
}

function outOfRange(field: string, value: number | null | undefined, max: number): ValidationFault | null {
  if (value === null || value === undefined || (value >= 0 && value <= max)) return null;
  const advice = field === "offset" ? " Further on, page through the connection." : "";
  const message = `${field} is a number from 0 to ${max}.${advice}`;
  return { path: [field], field, code: "OUT_OF_RANGE", message, params: { min: 0, max } };
}
