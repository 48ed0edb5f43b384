import { invalidInput, type ValidationError } from "@content-service/errors/ApiError.ts";
import { type ConnectionStep, constant, lambda, type Step } from "postgraphile/grafast";
import type { PageSizes } from "./compiled/fieldSource.ts";
import {
  type Build,
  type Field,
  type FieldContext,
  isListField,
  isMissing,
  mapRowsSource,
  rowsOf,
  smartTag,
  wrapPlan,
} from "./support/fields.ts";
import { version } from "./support/version.ts";

/**
 * Every list takes `limit` and `offset`, at any depth. The policies choose the rows; this plugin
 * only pages them. The smart tag `@listLimit 50` of a table or function changes
 * the default, and `@listLimit required` makes the argument required on the root field.
 *
 * A page after a cursor has a previous one, and a page before a cursor a next one: the row of the cursor is there.
 *
 * @throws VALIDATION_ERROR when `limit`, or `first` or `last` of a connection, or `offset` is out of range, or
 *   both `first` and `last` are given: on the list or the connection, not on its parent.
 */
export const limitOffsetPlugin = (sizes: PageSizes): GraphileConfig.Plugin => ({
  name: "LimitOffsetPlugin",
  version,
  description: "Adds limit and offset to lists, and bounds to connections.",
  // In the schema, the filter arguments come before limit and offset.
  after: ["ListFilterPlugin", "ListOrderPlugin"],
  schema: {
    hooks: {
      GraphQLObjectType_fields_field: (field, build, context) =>
        isListField(context.scope) ? pageField(field, build, context, sizes) : provenByCursor(field, context),
      GraphQLScalarType: (config, { inflection }) =>
        config.name === inflection.builtin("Cursor")
          ? { ...config, specifiedByURL: "https://relay.dev/graphql/connections.htm#sec-Cursor" }
          : config,
    },
  },
});

function pageField(field: Field, build: Build, context: FieldContext, sizes: PageSizes): Field {
  const { isRootQuery, isPgFieldConnection, pgFieldResource } = context.scope;
  if (!pgFieldResource || pgFieldResource.isUnique) return field;
  const tag = smartTag(pgFieldResource, "listLimit");
  const page = { ...sizes, defaultSize: Number(tag) || sizes.defaultSize };
  if (isPgFieldConnection) return pageConnection(field, build, page);
  return pageList(field, build, isRootQuery === true && tag === "required", page);
}

function pageList(field: Field, build: Build, isRequired: boolean, page: PageSizes): Field {
  const { defaultSize, maxSize, maxOffset } = page;
  const { GraphQLInt, GraphQLList, GraphQLNonNull, getNamedType } = build.graphql;
  const limitOf = (given: Given) => clamp(given ?? defaultSize, maxSize);
  const offsetOf = (given: Given) => clamp(given ?? 0, maxOffset);
  const refuse = ([limit, offset]: readonly [Given, Given]) =>
    refuseAny([outOfRange("limit", limit, maxSize), outOfRange("offset", offset, maxOffset)]);
  const paged = wrapPlan(
    field,
    ($answer, args) => {
      const $rows = rowsOf($answer);
      $rows.setFirst(lambda(args.getRaw("limit"), limitOf, true));
      $rows.setOffset(lambda(args.getRaw("offset"), offsetOf, true));
      const $items = $rows.items();
      failAlone($items, lambda([args.getRaw("limit"), args.getRaw("offset")] as const, refuse, true));
      return $items;
    },
    mapRowsSource((source) => ({ ...source, page })),
    ["limit", "offset"],
  );
  // Nullable, so that a refused list does not remove the rest of the response.
  paged.type = new GraphQLList(new GraphQLNonNull(getNamedType(field.type)));
  paged.args = {
    ...field.args,
    limit: {
      type: isRequired ? new GraphQLNonNull(GraphQLInt) : GraphQLInt,
      ...(isRequired ? null : { defaultValue: defaultSize }),
      description: `At most so many: 0 to ${maxSize}.`,
    },
    offset: {
      type: GraphQLInt,
      defaultValue: 0,
      description: `Skips so many: 0 to ${maxOffset}.`,
    },
  };
  return paged;
}

