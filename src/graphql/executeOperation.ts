import { hasCode, outcomeUnknown, unavailable } from "@content-service/errors/ApiError.ts";
import type { ErrorContext, FormatError } from "@content-service/errors/formatError.ts";
import { limitError } from "@content-service/errors/limitError.ts";
import { judged } from "@content-service/errors/requestFault.ts";
import { reruns } from "@content-service/errors/reruns.ts";
import { wellFormedText } from "@content-service/support/storable.ts";
import {
  type FormattedExecutionResult,
  type GraphQLError,
  type GraphQLFormattedError,
  Kind,
  OperationTypeNode,
} from "graphql";
import { ByteBudget, ResultNotRead, type WithCallerClient } from "pg-caller-pool";
import { execute } from "postgraphile/grafast";
import type { Change } from "postgraphile-change-feed";
import {
  type CompiledStatement,
  failedOperation,
  mayHaveNull,
  NotCompiled,
  nullErrors,
  parseExactly,
  rootFields,
} from "postgraphile-compiled-preset/compiled";
import { becomeViewer, type RequestAccess, type RequestCaller } from "../database/requestAccess.ts";
import { roles } from "../database/roles.ts";
import type { SignToken } from "../identity/signToken.ts";
import type { Held } from "../memory/ByteLedger.ts";
import { heapPerByteRead, heapPerByteSent, leastResultHeap } from "../memory/heap.ts";
import { chargeTime } from "./EventLoopShares.ts";
import { failedByOutdatedSchema, mayBeOutdated, OutdatedSchema } from "./OutdatedSchema.ts";
import { PreparedOperation } from "./request/PreparedOperation.ts";
import { type OperationResult, resultSize, textResult } from "./results.ts";
import { isConclusive, runStatements } from "./runStatements.ts";
import type { ServedSchema } from "./schema/buildSchema.ts";

/** An operation that is valid and within the limits, and its caller. A subscription is executed for one event. */
export interface OperationRequest {
  prepared: PreparedOperation;
  variables: Record<string, unknown>;
  /** The variables as the operation declares them. */
  coerced: Record<string, unknown>;
  /** `compiled`: its statements, and the engine what has none. */
  executor: "compiled" | "engine";
  caller: RequestCaller;
  /** What the result takes, of which some may be reserved already. The caller releases it. */
  held: Held;
  /** The event of a subscription. */
  event?: Change;
}

export interface ExecutorDependencies {
  /** Undefined where another service signs tokens. */
  signToken: SignToken | undefined;
  formatError: FormatError;
  /** Counts what compiled statements do not answer. */
  engineFallbacks: EngineFallbacks;
  /** Makes the service follow the database. @returns whether a newer schema than this one is served now */
  catchUp(served: ServedSchema): Promise<boolean>;
}

/** An operation on its way, and what runs it. */
interface OperationRun extends OperationRequest {
  served: ServedSchema;
  parts: ExecutorDependencies;
  charge(busyMs: number): void;
  /** Charges the heap that the result takes. @throws RATE_LIMITED or SERVICE_UNAVAILABLE when there is no room for it */
  takeRoom(bytes: number): void;
  /** Why there was no room. */
  refusal?: unknown;
}

/** The heap that any result takes, at most. */
export function largestResultHeap({ limits }: ServedSchema): number {
  return limits.responseBytes * heapPerByteRead;
}

/** A mutation cannot run again when its result is larger than the last one, so there is room for a little more. */
function expectedHeap({ resultHeap, type }: PreparedOperation): number {
  return type === OperationTypeNode.MUTATION ? (resultHeap ?? 0) + leastResultHeap : (resultHeap ?? leastResultHeap);
}

/** There is no room for the result of an event yet. The next run reserves enough for any. */
export class NoRoom extends Error {}

/** How many bytes of rows node-postgres reads in a millisecond of the event loop, roughly. */
const bytesReadPerMs = 100_000;

/**
 * Runs an operation: as SQL that answers in JSON, if it can be compiled; else in the engine. A query runs on a replica if one can
 * answer it, and else on the primary: it may run twice, because it changes nothing.
 *
 * The memory is reserved before, as much as the operation's last result took. A query whose result grows beyond the room that there is
 * runs again when there is room for any result. So does an event, whose subscription waits for that.
 *
 * @throws OutdatedSchema when it has to be run again, with the schema that is served now; NoRoom; RATE_LIMITED or SERVICE_UNAVAILABLE
 * when there is no room for any result
 */
