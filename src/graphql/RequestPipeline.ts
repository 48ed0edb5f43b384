import { randomUUID } from "node:crypto";
import type { Caller } from "@content-service/caller-pool/caller.ts";
import { latest, type Position } from "@content-service/caller-pool/Position.ts";
import type { Streams } from "@content-service/change-feed/Streams.ts";
import { ApiError, hasCode, unavailable } from "@content-service/errors/ApiError.ts";
import type { FormatError } from "@content-service/errors/formatError.ts";
import { storableVariables } from "@content-service/support/storable.ts";
import {
  type DocumentNode,
  type FormattedExecutionResult,
  GraphQLError,
  type OperationDefinitionNode,
  OperationTypeNode,
} from "graphql";
import type { SignToken } from "../identity/signToken.ts";
import { TokenError } from "../identity/TokenError.ts";
import { OperationNames } from "../observe/OperationNames.ts";
import type { SlowOperations } from "../observe/SlowOperations.ts";
import type { Tracing } from "../observe/tracing.ts";
import type { RateLimits, Standing } from "../rateLimits/RateLimits.ts";
import type { ReadCounts } from "../reads/ReadCounts.ts";
import { CallerTurns } from "./CallerTurns.ts";
import { countedReads } from "./countedReads.ts";
import { type EventQuery, eventQuery, subscriptionArguments } from "./eventQuery.ts";
import { executeOperation } from "./executeOperation.ts";
import { failedEntirely } from "./failedEntirely.ts";
import { introspect, isIntrospection } from "./introspect.ts";
import { OutdatedSchema } from "./OutdatedSchema.ts";
import type { OwnWrites } from "./OwnWrites.ts";
import { type Cost, checkDocument } from "./request/checkDocument.ts";
import { coerceVariables } from "./request/coerceVariables.ts";
import { guardedCalls } from "./request/guardedCalls.ts";
import { isWithoutToken } from "./request/isWithoutToken.ts";
import { refuseNullVariables } from "./request/nullVariables.ts";
import type { ResolvePersisted } from "./request/persistedOperations.ts";
import { type GraphQLRequest, MalformedRequest, readPayload, readRequest } from "./request/readRequest.ts";
import { selectOperation } from "./request/selectOperation.ts";
import { openSubscription, type Subscription } from "./Subscription.ts";
import type { ServedSchema } from "./schema/buildSchema.ts";

/** The sender of a request, as its transport knows it. */
export interface Client {
  /**
   * The user's id, or undefined for an anonymous client. Must not use the database.
   *
   * @throws TokenError for a bad token, which is treated as anonymous only where no field needs an identity
   */
  authenticate(): Promise<string | undefined>;
  /** The IP address; empty where unknown. */
  address: string;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
  /** Whether the transport can carry a subscription's events. */
  canSubscribe: boolean;
  /** Whether the request must have no effects, as a GET: caches and browsers repeat it. */
  isReadOnly?: boolean;
  /** The position of the last write that the client knows of. */
  readAfter?: Position | undefined;
}

/** The end of a request: what the client receives, and what the transport and the log need to know about it. */
export interface Outcome {
  /** For a subscription that is open: without `data`, since its events follow. */
  result: FormattedExecutionResult;
  /** The result as JSON text, where it is known already. `result.data` may have to be parsed from it. */
  json?: string;
  /** Whether nothing was executed. */
  isRequestError: boolean;
  /** Set when the client has sent something other than a GraphQL request. */
  malformed?: MalformedRequest;
  subscription?: Subscription;
  /** Undefined for an invalid document: clients choose names, so invalid ones must not become metrics. */
  operation?: OperationDefinitionNode;
  userId?: string | undefined;
  /** Where the client stands with its rate limit, if there is one. */
  standing?: Standing;
  /** The position of what a mutation has written. Set only where replicas answer queries. */
  readAfter?: Position;
}

export interface PipelineParts {
  served: ServedSchema;
  rateLimits: RateLimits;
  resolvePersisted: ResolvePersisted;
  /** Undefined where another service signs tokens. */
  signToken: SignToken | undefined;
  streams: Streams;
  /** Undefined where reads are not counted. */
  reads: ReadCounts | undefined;
  tracing: Tracing;
  slowOperations: SlowOperations;
  /** Undefined where no replicas answer queries. */
  ownWrites: OwnWrites | undefined;
  formatError: FormatError;
  /** Makes the service follow the database. @returns whether a newer schema than this one is served now */
  catchUp(served: ServedSchema): Promise<boolean>;
}

/** Statements carry the names of so many operations. Clients choose names, and each name makes PostgreSQL prepare anew. */
const operationsInStatements = 100;
const longestNameInStatements = 63;