/** On the side that a page comes from, the row of the cursor is there. compiled/ says the same in SQL. */
function provenByCursor(field: Field, { scope }: FieldContext): Field {
  const isNext = scope.isPageInfoHasNextPageField === true;
  if (!isNext && !scope.isPageInfoHasPreviousPageField) return field;
  return wrapPlan(
    field,
    ($hasMore, _args, $pageInfo) => {
      const { step } = ($pageInfo as unknown as { getDepOptions(id: number): { step: Step } }).getDepOptions(0);
      const $connection = step as ConnectionStep<unknown>;
      const $cursor = isNext ? $connection.getBefore() : $connection.getAfter();
      if (!$cursor) return $hasMore;
      const isProven = ([hasMore, cursor, last]: readonly [boolean, unknown, Given]) =>
        hasMore || (isGiven(cursor) && isGiven(last) === isNext);
      return lambda([$hasMore, $cursor, $connection.getLast() ?? constant(null)] as never, isProven as never, true);
    },
    (source) => source,
  );
}

function isGiven<Argument>(argument: Argument): argument is NonNullable<Argument> {
  return argument !== null && argument !== undefined;
}

type Args = [first: Step, last: Step, before: Step, after: Step];

/**
 * Lets a bad number fail the list or the connection, and not its parent: the rows are selected with valid numbers, since their select may
 * become part of the parent's statement.
 *
 * @param $check throws
 */
function failAlone($list: Step, $check: Step): void {
  // Steps can depend on others; the engine's types keep this to subclasses.
  ($list as unknown as { addDependency(step: Step): unknown }).addDependency($check);
}

function pageConnection(field: Field, build: Build, page: PageSizes): Field {
  const { defaultSize, maxSize } = page;
  const { GraphQLInt, getNullableType } = build.graphql;
  const Cursor = build.getInputTypeByName(build.inflection.builtin("Cursor"));
  const refuse = ([first, last]: readonly [Given, Given]) =>
    refuseAny([outOfRange("first", first, maxSize), outOfRange("last", last, maxSize) ?? bothEnds(first, last)]);
  const sizeFromStart = (given: readonly [Given, Given]) => connectionFirst(given, page);
  const lastOf = (last: Given) => (isGiven(last) ? clamp(last, maxSize) : last);
  const paged = wrapPlan(
    field,
    ($answer, args) => {
      const $connection = $answer as ConnectionStep<unknown>;
      const [$first, $last, $before, $after] = ["first", "last", "before", "after"].map((name) =>
        args.getRaw(name),
      ) as Args;
      $connection.setFirst(lambda([$first, $last] as const, sizeFromStart, true));
      $connection.setLast(lambda($last, lastOf, true));
      failAlone($connection, lambda([$first, $last] as const, refuse, true));
      // The engine finds a bad cursor while it selects the rows, so they get a statement of their own.
      if (!isMissing($before) || !isMissing($after)) rowsOf($connection).setInliningForbidden();
      $connection.setBefore($before);
      $connection.setAfter($after);
      return $connection;
    },
    mapRowsSource((source) => ({ ...source, page })),
    ["first", "last", "before", "after"],
  );
  // Nullable, so that a refused connection does not remove the rest of the response.
  paged.type = getNullableType(field.type);
  // For what limits the weight of queries: this number is no argument's default.
  paged.extensions = { ...paged.extensions, defaultListSize: defaultSize };
  const range = `0 to ${maxSize}`;
  paged.args = {
    ...field.args,
    first: {
      type: GraphQLInt,
      description: `The first so many: ${range}. Default: ${defaultSize}.`,
    },
    last: { type: GraphQLInt, description: `The last so many: ${range}.` },
    before: { type: Cursor, description: "Before this cursor." },
    after: { type: Cursor, description: "After this cursor." },
  };
  return paged;
}

type Given = number | null | undefined;

function connectionFirst([first, last]: readonly [Given, Given], { defaultSize, maxSize }: PageSizes): number | null {
  if (isGiven(first)) return clamp(first, maxSize);
  return isGiven(last) ? null : defaultSize;
}

function clamp(size: number, max: number): number {
  return Math.min(Math.max(size, 0), max);
}

function refuseAny(errors: readonly (ValidationError | null)[]): void {
  const validationErrors = errors.filter((error) => error !== null);
  if (validationErrors.length > 0) throw invalidInput(validationErrors);
}

function bothEnds(first: Given, last: Given): ValidationError | null {
  if (!isGiven(first) || !isGiven(last)) return null;
  return { path: ["last"], field: "last", code: "NOT_EXACTLY_ONE", message: "Give first or last, not both." };
}

function outOfRange(field: string, value: number | null | undefined, max: number): ValidationError | null {
  if (!isGiven(value) || (value >= 0 && value <= max)) return null;
  const advice = field === "offset" ? " Further on, page through the connection." : "";
  const message = `${field} is a number from 0 to ${max}.${advice}`;
  return { path: [field], field, code: "OUT_OF_RANGE", message, params: { min: 0, max } };
}
