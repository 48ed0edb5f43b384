import { type ConnectionStep, constant, lambda, type Step } from "postgraphile/grafast";
import type { PageSizes } from "./compiled/fieldSource.ts";
import {
  amendRows,
  type Build,
  type Field,
  type FieldContext,
  isListField,
  mayReturnNulls,
  smartTag,
  wrapPlan,
} from "./support/fields.ts";
import { type Given, isGiven } from "./support/planRows.ts";
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
  schema: {
    hooks: {
      GraphQLObjectType_fields_field: {
        // In the schema, the filter arguments come before limit and offset.
        after: ["FieldSourcesPlugin", "ListFilterPlugin", "ListOrderPlugin", "ListFunctionsPlugin"],
        callback: (field, build, context) =>
          isListField(context.scope) ? pageField(field, build, context, sizes) : provenByCursor(field, context),
      },
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
  const isRequired = isRootQuery === true && tag === "required";
  return pageList(field, build, { isRequired, hasNulls: mayReturnNulls(pgFieldResource) }, page);
}

interface ListShape {
  /** Whether `limit` is required. */
  isRequired: boolean;
  hasNulls: boolean;
}

function pageList(field: Field, build: Build, { isRequired, hasNulls }: ListShape, page: PageSizes): Field {
  const { defaultSize, maxSize, maxOffset } = page;
  const { GraphQLInt, GraphQLList, GraphQLNonNull, getNamedType } = build.graphql;
  const paged = amendRows(field, (source) => ({ ...source, page }), ["limit", "offset"]);
  // Nullable, so that a refused list does not remove the rest of the response.
  const item = getNamedType(field.type);
  paged.type = new GraphQLList(hasNulls ? item : new GraphQLNonNull(item));
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

function pageConnection(field: Field, build: Build, page: PageSizes): Field {
  const { defaultSize, maxSize } = page;
  const { GraphQLInt, getNullableType } = build.graphql;
  const Cursor = build.getInputTypeByName(build.inflection.builtin("Cursor"));
  const paged = amendRows(field, (source) => ({ ...source, page }), ["first", "last", "before", "after"]);
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
