import { isPlain, sqlName } from "@content-service/support/sqlName.ts";
import { TYPES, withPgClientFromPgService } from "postgraphile/@dataplan/pg";
import { sql } from "postgraphile/@dataplan/pg/pg-sql2";
// The type of a service whose schema is read through node-postgres.
import type {} from "postgraphile/adaptors/pg";
import {
  functionTarget,
  type Introspection,
  type IntrospectionEvent,
  isOfProject,
  type PgClass,
  type PgConstraint,
  type PgProc,
  relationName,
  schemaOf,
} from "./support/catalogue.ts";
import { compare, type UnmappedObject } from "./support/unmapped.ts";
import { version } from "./support/version.ts";

type PgType = Introspection["types"][number];
type ResourceOptions = Parameters<NonNullable<GraphileConfig.GatherHooks["pgTables_PgResourceOptions"]>>[0];
type Uniques = { attributes: readonly string[]; isPrimary?: boolean }[];
type RecordSpec = Parameters<NonNullable<GraphileConfig.GatherHooks["pgCodecs_recordType_spec"]>>[0];
type FoundCodec = Parameters<NonNullable<GraphileConfig.GatherHooks["pgCodecs_findPgCodec"]>>[0];
type Extensions = { pgType: PgType; extensions?: object | undefined };
interface State {
  leftOut: UnmappedObject[];
}
type Info = { state: State; inflection: GraphileBuild.Inflection; resolvedPreset: GraphileConfig.ResolvedPreset };

declare global {
  namespace GraphileBuild {
    interface BuildInput {
      /** Objects of the catalogue that the engine does not read. */
      unreadObjects?: UnmappedObject[];
    }
  }
  namespace GraphileConfig {
    interface GatherHelpers {
      catalogueNames: Record<string, never>;
    }
  }
}

/** The engine's name of a table or a type, where another one has the name that it would have. The name is a different one for each. */
const codecNames = new WeakMap<object, string>();
/** The name that it would have. */
const wantedNames = new WeakMap<object, string>();
/** The suffix of a foreign key to the engine's name of its relation, because another key has the same columns. */
const relationSuffixes = new WeakMap<object, string>();

/**
 * Reads the catalogue in one order, that of names, so that the schema does not depend on the order in which objects were made. Two objects
 * for which the engine has one name get two. Lists the objects that the engine leaves out without a word.
 */