export async function executeOperation(
  served: ServedSchema,
  execution: OperationRequest,
  parts: ExecutorDependencies,
  charge: (busyMs: number) => void = () => {},
): Promise<OperationResult> {
  const { prepared, held, caller } = execution;
  const largest = largestResultHeap(served);
  for (let wanted = Math.min(expectedHeap(prepared), largest); ; wanted = largest) {
    const waiting = held.reserve(wanted - held.bytes, caller.signal, true);
    if (waiting) await waiting;
    let taken = 0;
    const takeRoom = (bytes: number) => {
      taken = Math.max(taken, bytes);
      try {
        held.atLeast(bytes);
      } catch (error) {
        run.refusal = error;
        throw error;
      }
    };
    const run: OperationRun = { ...execution, served, parts, charge, takeRoom };
    try {
      const ran = (await runOnReplica(run)) ?? (await runOn(served.databaseAccess, run, () => true));
      if (!run.refusal) return "errors" in ran ? { result: await withErrors(ran, run) } : ran;
    } catch (error) {
      if (!run.refusal) throw error;
    } finally {
      prepared.resultHeap = run.refusal ? largest : taken;
    }
    if (prepared.type === OperationTypeNode.MUTATION) throw outcomeUnknown();
    if (wanted === largest) throw run.refusal;
    if (execution.event) throw new NoRoom();
    held.release();
  }
}

/** @returns undefined unless a replica has answered as the primary would */
async function runOnReplica(run: OperationRun): Promise<OperationResult | RawResult | undefined> {
  const { prepared, caller, event, served } = run;
  const { onReplica } = served.databaseAccess;
  if (!onReplica || prepared.type !== OperationTypeNode.QUERY || event !== undefined) return undefined;
  const failsAnywhere = (error: unknown) => !reruns.standby.isFor(error);
  return onReplica(caller, async (access) => {
    const result = await runOn(access, run, failsAnywhere);
    const isValid = !("errors" in result) || result.errors.every(({ originalError }) => failsAnywhere(originalError));
    return isValid ? result : undefined;
  });
}

/**
 * @param mayFallBack receives the error of the compiled statements, and says whether the engine may execute the operation
 */
async function runOn(
  access: RequestAccess,
  run: OperationRun,
  mayFallBack: (error: unknown) => boolean,
): Promise<OperationResult | RawResult> {
  const { prepared, coerced, executor, event, served, parts, charge } = run;
  const { compiled } = served;
  if (prepared.signsIn) return runSigningIn(access, run);
  if (executor === "engine" || !compiled) return runInEngine(access, run);
  const statements = chargeTime(charge, () => compiled.find(prepared.document, prepared.operation, coerced));
  if (!statements) {
    parts.engineFallbacks.not_compiled++;
    return runInEngine(access, run);
  }
  const budget = budgetOf(run);
  let reason: unknown;
  try {
    return resultWith(await runStatements(access, statements, coerced, callerOf(run, budget)), statements, run);
  } catch (error) {
    if (run.refusal) throw error;
    const failure = finalErrorsOf(error, run);
    if (failure) return failure;
    // The engine may find nothing wrong, or an error that says less.
    const isOutdated = event === undefined && mayBeOutdated(error instanceof ResultNotRead ? error.cause : error);
    if (isOutdated && (await parts.catchUp(served))) throw new OutdatedSchema();
    reason = error;
  } finally {
    charge(budget.taken / bytesReadPerMs);
  }
  if (!mayFallBack(reason)) throw reason;
  parts.engineFallbacks[reason instanceof NotCompiled ? "value" : "error"]++;
  return runInEngine(access, run);
}

/** The result of compiled statements. */
function resultWith(
  data: string,
  statements: readonly CompiledStatement[],
  { prepared: { schema, document, operation }, coerced }: OperationRequest,
): OperationResult | RawResult {
  if (!mayHaveNull(data, statements)) return textResult(data);
  const parsed = parseExactly(data) as Record<string, unknown>;
  const errors = nullErrors(schema, document, operation, coerced, parsed);
  return errors.length > 0 ? { data: parsed, errors } : textResult(data);
}

