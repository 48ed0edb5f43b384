import { invalidInput, type ValidationError } from "@content-service/errors/ApiError.ts";
import { type PgCodec, type PgSelectQueryBuilder, sqlValueWithCodec } from "postgraphile/@dataplan/pg";
import { type SQL, sql } from "postgraphile/@dataplan/pg/pg-sql2";
import { type ConnectionStep, type FieldArgs, lambda, type Step } from "postgraphile/grafast";
import type { Condition, GivenArguments, Order, PageSizes, RowsSource } from "../compiled/fieldSource.ts";
import { isMissing, rowsOf } from "./fields.ts";

/** The part of a description that changes the rows that the engine selects. */
type Shape = ($rows: Step, args: FieldArgs) => Step;

/**
 * The plan of a list or a connection, from its description: conditions, order and page. The functions that steps call are made
 * here, outside of plans: inside, they would keep the values of the request that was planned, as long as the engine keeps the plan.
 */
export function shapeRows({ kind, where, order, choices, page }: RowsSource): Shape {
  const filters = where.filter(({ isAdded }) => isAdded).map(planCondition);
  const inOrder = order && planOrder(order, choices);
  const paged = page && (kind === "list" ? planPage(page) : planConnectionPage(page));
  return ($result, args) => {
    for (const filter of filters) filter($result, args);
    inOrder?.($result, args);
    return paged ? paged($result, args) : $result;
  };
}

/** A condition that depends on an argument is written when the request has its value. */
function planCondition(condition: Condition): ($rows: Step, args: FieldArgs) => void {
  const { filter } = condition;
  if (filter === undefined) {
    return ($result) => {
      const $rows = rowsOf($result);
      const written = condition($rows.alias, $rows.alias, noArguments);
      if (written) $rows.where(written);
    };
  }
  const withValue = (value: unknown) => (rows: PgSelectQueryBuilder) => {
    const written = condition(rows.alias, rows.alias, givenValue(value));
    if (written) rows.where(written);
  };
  return ($result, args) => {
    const $value = args.getRaw(filter);
    if (!isMissing($value)) rowsOf($result).apply(lambda($value, withValue, true) as never);
  };
}

/** The only argument of a condition. */
function givenValue(value: unknown): GivenArguments {
  return {
    value: () => value,
    isPresent: () => isGiven(value),
    isGiven: () => value !== undefined,
    parameter: (_name, codec) => sqlValueWithCodec(value, codec),
  };
}

const noArguments = givenValue(undefined);

function planOrder(standard: readonly Order[], choices: RowsSource["choices"]): ($rows: Step, args: FieldArgs) => void {
  const chosenOrder = (name: string | null | undefined) => {
    const orders = (name && choices?.get(name)) || standard;
    return (rows: PgSelectQueryBuilder) => putInOrder(rows, orders);
  };
  return ($result, args) => {
    const $rows = rowsOf($result);
    const $choice = choices?.size ? args.getRaw("orderBy") : undefined;
    if ($choice && !isMissing($choice)) $rows.apply(lambda($choice, chosenOrder, true) as never);
    else putInOrder($rows, standard);
  };
}

/** A select that is planned, or one that is about to run. */
type Rows = Pick<PgSelectQueryBuilder, "orderBy" | "setOrderIsUnique">;

function putInOrder(rows: Rows, orders: readonly Order[]): void {
  for (const { attribute, direction, codec, table, mark } of orders) {
    if (table) {
      rows.orderBy({ fragment: sql`${table}.${sql.identifier(attribute)}`, direction, codec, nullable: false });
      continue;
    }
    const callback = (column: SQL, _codec: PgCodec, isNullable: boolean) => [
      mark ? sql`${column} ${mark}` : column,
      codec,
      isNullable,
    ];
    rows.orderBy({ attribute, direction, callback } as never);
  }
  rows.setOrderIsUnique();
}

function planPage({ defaultSize, maxSize, maxOffset }: PageSizes): Shape {
  const limitOf = (given: Given) => clamp(given ?? defaultSize, maxSize);
  const offsetOf = (given: Given) => clamp(given ?? 0, maxOffset);
  const refuse = ([limit, offset]: readonly [Given, Given]) =>
    refuseAny([outOfRange("limit", limit, maxSize), outOfRange("offset", offset, maxOffset)]);
  return ($result, args) => {
    const $rows = rowsOf($result);
    $rows.setFirst(lambda(args.getRaw("limit"), limitOf, true));
    $rows.setOffset(lambda(args.getRaw("offset"), offsetOf, true));
    const $items = $rows.items();
    failAlone($items, lambda([args.getRaw("limit"), args.getRaw("offset")] as const, refuse, true));
    return $items;
  };
}

type Ends = [first: Step, last: Step, before: Step, after: Step];

function planConnectionPage({ defaultSize, maxSize }: PageSizes): Shape {
  const refuse = ([first, last]: readonly [Given, Given]) =>
    refuseAny([outOfRange("first", first, maxSize), outOfRange("last", last, maxSize) ?? bothEnds(first, last)]);
  const firstOf = ([first, last]: readonly [Given, Given]) => {
    if (isGiven(first)) return clamp(first, maxSize);
    return isGiven(last) ? null : defaultSize;
  };
  const lastOf = (last: Given) => (isGiven(last) ? clamp(last, maxSize) : last);
  return ($result, args) => {
    const $connection = $result as ConnectionStep<unknown>;
    const [$first, $last, $before, $after] = ["first", "last", "before", "after"].map((name) =>
      args.getRaw(name),
    ) as Ends;
    $connection.setFirst(lambda([$first, $last] as const, firstOf, true));
    $connection.setLast(lambda($last, lastOf, true));
    failAlone($connection, lambda([$first, $last] as const, refuse, true));
    // The engine finds a bad cursor while it selects the rows, so they get a statement of their own.
    if (!isMissing($before) || !isMissing($after)) rowsOf($connection).setInliningForbidden();
    $connection.setBefore($before);
    $connection.setAfter($after);
    return $connection;
  };
}

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

export type Given = number | null | undefined;

export function isGiven<Argument>(argument: Argument): argument is NonNullable<Argument> {
  return argument !== null && argument !== undefined;
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

function outOfRange(field: string, value: Given, max: number): ValidationError | null {
  if (!isGiven(value) || (value >= 0 && value <= max)) return null;
  const advice = field === "offset" ? " Further on, page through the connection." : "";
  const message = `${field} is a number from 0 to ${max}.${advice}`;
  return { path: [field], field, code: "OUT_OF_RANGE", message, params: { min: 0, max } };
}
