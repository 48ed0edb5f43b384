import type { ValidationFault } from "@content-service/errors/ApiError.ts";
import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from "graphql";

type Path = ValidationFault["path"];

/** The message names an unknown field, cut to this length. */
const nameLength = 100;

/**
 * Finds what keeps a value from being of an input type. Each fault has its path; none quotes the value. The rules are those
 * of graphql-js's coerceInputValue.
 *
 * @param name the variable's name, where the paths start
 * @param most faults to look for
 */
export function inputFaults(value: unknown, type: GraphQLInputType, name: string, most: number): ValidationFault[] {
  const faults: ValidationFault[] = [];
  const path: Path = [name];

  function check(given: unknown, expected: GraphQLInputType): void {
    if (isNonNullType(expected)) {
      if (given === null || given === undefined) report("REQUIRED", `${placeOf(path)} is required.`);
      else check(given, expected.ofType);
    } else if (given === null || given === undefined) {
      return;
    } else if (isListType(expected)) {
      checkList(given, expected.ofType);
    } else if (isInputObjectType(expected)) {
      checkObject(given, expected);
    } else {
      const form = wrongForm(given, expected);
      const code = isEnumType(expected) ? "NOT_IN_LIST" : "TYPE";
      if (form !== undefined) report(code, `${placeOf(path)} must be ${nounOf(expected)}.${form}`);
    }
  }

  function checkList(given: unknown, itemType: GraphQLInputType): void {
    // GraphQL coerces a single value to a list of one item.
    if (!Array.isArray(given)) return check(given, itemType);
    for (const [index, item] of given.entries()) {
      if (!checkBelow(index, item, itemType)) return;
    }
  }

  function checkObject(given: unknown, expected: GraphQLInputObjectType): void {
    if (typeof given !== "object" || Array.isArray(given)) {
      return report("TYPE", `${placeOf(path)} must be an object of the type ${expected.name}.`);
    }
    const object = new Map(Object.entries(given as object));
    const fields = expected.getFields();
    for (const field of Object.values(fields)) {
      const isLeftToDefault = object.get(field.name) === undefined && field.defaultValue !== undefined;
      if (!isLeftToDefault && !checkBelow(field.name, object.get(field.name), field.type)) return;
    }
    for (const key of object.keys()) {
      if (fields[key]) continue;
      if (!below(shorten(key), () => report("UNKNOWN_FIELD", `${expected.name} has no field ${placeOf(path)}.`)))
        return;
    }
    if (expected.isOneOf && [...object.values()].filter((one) => one !== null).length !== 1) {
      report("NOT_EXACTLY_ONE", `${placeOf(path)} must have exactly one field, and that not null.`);
    }
  }

  function checkBelow(step: string | number, given: unknown, expected: GraphQLInputType): boolean {
    return below(step, () => check(given, expected));
  }

  /** @returns whether to go on */
  function below(step: string | number, act: () => void): boolean {
    path.push(step);
    act();
    path.pop();
    return faults.length < most;
  }

  function report(code: string, message: string): void {
    if (faults.length >= most) return;
    const field = path.findLast((step) => typeof step === "string") ?? null;
    faults.push({ path: [...path], field, code, message });
  }

  check(value, type);
  return faults;
}

/** The last name of a path, with the list positions that follow it: `tags[1]`. */
function placeOf(path: Path): string {
  const last = path.findLastIndex((step) => typeof step === "string");
  const places = path.slice(last + 1).map((index) => `[${index}]`);
  return `\`${path[last]}${places.join("")}\``;
}

function nounOf(type: GraphQLLeafType): string {
  if (!isEnumType(type)) return `${/^[AEIO]/.test(type.name) ? "an" : "a"} ${type.name}`;
  const names = type.getValues().map(({ name }) => name);
  return `one of ${names.join(", ")}`;
}

/** @returns undefined for a right value; else what the type says of its form, in a TypeError. The errors of graphql-js quote the value. */
function wrongForm(given: unknown, type: GraphQLLeafType): string | undefined {
  try {
    const value = isEnumType(type) ? type.parseValue(given, true) : type.parseValue(given);
    return value === undefined ? "" : undefined;
  } catch (error) {
    return error instanceof TypeError ? ` ${error.message}` : "";
  }
}

function shorten(name: string): string {
  return name.length > nameLength ? `${name.slice(0, nameLength)}…` : name;
}