export const CatalogueNamesPlugin: GraphileConfig.Plugin = {
  name: "CatalogueNamesPlugin",
  version,
  description: "Reads the catalogue in the order of names, and tells objects of one name apart.",
  inflection: {
    replace: {
      classCodecName: (previous, _options, details) => codecNames.get(details.pgClass) ?? previous?.(details) ?? "",
      typeCodecName: (previous, _options, details) => codecNames.get(details.pgType) ?? previous?.(details) ?? "",
      tableResourceName: (previous, _options, details) => codecNames.get(details.pgClass) ?? previous?.(details) ?? "",
      resourceRelationName: (previous, _options, details) =>
        `${previous?.(details) ?? ""}${relationSuffixes.get(details.pgConstraint) ?? ""}`,
      // The engine's name tells codecs apart. `@name` is what the API shows.
      _codecName(previous, _options, codec) {
        const name = codec.extensions?.tags?.name ?? wantedOf(codec);
        return typeof name === "string" ? this.coerceToGraphQLName(name) : (previous?.(codec) ?? codec.name);
      },
      _resourceName(previous, _options, resource) {
        const wanted = wantedOf(resource);
        return wanted === undefined ? (previous?.(resource) ?? resource.name) : this.coerceToGraphQLName(wanted);
      },
      scalarCodecTypeName(previous, _options, codec) {
        const wanted = wantedOf(codec);
        const name =
          wanted === undefined
            ? (previous?.(codec) ?? codec.name)
            : this.upperCamelCase(this.coerceToGraphQLName(wanted));
        // Without a letter, such as the domain */*.
        return name || (codec.domainOfCodec ? "Domain" : "Type");
      },
    },
  },
  gather: {
    namespace: "catalogueNames",
    helpers: {},
    initialState: (): State => ({ leftOut: [] }),
    hooks: {
      pgIntrospection_introspection: {
        before: ["PgEnumTablesPlugin"],
        provides: ["catalogueNames"],
        async callback(info: Info, { introspection, serviceName }: IntrospectionEvent) {
          const service = info.resolvedPreset.pgServices?.find(({ name }) => name === serviceName);
          if (!service) return;
          const schemas = service.schemas ?? ["public"];
          const isServed = (one: PgClass | PgProc) => schemas.includes(schemaOf(one));
          sort(introspection, schemas);
          const { inflection } = info;
          const taken = new Set<string>(Object.values(TYPES).map(({ name }) => name));
          for (const { entity, wanted } of namedThings(introspection, serviceName, inflection)) {
            const free = [wanted, `${wanted}_`, `${wanted}__`].find((each) => !taken.has(each));
            const name = free ?? `${wanted}_${entity._id}`;
            taken.add(name);
            if (name === wanted) continue;
            codecNames.set(entity, name);
            wantedNames.set(entity, wanted);
          }
          nameRelations(introspection.constraints);
          const { leftOut } = info.state;
          const { procs } = introspection;
          const ranges = rangesOf(introspection);
          const servedNames = new Set(Object.values(info.resolvedPreset.schema?.servedNames ?? {}));
          leftOut.push(...dropOverloads(procs, (proc) => servedNames.has(functionTarget(proc))));
          leftOut.push(...procs.filter(isServed).flatMap((proc) => unread(proc, procs, ranges)));
          // The engine would print each of them.
          procs.splice(0, procs.length, ...procs.filter((proc) => !hasPseudoType(proc) || isInternal(proc, ranges)));
          for (const pgClass of introspection.classes.filter(isServed)) {
            const { tags } = pgClass.getTagsAndDescription();
            const name = relationName(pgClass);
            const refusal = tags.enum === undefined ? undefined : await whyNoEnum(service, pgClass, name);
            if (!refusal) continue;
            delete tags.enum;
            leftOut.push({ name, message: `${name} is not an enum in the API.`, ...refusal });
          }
        },
      },
      pgCodecs_findPgCodec: {
        after: ["PgCodecsPlugin"],
        callback: (_info: unknown, event: FoundCodec) => readAsText(event),
      },
      pgTables_PgResourceOptions(_info: unknown, event: ResourceOptions) {
        dropRepeatedUniques(event);
        keepWanted(event.pgClass, event.resourceOptions.extensions);
      },
      pgCodecs_recordType_spec: (_info: unknown, { pgClass, spec }: RecordSpec) => keepWanted(pgClass, spec.extensions),
      pgCodecs_enumType_extensions: (_info: unknown, { pgType, extensions }: Extensions) =>
        keepWanted(pgType, extensions),
      pgCodecs_domainOfCodec_extensions: (_info: unknown, { pgType, extensions }: Extensions) =>
        keepWanted(pgType, extensions),
      pgCodecs_rangeOfCodec_extensions: (_info: unknown, { pgType, extensions }: Extensions) =>
        keepWanted(pgType, extensions),
    },
    async main(output: GraphileBuild.BuildInput, info: Info & { helpers: GraphileConfig.GatherHelpers }) {
      const { leftOut } = info.state;
      for (const { introspection, pgService } of await info.helpers.pgIntrospection.getIntrospection()) {
        leftOut.push(...(await skipped(introspection, pgService, info.helpers)));
      }
      output.unreadObjects = [...(output.unreadObjects ?? []), ...leftOut];
    },
  } as never,
};

function keepWanted(entity: object, extensions: object | undefined): void {
  const wantedName = wantedNames.get(entity);
  if (extensions && wantedName !== undefined) Object.assign(extensions, { wantedName });
}

function wantedOf({ extensions }: { extensions?: object | undefined }): string | undefined {
  return (extensions as { wantedName?: string } | undefined)?.wantedName;
}

/** Orders what is named: the served schemas first, tables before types, names without quotes before others. */
function sort({ classes, procs, types, constraints }: Introspection, schemas: readonly string[]): void {
  const placeOf = (one: Parameters<typeof schemaOf>[0]) => {
    const schema = schemaOf(one);
    const place = schemas.indexOf(schema);
    return [place < 0 ? schemas.length : place, schema];
  };
  const rankOf = (name: string) => [isPlain(name) ? 0 : 1, name];
  const order = <T>(list: T[], keyOf: (one: T) => (number | string)[]) => {
    const keys = new Map(list.map((one) => [one, keyOf(one)]));
    list.sort((a, b) => compare(keys.get(a) ?? [], keys.get(b) ?? []));
  };
  order(classes, (one) => [...placeOf(one), "rpfvmc".indexOf(one.relkind), ...rankOf(one.relname)]);
  order(types, (one) => [...placeOf(one), ...rankOf(one.typname)]);
  order(constraints, (one) => [...placeOf(one.getClass() ?? one), one.getClass()?.relname ?? "", one.conname]);
  order(procs, (one) => [...placeOf(one), ...rankOf(one.proname), (one.getArguments?.() ?? []).length]);
}

