import { sqlName } from "@content-service/support/sqlName.ts";

/** The hook that gets the whole catalogue, before anything is made of it. */
export type IntrospectionEvent = Parameters<
  NonNullable<GraphileConfig.GatherHooks["pgIntrospection_introspection"]>
>[0];
export type Introspection = IntrospectionEvent["introspection"];
export type PgClass = Introspection["classes"][number];
export type PgConstraint = Introspection["constraints"][number];
export type PgProc = Introspection["procs"][number];

type InSchema = { getNamespace(): { nspname: string } | undefined };

/** The name of an object's schema; "" for an unknown object. */
export function schemaOf(one: InSchema | undefined): string {
  return one?.getNamespace()?.nspname ?? "";
}

/** Whether an object is not PostgreSQL's own. */
export function isOfProject(one: InSchema | undefined): boolean {
  return !/^(pg_.*|information_schema)?$/.test(schemaOf(one));
}

/** In SQL: `shop.products`. */
export function relationName(one: PgClass | undefined): string {
  return sqlName(schemaOf(one), one?.relname ?? "");
}

/** In SQL, what a comment is for: `constraint products_pkey on shop.products`. */
export function constraintTarget(constraint: Pick<PgConstraint, "conname" | "getClass">): string {
  return `constraint ${sqlName(constraint.conname)} on ${relationName(constraint.getClass())}`;
}

/** In SQL, what a comment is for, with the types of the arguments: `function shop.find(text, int4)`. */
export function functionTarget(proc: PgProc): string {
  const types = proc
    .getArguments()
    .filter(({ isIn }) => isIn)
    .map(({ type }) => type.typname);
  return `function ${sqlName(schemaOf(proc), proc.proname)}(${types.join(", ")})`;
}