function budgetOf({ served: { limits }, takeRoom }: OperationRun): ByteBudget {
  return new ByteBudget(limits.responseBytes, (taken) => takeRoom(taken * heapPerByteRead));
}

function callerOf({ caller, prepared }: OperationRequest, budget: ByteBudget): RequestCaller {
  return { ...caller, budget, writes: prepared.type === OperationTypeNode.MUTATION, subjects: [prepared.rootNames] };
}

/** The data of a result, and its errors as the engine gives them. */
interface RawResult {
  data: FormattedExecutionResult["data"];
  errors: readonly GraphQLError[];
}

/** The result if the engine must not run the operation again: each root field has the error. Undefined if it must. */
function finalErrorsOf(
  error: unknown,
  { prepared: { schema, document, operation }, coerced }: OperationRequest,
): RawResult | undefined {
  const cause = error instanceof ResultNotRead ? error.cause : error;
  const failed = failedOperation(schema, document, operation, coerced, cause as Error);
  return isConclusive(error, operation.operation, failed.errors.length) ? failed : undefined;
}

/**
 * Formats the errors of an operation.
 *
 * @throws OutdatedSchema when a newer schema is served now, and nothing of the operation was executed
 */
async function withErrors(
  { data, errors }: RawResult,
  { prepared: { schema, operation }, coerced, caller, event, served, parts: { formatError, catchUp } }: OperationRun,
): Promise<FormattedExecutionResult> {
  // A subscription keeps the schema that it was opened with.
  if (event === undefined && failedByOutdatedSchema(operation, errors, data) && (await catchUp(served))) {
    throw new OutdatedSchema();
  }
  const context: ErrorContext = {
    operation: operation.name?.value,
    role: caller.viewerId ? roles.member : roles.anonymous,
    viewerId: caller.viewerId || undefined,
  };
  const formatted = errors.map((error) => {
    const written = formatError(judged(error, schema, coerced), context);
    return operation.operation === OperationTypeNode.MUTATION ? markOutcomeUnknown(written, data) : written;
  });
  return { errors: formatted, data: data ?? null };
}

/** A mutation that was done, and whose result could not be read, must not look as if nothing was done. */
function markOutcomeUnknown(error: GraphQLFormattedError, data: RawResult["data"]): GraphQLFormattedError {
  const { path = [] } = error;
  const isOfResponse = path.length > 1 && (hasCode(error, "SERVICE_UNAVAILABLE") || hasCode(error, "OUTCOME_UNKNOWN"));
  if (!isOfResponse) return error;
  const { message, extensions } =
    data?.[String(path[0])] == null ? outcomeUnknown() : unavailable("The database cannot answer at the moment.");
  return { ...error, message, extensions };
}

/**
 * Runs a mutation of which some root field signs somebody in. Each root field is run alone, in turn, because each may be
 * another user's.
 */
async function runSigningIn(access: RequestAccess, run: OperationRun): Promise<OperationResult | RawResult> {
  const { prepared, coerced } = run;
  // The engine finds the plan of an operation that it has seen.
  if (prepared.rootFields.length === 1) return runAsSignedIn(access, run);
  const { schema, document, operation } = prepared;
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  const data: Record<string, unknown> = {};
  const errors: GraphQLError[] = [];
  for (const [, nodes] of rootFields(schema, document, operation, coerced)) {
    const selectionSet = { kind: Kind.SELECTION_SET, selections: nodes } as const;
    const alone = { ...operation, selectionSet };
    const part = new PreparedOperation(schema, { ...document, definitions: [alone, ...fragments] }, alone);
    const result = part.signsIn
      ? await runAsSignedIn(access, { ...run, prepared: part })
      : await runInEngine(access, { ...run, prepared: part });
    if ("result" in result && result.result.errors) return result;
    const { data: given, errors: found = [] } = "errors" in result ? result : { data: result.result.data };
    Object.assign(data, given);
    errors.push(...found);
  }
  return errors.length > 0 ? { data, errors } : { result: { data } };
}