function* namedThings(
  { classes, types }: Introspection,
  serviceName: string,
  inflection: GraphileBuild.Inflection,
): Generator<{ entity: PgClass | PgType; wanted: string }> {
  for (const pgClass of classes.filter(isOfProject)) {
    if (!pgClass.getType()) continue;
    yield { entity: pgClass, wanted: inflection.classCodecName({ pgClass, serviceName }) };
  }
  for (const pgType of types.filter(isOfProject)) {
    if (pgType.typtype === "c") continue;
    yield { entity: pgType, wanted: inflection.typeCodecName({ pgType, serviceName }) };
  }
}

function nameRelations(constraints: readonly PgConstraint[]): void {
  const ways = new Set<string>();
  for (const constraint of constraints) {
    if (constraint.contype !== "f") continue;
    const way = [constraint.conrelid, constraint.confrelid, ...(constraint.conkey ?? [])].join();
    if (ways.has(way)) relationSuffixes.set(constraint, `_${constraint.conname}`);
    ways.add(way);
  }
}

/** A table that inherits a key and has the same key itself has it once. */
function dropRepeatedUniques({ resourceOptions }: ResourceOptions): void {
  const uniques = resourceOptions.uniques as Uniques | undefined;
  const keyOf = ({ attributes }: Uniques[number]) => [...attributes].sort().join();
  const repeated = uniques?.filter((one, place) => uniques.findIndex((each) => keyOf(each) === keyOf(one)) < place);
  for (const one of repeated ?? []) uniques?.splice(uniques.indexOf(one), 1);
}

function rangesOf({ types }: Introspection): PgType[] {
  return types.filter(({ typtype }) => typtype === "r" || typtype === "m");
}

/** A function of triggers, or the constructor of a range. */
function isInternal(proc: PgProc, ranges: readonly PgType[]): boolean {
  if (proc.getReturnType()?.typname.endsWith("trigger")) return true;
  return ranges.some(({ typnamespace, typname }) => typnamespace === proc.pronamespace && typname === proc.proname);
}

/** Whether a type is one like `anyelement`. */
function hasPseudoType(proc: PgProc): boolean {
  const types = [proc.getReturnType(), ...proc.getArguments().map(({ type }) => type)];
  return types.some((type) => type?.typtype === "p" && !["record", "void", "_record"].includes(type.typname));
}

/** The engine leaves out all functions of one name. One that was served stays, and the others go. */
function dropOverloads(procs: PgProc[], wasServed: (proc: PgProc) => boolean): UnmappedObject[] {
  const nameOf = (proc: PgProc) => sqlName(schemaOf(proc), proc.proname);
  const served = procs.filter((proc) => isOfProject(proc) && wasServed(proc));
  const kept = new Map(served.map((proc) => [nameOf(proc), proc]));
  const isDropped = (proc: PgProc) => isOfProject(proc) && (kept.get(nameOf(proc)) ?? proc) !== proc;
  const dropped = kept.size > 0 ? procs.filter(isDropped) : [];
  if (dropped.length > 0) procs.splice(0, procs.length, ...procs.filter((proc) => !dropped.includes(proc)));
  return dropped.map((proc) => {
    const target = functionTarget(proc);
    return {
      name: nameOf(proc),
      message: `${target.replace("function ", "")} is not in the API.`,
      reason: `The API has an older function of this name: ${functionTarget(kept.get(nameOf(proc)) ?? proc)}.`,
      advice: `alter ${target} rename to …`,
    };
  });
}

/** The functions that the engine does not read, with the reason. Functions of triggers are no part of an API. */
function unread(proc: PgProc, procs: readonly PgProc[], ranges: readonly PgType[]): UnmappedObject[] {
  const name = sqlName(schemaOf(proc), proc.proname);
  const returned = proc.getReturnType()?.typname;
  if (isInternal(proc, ranges)) return [];
  const why = (): [reason: string, advice: string] | undefined => {
    if (proc.proname.startsWith("__")) {
      return ["Names that begin with __ belong to GraphQL.", `alter function ${name} rename to …`];
    }
    if (
      procs.some(
        (other) => other !== proc && other.proname === proc.proname && other.pronamespace === proc.pronamespace,
      )
    ) {
      return ["Another function has the same name. The API leaves out both.", `alter function ${name}(…) rename to …`];
    }
    if (proc.proargmodes?.includes("v"))
      return ["It takes any number of arguments.", "Give it an array as its argument."];
    if (hasPseudoType(proc)) return ["It takes or returns values of any type.", "Write a function for each type."];
    const outs = proc.proargmodes?.filter((mode) => "obt".includes(mode)) ?? [];
    if (returned === "record" && outs.length < 2) {
      return ["It returns a record without columns.", "Say its columns: returns table (…)"];
    }
    return undefined;
  };
  const found = why();
  return found ? [{ name, message: `${name} is not in the API.`, reason: found[0], advice: found[1] }] : [];
}