/** A request whose document is valid and within the limits. */
interface Prepared {
  request: GraphQLRequest;
  document: DocumentNode;
  operation: OperationDefinitionNode;
  /** The variables as the operation declares them. */
  coerced: Record<string, unknown>;
  cost: Cost;
}

/** What is known of a request's sender before the request is read. */
interface Sender {
  /** Requests with the same key count as one caller. */
  share: string;
  /** Why the token is bad, until it is known that the operation needs none. */
  tokenFault: TokenError | undefined;
}

/** A client whose request is being worked on. */
interface Turn extends Client {
  sender: Sender;
  /** Counts the time that the request keeps the event loop busy. */
  use(busyMs: number): void;
}

/** Runs `act` and counts its synchronous part: of an operation, that is the planning. */
function timed<Result>(use: Turn["use"], act: () => Result): Result {
  const startedAt = performance.now();
  try {
    return act();
  } finally {
    use(performance.now() - startedAt);
  }
}

/** Whether a wait ended because the client disconnected. By name: the error may come from another realm, as under Jest. */
function isAbort(error: unknown): boolean {
  return (error as { name?: unknown } | null)?.name === "AbortError";
}

/** Whether the client has sent a hash, and is asked for the operation's text. */
function asksForText(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return hasCode(error, "PERSISTED_QUERY_NOT_FOUND") || hasCode(error, "PERSISTED_QUERY_NOT_SUPPORTED");
}

/** All faults of a document. None of it is executed. */
class DocumentErrors extends Error {
  readonly errors: readonly GraphQLError[];

  constructor(errors: readonly GraphQLError[]) {
    super("The document is invalid");
    this.errors = errors;
  }
}

/**
 * The steps of a request, for every transport: authenticate, count, resolve the persisted operation, read, limit, run,
 * format. Transports translate payloads and outcomes, and do nothing else.
 */
export class RequestPipeline {
  readonly #parts: PipelineParts;
  #served: ServedSchema;
  readonly #turns = new CallerTurns();
  readonly #operationNames = new OperationNames(operationsInStatements, () => {});
  /** Documents are cached by their text, so an operation is the same object each time it is requested. */
  readonly #eventQueries = new WeakMap<OperationDefinitionNode, EventQuery>();

  constructor(parts: PipelineParts) {
    this.#parts = parts;
    this.#served = parts.served;
  }

  /** The schema that new requests use. */
  get served(): ServedSchema {
    return this.#served;
  }

  /** Replaces the schema. Requests in flight finish with the one they began with. */
  serve(served: ServedSchema): void {
    this.#served = served;
  }

