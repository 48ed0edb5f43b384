import "postgraphile";
import type { GraphQLArgumentConfig, GraphQLInputFieldConfig } from "postgraphile/graphql";
import type { ValidationFault } from "../../src/errors/ApiError.ts";
import type { Build } from "./fields.ts";

declare module "graphql" {
  interface GraphQLArgumentExtensions {
    formerNameOf?: string;
    hasFormerName?: FormerName;
  }
  interface GraphQLInputFieldExtensions {
    /** The current name of this input, which is deprecated. */
    formerNameOf?: string;
    hasFormerName?: FormerName;
  }
}

export interface FormerName {
  name: string;
  /** One of the two names must be given. In the schema, both are optional, because clients choose one. */
  isRequired: boolean;
}

type Input = GraphQLArgumentConfig | GraphQLInputFieldConfig;

/** Adds the input `former` beside the input `name`. */
export function addFormerName(build: Build, inputs: Record<string, Input>, name: string, former: string): void {
  const { getNullableType, isNonNullType } = build.graphql;
  const input = inputs[name];
  if (!input) return;
  if (inputs[former]) throw new Error(`@formerly: there is another input with the name ${former}, beside ${name}`);
  const type = getNullableType(input.type);
  const hasFormerName: FormerName = { name: former, isRequired: isNonNullType(input.type) };
  inputs[name] = { ...input, type, extensions: { ...input.extensions, hasFormerName } };
  const { apply: _, ...described } = input as GraphQLInputFieldConfig & { apply?: unknown };
  inputs[former] = {
    ...described,
    type,
    deprecationReason: `Use ${name}.`,
    extensions: { ...input.extensions, formerNameOf: name },
  };
}

type Given = Readonly<Record<string, unknown>>;
/** An input as the schema has it. */
export type NamedInput = { name: string; extensions: { hasFormerName?: FormerName | undefined } };

/** The value of an input, given under its current or its former name. Adds a fault when both are given, or a required one is not. */
export function givenValue(
  { name, extensions: { hasFormerName } }: NamedInput,
  given: Given,
  path: ValidationFault["path"],
  faults: ValidationFault[],
): unknown {
  if (!hasFormerName) return given[name];
  const former = given[hasFormerName.name];
  const value = given[name] === undefined ? former : given[name];
  if (former !== undefined && given[name] !== undefined) faults.push(givenTwice(name, hasFormerName.name, path));
  if (hasFormerName.isRequired && (value === undefined || value === null)) {
    const field = former === undefined ? name : hasFormerName.name;
    faults.push({ path: [...path, field], field, code: "REQUIRED", message: `\`${field}\` is required.` });
  }
  return value;
}

/** The fault of a request that gives an input under both names. */
export function givenTwice(name: string, former: string, within: ValidationFault["path"] = []): ValidationFault {
  const message = `\`${former}\` is the former name of \`${name}\`. Give one of them.`;
  return { path: [...within, former], field: former, code: "GIVEN_TWICE", message };
}