/** A type that the engine does not know, such as a multirange, is the text that PostgreSQL writes of it. */
function readAsText(event: FoundCodec): void {
  const { pgType, pgCodec, serviceName } = event;
  const schemaName = pgType.getNamespace()?.nspname;
  if (pgCodec || schemaName === undefined || !["b", "m"].includes(pgType.typtype ?? "") || pgType.typcategory === "A")
    return;
  const { typname, _id: oid } = pgType;
  event.pgCodec = {
    ...TYPES.text,
    name: `${typname}_text`,
    sqlType: sql.identifier(schemaName, typname),
    castFromPg: (value) => sql`${sql.parens(value)}::text`,
    listCastFromPg: (value) => sql`${sql.parens(value)}::text[]::text`,
    extensions: { oid, pg: { serviceName, schemaName, name: typname }, isText: true } as never,
  };
}

/** The functions, tables and columns that the engine has skipped, for want of a type. */
async function skipped(
  introspection: Introspection,
  { name: service, schemas = ["public"] }: GraphileConfig.PgServiceConfiguration,
  helpers: GraphileConfig.GatherHelpers,
): Promise<UnmappedObject[]> {
  const { classes, procs } = introspection;
  const ranges = rangesOf(introspection);
  const left: UnmappedObject[] = [];
  const leave = (name: string, type: string, advice: string) =>
    left.push({ name, message: `${name} is not in the API.`, reason: `GraphQL has no type for ${type}.`, advice });
  for (const proc of procs) {
    const schema = schemaOf(proc);
    const isSkipped = isInternal(proc, ranges) || unread(proc, procs, ranges).length > 0;
    if (!schemas.includes(schema) || isSkipped) continue;
    if (await helpers.pgProcedures.getResourceOptions(service, proc)) continue;
    leave(sqlName(schema, proc.proname), "one of its arguments, or its result", "Give it another type, or cast it.");
  }
  for (const pgClass of classes) {
    if (!schemas.includes(schemaOf(pgClass)) || !"rpfvm".includes(pgClass.relkind)) continue;
    const name = relationName(pgClass);
    const codec = await helpers.pgCodecs.getCodecFromClass(service, pgClass._id);
    if (!codec) leave(name, "any of its columns", "Give it a column.");
    for (const { attname, attisdropped, attnum, getType } of codec ? pgClass.getAttributes() : []) {
      if (attisdropped || attnum < 1 || codec?.attributes?.[attname]) continue;
      leave(
        `${name}.${sqlName(attname)}`,
        String(getType()?.typname),
        "Show it as text in a computed column, or in a view.",
      );
    }
  }
  return left;
}

/** Why a table cannot be an enum: its values are read when the schema is made, as the login of the service. */
async function whyNoEnum(
  service: GraphileConfig.PgServiceConfiguration,
  pgClass: PgClass,
  name: string,
): Promise<Pick<UnmappedObject, "reason" | "advice"> | undefined> {
  const constraints = pgClass.getConstraints();
  if (constraints.some(({ contype, conkey }) => contype === "p" && conkey?.length !== 1)) {
    return { reason: "Its primary key has more than one column.", advice: "comment on constraint … is '@enum'" };
  }
  const { text } = sql.compile(sql`select from ${sql.identifier(schemaOf(pgClass), pgClass.relname)} limit 0`);
  const settings = service.pgSettingsForIntrospection ?? null;
  try {
    await withPgClientFromPgService(service, settings, (client) => client.query({ text }));
    return undefined;
  } catch (error) {
    const [login] = await withPgClientFromPgService(service, settings, async (client) => {
      const { rows } = await client.query<{ login: string }>({ text: "select current_user as login" });
      return rows.map((row) => row.login);
    });
    const schema = sqlName(schemaOf(pgClass));
    return {
      reason: `Its rows cannot be read when the schema is made: ${(error as Error).message}.`,
      advice: `grant usage on schema ${schema} to ${login}; grant select on ${name} to ${login};`,
    };
  }
}
