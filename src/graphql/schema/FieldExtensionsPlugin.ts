import {
  type Build,
  type Field,
  type FieldContext,
  functionOf,
  isListField,
  relationOf,
  smartTag,
} from "postgraphile-compiled-preset/plugin";

type Scope = FieldContext["scope"];

declare module "graphql" {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** Calls of this mutation are counted by address, and limited. */
    isRateLimited?: boolean;
    /** The field needs no identity, so a bad token does not keep anyone from it. */
    isWithoutToken?: boolean;
    /** The mutation signs a user in, and its result is read as that user. */
    signsIn?: boolean;
    /** Results of this field are counted by its one argument: the SQL function that stores the counts. */
    countReads?: string;
    /** No cache keeps a response with this field. */
    noStore?: boolean;
    /** Every caller who may see the object gets the same value. */
    isSameForAll?: boolean;
  }
}

/** A count reads the rows that it counts; a function usually counts or looks up others. */
const functionCost = 100;
/** A list is looked up and sorted, once for each parent object. */
const listCost = 10;

/**
 * Tells the service in `field.extensions` what it has to know of a field before, or after, it runs:
 *
 * - `isRateLimited`, a mutation with the smart tag `@rateLimited`: strangers call it again and again, to guess passwords or to sign up in
 *   bulk. src/rateLimits counts each call by address, for all instances together, before anything runs (RATE_LIMIT_SIGN_IN).
 * - `isWithoutToken`, a query or mutation with `@withoutToken`: it identifies the caller in another way, as `signIn` does. A request for such
 *   fields only runs as anonymous when its token has expired. Every other request with a bad token is refused.
 * - `noStore`, a query with `@noStore`: who knows its arguments sees what is for few, so no cache keeps the response.
 * - `signsIn`, a mutation with `@signsIn`, whose function sets `app.viewer_id`: what is asked of its result is read in its transaction as that
 *   user, and what cannot be read rolls it back.
 * - `countReads`, the field that returns one row by its id, where the table has `@countReads <function>`, or a query of one argument, whose
 *   function has the tag. The service counts the results by the argument, in memory, and calls the function that the tag names,
 *   `(ids bigint[], counts int[])`, every some seconds (src/reads).
 * - `isSameForAll`, the columns of a table, and foreign keys to a table with `@sameForAll`, whose rows every signed-in user sees alike. A
 *   subscription that selects only such fields is executed once per event for all its subscribers. The rule
 *   migrations/rules/same_for_all_is_true.sql compares the tag with the policies.
 * - `costlyText`, the argument that `@costlyText <argument>` of a function names, such as a text to search for: 100 for each of its words.
 * - `cost`, the rows that the database reads besides those that it returns, for each parent object: 100 for the `totalCount` of a connection
 *   and for a function, 10 for a list or a connection. src/graphql/request adds them up before an operation runs (MAX_QUERY_COST).
 */
export const FieldExtensionsPlugin: GraphileConfig.Plugin = {
  name: "FieldExtensionsPlugin",
  schema: { hooks: { GraphQLObjectType_fields_field: extendField } },
};

function extendField(field: Field, build: Build, { scope }: FieldContext): Field {
  const tags = scope.pgFieldResource?.extensions?.tags;
  const isRoot = scope.isRootMutation || scope.isRootQuery;
  const countReads = countReadsOf(field, scope, build);
  const cost = costOf(scope);
  const extensions = {
    ...(scope.isRootMutation && tags?.["rateLimited"] !== undefined && { isRateLimited: true }),
    ...(isRoot && tags?.["withoutToken"] !== undefined && { isWithoutToken: true }),
    ...(scope.isRootQuery &&
      functionOf(scope, build)?.extensions?.tags?.["noStore"] !== undefined && { noStore: true }),
    ...(scope.isRootMutation && tags?.["signsIn"] !== undefined && { signsIn: true }),
    ...(countReads !== undefined && { countReads }),
    ...(isSameForAll(scope) && { isSameForAll: true }),
    ...(cost > 0 && { cost }),
    ...(isListField(scope) && typeof tags?.["costlyText"] === "string" && { costlyText: tags["costlyText"] }),
  };
  return { ...field, extensions: { ...field.extensions, ...extensions } };
}

function countReadsOf(field: Field, scope: Scope, build: Build): string | undefined {
  const args = Object.keys(field.args ?? {});
  if (!scope.isRootQuery || args.length !== 1) return undefined;
  const isById = scope.isPgRowByUniqueConstraintField && args[0] === "id";
  const source = isById ? scope.pgFieldResource : functionOf(scope, build);
  const name = smartTag(source, "countReads");
  if (name === undefined || (typeof name === "string" && /^[a-z_]+\.[a-z_0-9]+$/.test(name))) return name;
  throw new Error(`@countReads of ${source?.name} names a function with its schema: app_private.count_reads`);
}

function isSameForAll({ pgFieldAttribute, pgRelationDetails: details, isPgSingleRelationField }: Scope): boolean {
  if (pgFieldAttribute) return pgFieldAttribute.extensions?.tags?.["unauthorizedWhenNull"] === undefined;
  if (!isPgSingleRelationField) return false;
  const relation = relationOf(details);
  return (
    relation?.isReferencee !== true && relation?.remoteResource.codec.extensions?.tags?.["sameForAll"] !== undefined
  );
}

function costOf(scope: Scope): number {
  if (isListField(scope)) return listCost;
  // The engine names the function's resource for lists only.
  const isFunction = /^(query|type)Field:/.test(scope.fieldBehaviorScope ?? "");
  return scope.isPgConnectionTotalCountField || isFunction ? functionCost : 0;
}