  /**
   * Handles one request. Never throws.
   *
   * @param receive reads the payload; called once the client is known and within its rate limit. It may return a function that parses
   *   the payload: called in the caller's turn, which it counts against
   */
  async handle(receive: () => unknown, client: Client): Promise<Outcome> {
    const outcome: Outcome = { result: { data: null }, isRequestError: true };
    try {
      const sender = await this.#identify(client, outcome);
      await this.#receive(receive, client, sender, outcome).catch((error) => {
        throw sender.tokenFault && !asksForText(error) ? sender.tokenFault : error;
      });
    } catch (error) {
      this.#refuse(isAbort(error) ? unavailable("The client has disconnected.") : error, outcome);
    }
    return outcome;
  }

  async #receive(receive: () => unknown, client: Client, sender: Sender, outcome: Outcome): Promise<void> {
    const received = await receive();
    const turn = { signal: client.signal, isLimited: outcome.standing !== undefined };
    await this.#turns.take(sender.share, turn, (use) => {
      const { request, isPersisted } = timed(use, () => this.#read(received));
      // From here on, an error is the document's: a request error has no `data`.
      outcome.result = {};
      return this.#work(request, isPersisted, { ...client, sender, use }, outcome);
    });
  }

  #read(received: unknown): { request: GraphQLRequest; isPersisted: boolean } {
    const unresolved = readPayload(typeof received === "function" ? received() : received);
    const { payload, isPersisted } = this.#parts.resolvePersisted(unresolved);
    return { request: readRequest(payload), isPersisted };
  }

  async #work(request: GraphQLRequest, isPersisted: boolean, turn: Turn, outcome: Outcome): Promise<void> {
    const served = this.#served;
    const prepared = timed(turn.use, () => this.#prepare(served, request, isPersisted, turn.sender, outcome));
    if (turn.isReadOnly && prepared.operation.operation === OperationTypeNode.MUTATION) {
      throw new MalformedRequest("A mutation is sent as a POST.", 405);
    }
    const guarded = guardedCalls(served.schema, prepared.document, prepared.operation);
    await this.#parts.rateLimits.countGuarded(guarded, turn.address);
    await this.#runOrRepeat(served, prepared, isPersisted, turn, outcome);
  }

  /** Repeats an operation with the next schema when nothing of it was executed, because the database has changed. */
  async #runOrRepeat(
    served: ServedSchema,
    prepared: Prepared,
    isPersisted: boolean,
    turn: Turn,
    outcome: Outcome,
  ): Promise<void> {
    try {
      return await this.#run(served, prepared, turn, outcome);
    } catch (error) {
      if (!(error instanceof OutdatedSchema)) throw error;
    }
    const next = this.#served;
    const again = timed(turn.use, () => this.#prepare(next, prepared.request, isPersisted, turn.sender, outcome));
    return this.#runOrRepeat(next, again, isPersisted, turn, outcome);
  }

  /**
   * Counts the request against its user, or against its IP address when it has no valid token.
   *
   * A bad token is not refused yet: the operation may need none.
   */
  async #identify(client: Client, outcome: Outcome): Promise<Sender> {
    const identity = await client.authenticate().then(
      (userId) => ({ userId, fault: undefined }),
      (fault: unknown) => ({ userId: undefined, fault }),
    );
    outcome.userId = identity.userId;
    const { caller, standing, refusal } = await this.#parts.rateLimits.countRequest(identity.userId, client.address);
    if (standing) outcome.standing = standing;
    if (refusal) throw refusal;
    const { fault } = identity;
    if (fault === undefined || fault instanceof TokenError) return { share: caller, tokenFault: fault };
    throw fault;
  }

  #prepare(
    { schema, documents, limits }: ServedSchema,
    request: GraphQLRequest,
    isPersisted: boolean,
    sender: Sender,
    outcome: Outcome,
  ): Prepared {
    const document = documents.parse(request.query);
    const operation = selectOperation(document, request.operationName);
    if (sender.tokenFault) {
      if (!isWithoutToken(schema, document, operation)) throw sender.tokenFault;
      sender.tokenFault = undefined;
    }
    const unlimited = { selections: Number.POSITIVE_INFINITY, mutations: Number.POSITIVE_INFINITY };
    const applied = isPersisted ? { ...limits, ...unlimited } : limits;
    // Linear in the document's length, so before validation, which is not.
    const { cost, errors } = checkDocument(schema, document, operation, request.variables, applied);
    const faults = errors.length > 0 ? errors : documents.validate(request.query, document);
    if (faults.length > 0) throw new DocumentErrors(faults);
    outcome.operation = operation;
    const coerced = coerceVariables(schema, operation, request.variables, limits);
    refuseNullVariables(schema, document, operation, coerced, limits);
    return { request, document, operation, coerced, cost };
  }

  async #run(served: ServedSchema, prepared: Prepared, turn: Turn, outcome: Outcome): Promise<void> {
    const { request, document, operation, cost } = prepared;
    const caller = {
      viewerId: outcome.userId ?? "",
      requestId: randomUUID(),
      address: turn.address,
      share: turn.sender.share,
      signal: turn.signal,
      operation: this.#nameInStatements(operation),
      statements: this.#parts.slowOperations.watch(),
      ...this.#followWrites(operation, turn, outcome),
    };
    if (operation.operation === OperationTypeNode.SUBSCRIPTION) {
      if (!turn.canSubscribe) {
        throw new ApiError(
          "GRAPHQL_VALIDATION_FAILED",
          "A subscription needs WebSocket, or the header Accept: text/event-stream.",
        );
      }
      outcome.subscription = await this.#subscribe(served, prepared, caller);
      outcome.isRequestError = false;
      return;
    }
    if (isIntrospection(document, operation)) {
      const answer = timed(turn.use, () => introspect(served.schema, document, operation, request.variables));
      Object.assign(outcome, answer);
    } else {
      const execution = { document, operation, variables: request.variables, coerced: prepared.coerced, caller };
      const startedAt = performance.now();
      const executed = await this.#trace(operation, () =>
        timed(turn.use, () => executeOperation(served, execution, this.#parts, turn.use)),
      );
      Object.assign(outcome, executed);
      this.#noteSlow(served, operation, caller, performance.now() - startedAt);
      if (isUnknownUser(outcome.result)) {
        if (!isWithoutToken(served.schema, document, operation)) throw new TokenError("TOKEN_INVALID");
        // The database refused the user before anything ran. Without a user, it refuses nobody.
        outcome.userId = undefined;
        return this.#run(served, prepared, turn, outcome);
      }
    }
    outcome.isRequestError = false;
    this.#countReads(served, prepared, outcome);
    // Clients ask with {"extensions": {"cost": true}} how close they are to the limits.
    if (request.extensions["cost"] === true) {
      outcome.result = { ...outcome.result, extensions: { cost } };
      if (outcome.json !== undefined) outcome.json = withExtensions(outcome.json, { cost });
    }
    // Serialised here, since it counts: a large answer keeps the event loop busy for long.
    if (!turn.canSubscribe) outcome.json ??= timed(turn.use, () => JSON.stringify(outcome.result));
  }

  /** Where replicas answer queries: what the caller has written, and who notes what it writes now. */
  #followWrites(
    { operation }: OperationDefinitionNode,
    { readAfter }: Turn,
    outcome: Outcome,
  ): Pick<Caller, "after" | "wrote"> {
    const { ownWrites } = this.#parts;
    if (!ownWrites) return {};
    if (operation !== OperationTypeNode.MUTATION) return { after: latest(readAfter, ownWrites.of(outcome.userId)) };
    return {
      wrote: (position) => {
        outcome.readAfter = latest(outcome.readAfter, position) as Position;
        ownWrites.note(outcome.userId, position);
      },
    };
  }

  /** Not awaited: the client gets its answer meanwhile. */
  #noteSlow({ databaseAccess }: ServedSchema, operation: OperationDefinitionNode, caller: Caller, ms: number): void {
    const { statements = [] } = caller;
    // The explanation counts as the caller's own use of the database.
    const withPgClient = databaseAccess.as({
      ...caller,
      signal: undefined,
      operation: undefined,
      statements: undefined,
    });
    void this.#parts.slowOperations.note({ operation, ms, statements, withPgClient });
  }

  /** @returns `other` for a name that is rare or long; undefined without a name */
  #nameInStatements({ name }: OperationDefinitionNode): string | undefined {
    if (!name || name.value.length > longestNameInStatements) return name && "other";
    return this.#operationNames.count(name.value) ? name.value : "other";
  }

  #countReads({ schema }: ServedSchema, { document, operation, coerced }: Prepared, { result }: Outcome): void {
    this.#parts.reads?.add(() => countedReads(schema, document, operation, coerced, result));
  }

  #trace<Result>({ operation, name }: OperationDefinitionNode, work: () => Promise<Result>): Promise<Result> {
    const attributes = { "graphql.operation.type": operation, "graphql.operation.name": name?.value };
    return this.#parts.tracing.step(operation, attributes, work);
  }

  async #subscribe(served: ServedSchema, prepared: Prepared, caller: Caller): Promise<Subscription> {
    const { request, document, operation, coerced } = prepared;
    const query = this.#eventQuery(served, document, operation);
    const variables = storableVariables(coerced) as Record<string, unknown>;
    const execute = async (eventRowId: string) => {
      const execution = {
        document: query.document,
        operation: query.operation,
        variables: request.variables,
        eventRowId,
        // Other subscribers may share the answer, so it does not depend on this client's connection.
        caller: { ...caller, requestId: randomUUID(), signal: undefined, statements: undefined },
      };
      return (await executeOperation(served, execution, this.#parts)).result;
    };
    try {
      const given = subscriptionArguments(served.schema, query, variables);
      return await openSubscription(this.#parts.streams, query, given, request.variables, caller, execute);
    } catch (error) {
      throw new GraphQLError("", { path: [query.responseName], originalError: error as Error });
    }
  }

  #eventQuery({ schema }: ServedSchema, document: DocumentNode, operation: OperationDefinitionNode): EventQuery {
    const known = this.#eventQueries.get(operation);
    if (known) return known;
    const made = eventQuery(schema, document, operation);
    this.#eventQueries.set(operation, made);
    return made;
  }

  #refuse(error: unknown, outcome: Outcome): void {
    const errors = error instanceof DocumentErrors ? error.errors : [error];
    outcome.isRequestError = true;
    // A bad token may be found late. It is answered alike in any case.
    if (error instanceof TokenError) outcome.result = { data: null };
    const context = { operation: outcome.operation?.name?.value, role: undefined, viewerId: outcome.userId };
    outcome.result = { errors: errors.map((one) => this.#parts.formatError(one, context)), ...outcome.result };
    if (error instanceof MalformedRequest) {
      outcome.malformed = error;
      delete outcome.result.data;
    }
  }
}

/**
 * Whether all of the operation failed because the token's user was deleted or banned, which only the database knows. Such
 * a token is refused like any other invalid one: once, for the whole request.
 */
function isUnknownUser(result: FormattedExecutionResult): boolean {
  return failedEntirely(result, ({ extensions }) => extensions?.["reason"] === "TOKEN_INVALID");
}

/** Adds extensions to the text of a result. */
function withExtensions(json: string, extensions: Record<string, unknown>): string {
  return `${json.slice(0, -1)},"extensions":${JSON.stringify(extensions)}}`;
}
