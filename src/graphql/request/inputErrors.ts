import type { ValidationError } from "@content-service/errors/ApiError.ts";
import { isObject } from "@content-service/support/isObject.ts";
import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from "graphql";

type Path = ValidationError["path"];

/** The message names an unknown field, cut to this length. */
const nameLength = 100;

/**
 * Finds what keeps a value from being of an input type. Each error has its path; none quotes the value. The rules are those
 * of graphql-js's coerceInputValue.
 *
 * @param path where the paths of the errors start
 */
export function* inputErrors(given: unknown, expected: GraphQLInputType, path: Path): Generator<ValidationError> {
  const isMissing = given === null || given === undefined;
  if (isNonNullType(expected)) {
    if (isMissing) yield inputError(path, "REQUIRED", "is required.");
    else yield* inputErrors(given, expected.ofType, path);
  } else if (isMissing) {
    return;
  } else if (isListType(expected)) {
    // GraphQL coerces a single value to a list of one item.
    if (!Array.isArray(given)) yield* inputErrors(given, expected.ofType, path);
    else for (const [index, item] of given.entries()) yield* inputErrors(item, expected.ofType, [...path, index]);
  } else if (isInputObjectType(expected)) {
    yield* objectErrors(given, expected, path);
  } else {
    const form = wrongForm(given, expected);
    const code = isEnumType(expected) ? "NOT_IN_LIST" : form && typeof given === "string" ? "FORMAT" : "TYPE";
    if (form !== undefined) yield inputError(path, code, `must be ${nounOf(expected)}.${form}`);
  }
}

function* objectErrors(given: unknown, expected: GraphQLInputObjectType, path: Path): Generator<ValidationError> {
  if (!isObject(given)) return yield inputError(path, "TYPE", `must be an object of the type ${expected.name}.`);
  const object = new Map(Object.entries(given));
  const fields = expected.getFields();
  for (const { name, type, defaultValue } of Object.values(fields)) {
    const value = object.get(name);
    if (value !== undefined || defaultValue === undefined) yield* inputErrors(value, type, [...path, name]);
  }
  for (const key of object.keys()) {
    const unknown = [...path, shorten(key)];
    const message = `${expected.name} has no field ${placeOf(unknown)}.`;
    if (!fields[key]) yield { path: unknown, field: shorten(key), code: "UNKNOWN_FIELD", message };
  }
  if (expected.isOneOf && [...object.values()].filter((one) => one !== null).length !== 1) {
    yield inputError(path, "NOT_EXACTLY_ONE", "must have exactly one field, and that not null.");
  }
}

/** @param message what is said of the place */
export function inputError(path: Path, code: string, message: string): ValidationError {
  const field = path.findLast((step) => typeof step === "string") ?? null;
  return { path, field, code, message: `${placeOf(path)} ${message}` };
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
