/* Names for tables and rows in the headers of responses and of webhooks, so that a cache can be told which responses are outdated. */

/** The tag of responses with a value that a function computes, from whatever it reads. */
export const computedTag = "computed";

/** The tag of responses that show a list of a table's rows. */
export function cacheTag(schema: string, table: string): string {
  return `${encodeURIComponent(schema)}.${encodeURIComponent(table)}`;
}

/** The tag of responses that show a row. */
export function rowTag(table: string, key: string): string {
  return `${table}:${encodeURIComponent(key)}`;
}

/** The tag of a table from its name in SQL, such as `shop."Odd name"`. */
export function cacheTagOfRelation(relation: string): string {
  const names = [...relation.matchAll(/"((?:[^"]|"")*)"|[^."]+/g)];
  const [schema = "", table = ""] = names.map(([name, quoted]) => quoted?.replaceAll('""', '"') ?? name);
  return cacheTag(schema, table);
}