/** The transaction is rolled back, and this is the result. */
class Undone extends Error {
  readonly ran: OperationResult | RawResult;

  constructor(ran: OperationResult | RawResult) {
    super("The result cannot be read");
    this.ran = ran;
  }
}

/**
 * Runs a mutation in one transaction. Its first statement is the function, which signs somebody in. The others read the result as that user.
 * If the result cannot be read, nobody is signed in.
 */
async function runAsSignedIn(access: RequestAccess, run: OperationRun): Promise<OperationResult | RawResult> {
  const { schema, document, operation } = run.prepared;
  const budget = budgetOf(run);
  try {
    return await access.as(callerOf(run, budget))(null, async (client) => {
      let failure: unknown;
      let becoming: Promise<unknown> | undefined;
      let isCalled = false;
      const withSameClient: WithCallerClient = async (_settings, work) => {
        if (isCalled) becoming ??= client.query(becomeViewer);
        isCalled = true;
        await becoming;
        try {
          return await work(client);
        } catch (error) {
          failure ??= error;
          throw error;
        }
      };
      const ran = await executeInEngine(withSameClient, budget, run);
      if (failure) throw failure;
      if (!isRead(ran)) throw new Undone(ran);
      return ran;
    });
  } catch (error) {
    if (error instanceof Undone) return error.ran;
    if (run.refusal) throw error;
    return failedOperation(schema, document, operation, run.coerced, error as Error);
  }
}

/** A refused call, such as one with a wrong password, is read: it has no result. */
function isRead(ran: OperationResult | RawResult): boolean {
  if (!("errors" in ran)) return !ran.result?.errors;
  return ran.errors.every(({ path = [] }) => path.length < 2 || ran.data?.[String(path[0])] != null);
}

/** Runs an operation in the engine, which plans it or finds its plan. */
function runInEngine(access: RequestAccess, run: OperationRun): Promise<OperationResult | RawResult> {
  const budget = budgetOf(run);
  return executeInEngine(access.as(callerOf(run, budget)), budget, run);
}

async function executeInEngine(
  withPgClient: WithCallerClient,
  budget: ByteBudget,
  run: OperationRun,
): Promise<OperationResult | RawResult> {
  const { prepared, variables, event, charge } = run;
  const { schema, resolvedPreset, limits } = run.served;
  const { signToken, formatError } = run.parts;
  const { responseBytes } = limits;
  const { document, operation } = prepared;
  const started = chargeTime(charge, () =>
    execute({
      schema,
      document,
      resolvedPreset,
      contextValue: { withPgClient, pgSettings: null, signToken, event },
      variableValues: wellFormedText(variables) as Record<string, unknown>,
      operationName: operation.name?.value,
    }),
  );
  const result = await started;
  const { data, errors } = (isAsyncIterable(result) ? await firstOf(result) : result) as {
    data: FormattedExecutionResult["data"];
    errors?: GraphQLError[];
  };
  charge(budget.taken / bytesReadPerMs);
  const size = resultSize(data, responseBytes);
  if (size > responseBytes) {
    const error = limitError("responseBytes", responseBytes, size, true);
    if (operation.operation === OperationTypeNode.MUTATION && !prepared.signsIn)
      error.message += " The mutations were executed.";
    return { result: { errors: [formatError(error)], data: null } };
  }
  run.takeRoom(size * heapPerByteSent);
  return errors && errors.length > 0 ? { data, errors } : { result: { data: data ?? null } };
}

function isAsyncIterable(result: object): result is AsyncIterable<object> {
  return Symbol.asyncIterator in result;
}

async function firstOf(results: AsyncIterable<object>): Promise<object> {
  for await (const result of results) return result;
  throw new Error("A subscription's event has no result");
}

/** Why the engine has executed an operation, and no compiled statement has answered it. */
export type LeftReason =
  /** The operation has no compiled statement. */
  | "not_compiled"
  /** The statement cannot have a value of this request, such as a bad cursor. */
  | "value"
  /** PostgreSQL has refused the statement, so both have run. */
  | "error";

export type EngineFallbacks = Record<LeftReason, number>;

export function noneLeft(): EngineFallbacks {
  return { not_compiled: 0, value: 0, error: 0 };
}
