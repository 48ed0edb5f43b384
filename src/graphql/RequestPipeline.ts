import { randomUUID } from "node:crypto";
import { ApiError, hasCode, isApiError, unavailable } from "@content-service/errors/ApiError.ts";
import type { FormatError } from "@content-service/errors/formatError.ts";
import { reruns } from "@content-service/errors/reruns.ts";
import { wellFormedText } from "@content-service/support/storable.ts";
import {
  execute,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
  type OperationDefinitionNode,
  OperationTypeNode,
} from "graphql";
import { latest, type WalPosition } from "pg-caller-pool";
import type { FeedReader } from "postgraphile-change-feed";
import type { RequestCaller } from "../database/requestAccess.ts";
import type { OpenCredential } from "../identity/OpenCredentials.ts";
import { TokenError } from "../identity/readToken.ts";
import type { SignToken } from "../identity/signToken.ts";
import type { VerifiedToken } from "../identity/verifyToken.ts";
import type { Account, ByteLedger, Held } from "../memory/ByteLedger.ts";
import { documentHeap } from "../memory/heap.ts";
import { OperationNames } from "../observe/OperationNames.ts";
import { traceStep } from "../observe/tracing.ts";
import type { Standing } from "../rateLimits/Limit.ts";
import type { RateLimits } from "../rateLimits/RateLimits.ts";
import type { ReadCounts } from "../reads/ReadCounts.ts";
import { countedReads } from "./countedReads.ts";
import { chargeTime, EventLoopShares } from "./EventLoopShares.ts";
import { EventPages } from "./EventPages.ts";
import { eventQuery, subscriptionArguments } from "./eventQuery.ts";
import type { EngineFallbacks } from "./executeOperation.ts";
import { executeOperation } from "./executeOperation.ts";
import { OpenSubscription } from "./OpenSubscription.ts";
import { OutdatedSchema } from "./OutdatedSchema.ts";
import type { OwnWrites } from "./OwnWrites.ts";
import { checkDocument } from "./request/checkDocument.ts";
import { coerceVariables } from "./request/coerceVariables.ts";
import type { PreparedOperation } from "./request/PreparedOperation.ts";
import type { ResolvePersisted } from "./request/persistedOperations.ts";
import { type GraphQLRequest, MalformedRequest, readPayload, readRequest } from "./request/readRequest.ts";
import type { Cost } from "./request/weigh.ts";
import { bytesOf, failedEntirely, type OperationResult } from "./results.ts";
import { SharedResults } from "./SharedResults.ts";
import type { ServedSchema } from "./schema/buildSchema.ts";
import { TaggedOperation } from "./TaggedOperation.ts";

/** The sender of a request, as its transport knows it. */
export interface Client {
  /**
   * Undefined for an anonymous client.
   *
   * @throws TokenError for a bad token, which is treated as anonymous only where no field needs an identity
   */
  authenticate(): Promise<VerifiedToken | undefined>;
  /** The client's token while its connection is open. Undefined for an anonymous client, and where the transport cannot carry events. */
  openCredential?(): OpenCredential | undefined;
  /** The IP address; empty where unknown. */
  address: string;
  account: Account;
  /** What the request takes. */
  held: Held;
  /** The result: what it takes, and at the end the bytes of the response, until the transport has written them. */
  heldResult: Held;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
  /** Aborted when the client gives up a subscription that is not open yet. Queries go on: a client could start any number of them. */
  stopped?: AbortSignal;
  /** Whether the transport can carry a subscription's events. */
  canSubscribe: boolean;
  /** Whether the request must have no effects, as a GET: caches and browsers repeat it. */
  isReadOnly?: boolean;
  /** Whether caches may keep a response without errors. */
  isCached?: boolean;
  /** The position of the last write that the client knows of. */
  readAfter?: WalPosition | undefined;
}

/** The end of a request: what the transport and the log need to know about it. The client has the response itself, as `heldResult`. */
export interface Outcome {
  /** Those of the response. */
  errors?: readonly GraphQLFormattedError[] | undefined;
  /** Whether nothing was executed. */
  isRequestError: boolean;
  /** Whether the database was unavailable for every part of the operation: nothing of it was executed, or it says so. */
  isUnavailable?: boolean;
  /** Set when the client has sent something other than a GraphQL request. */
  malformed?: MalformedRequest;
  /** Its events are the response. */
  subscription?: OpenSubscription;
  /** Undefined for an invalid document: clients choose names, so invalid ones must not become metrics. */
  operation?: OperationDefinitionNode;
  userId?: string | undefined;
  /** Where the client stands with its rate limit, if there is one. */
  standing?: Standing;
  /** The position of what a mutation has written. Set only where replicas answer queries. */
  readAfter?: WalPosition;
  /** The tags of the rows and lists that the response depends on, where caches may keep one without errors. */
  cacheTags?: string[];
}

export interface PipelineParts {
  served: ServedSchema;
  rateLimits: RateLimits;
  resolvePersisted: ResolvePersisted;
  /** Undefined where another service signs tokens. */
  signToken: SignToken | undefined;
  streams: FeedReader;
  ledger: ByteLedger;
  /** Undefined where reads are not counted. */
  reads: ReadCounts | undefined;
  /** Undefined where no replicas answer queries. */
  ownWrites: OwnWrites | undefined;
  formatError: FormatError;
  engineFallbacks: EngineFallbacks;
  /** Makes the service follow the database. @returns whether a newer schema than this one is served now */
  catchUp(served: ServedSchema): Promise<boolean>;
}

/** Statements carry the names of so many operations. Clients choose names, and each name makes PostgreSQL prepare anew. */
const operationsInStatements = 100;
const longestNameInStatements = 63;

/** What persisted operations are exempt from. How much they read depends on their variables, which are the client's. */
const unlimited = {
  selections: Number.POSITIVE_INFINITY,
  mutations: Number.POSITIVE_INFINITY,
  depth: Number.POSITIVE_INFINITY,
};

/** The sender of a request, identified and counted. */
interface Principal {
  /** Undefined for an anonymous one. */
  userId: string | undefined;
  token: VerifiedToken | undefined;
  /** Requests with the same key count as one caller. */
  quotaKey: string;
  standing?: Standing | undefined;
  /** Why the token is bad. Only an operation that needs none goes on. */
  tokenError?: TokenError | undefined;
  /** Why no request of it is served now. */
  refusal?: unknown;
}

/** A request in its caller's turn. */
interface RequestInTurn {
  client: Client;
  principal: Principal;
  request: GraphQLRequest;
  /** Whether the operator has listed the operation. */
  isPersisted: boolean;
  /** Counts the time that the request keeps the event loop busy. */
  charge(busyMs: number): void;
}

/** A valid operation within the limits. */
interface ValidOperation {
  served: ServedSchema;
  prepared: PreparedOperation;
  cost: Cost;
  /** The variables as the operation declares them. */
  coerced: Record<string, unknown>;
}

/** The result of `act`. What it throws gives way to `error`, if there is one. */
function preferError<Result>(error: Error | undefined, act: () => Result): Result {
  try {
    return act();
  } catch (own) {
    throw error ?? own;
  }
}

/** Whether a wait ended because the client disconnected. By name: the error may come from another realm, as under Jest. */
function isAbort(error: unknown): boolean {
  return (error as { name?: unknown } | null)?.name === "AbortError";
}

/** Whether the client has sent a hash, and is asked for the operation's text. */
function asksForText(error: unknown): boolean {
  if (!isApiError(error)) return false;
  return hasCode(error, "PERSISTED_QUERY_NOT_FOUND") || hasCode(error, "PERSISTED_QUERY_NOT_SUPPORTED");
}

/** All errors of a document. None of it is executed. */
class DocumentErrors extends Error {
  readonly errors: readonly GraphQLError[];

  constructor(errors: readonly GraphQLError[]) {
    super("The document is invalid");
    this.errors = errors;
  }
}

/**
 * The steps of a request, for every transport: authenticate, count, resolve the persisted operation, prepare, coerce, run,
 * format. Transports translate payloads and outcomes, and do nothing else.
 */
export class RequestPipeline {
  /** Without the first schema, which would stay in memory after it has been replaced. */
  readonly #parts: Omit<PipelineParts, "served"> & { turns: EventLoopShares; shared: SharedResults; pages: EventPages };
  #served: ServedSchema;
  readonly #operationNames = new OperationNames(operationsInStatements, () => {});

  constructor({ served, ...parts }: PipelineParts) {
    this.#parts = {
      ...parts,
      turns: new EventLoopShares(),
      shared: new SharedResults(parts.ledger),
      pages: new EventPages(),
    };
    this.#served = served;
  }

  /** The schema that new requests use. */
  get served(): ServedSchema {
    return this.#served;
  }

  /** Requests and events that wait behind others of their caller. */
  get waiting(): number {
    return this.#parts.turns.waiting;
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
    const principal = await this.#identify(client);
    try {
      if (principal.refusal) throw principal.refusal;
      const received = await receive();
      const turn = { signal: client.signal, isLimited: principal.standing !== undefined };
      return await this.#parts.turns.take(principal.quotaKey, turn, (charge) => {
        const read = chargeTime(charge, () => this.#read(received));
        return this.#respond({ ...read, client, principal, charge });
      });
    } catch (error) {
      const { tokenError } = principal;
      return this.#refused(tokenError && !asksForText(error) ? tokenError : error, client, principal);
    }
  }

  /**
   * Counts the request against its user, or against its IP address when it has no valid token.
   *
   * A bad token is not refused yet: the operation may need none.
   */
  async #identify(client: Client): Promise<Principal> {
    const { token, error } = await client.authenticate().then(
      (token) => ({ token, error: undefined }),
      (error: unknown) => ({ token: undefined, error }),
    );
    const userId = token?.userId;
    const counted = await this.#parts.rateLimits.countRequest(userId, client.address);
    if (error instanceof TokenError) return { userId, token, tokenError: error, ...counted };
    return { userId, token, ...counted, refusal: counted.refusal ?? error };
  }

  #read(received: unknown): { request: GraphQLRequest; isPersisted: boolean } {
    const unresolved = readPayload(typeof received === "function" ? received() : received);
    const { payload, isPersisted } = this.#parts.resolvePersisted(unresolved);
    return { request: readRequest(payload), isPersisted };
  }

  /** Never throws. */
  async #respond(work: RequestInTurn): Promise<Outcome> {
    let prepared: PreparedOperation | undefined;
    try {
      for (let isCounted = false; ; isCounted = true) {
        const served = this.#served;
        const valid = chargeTime(work.charge, () => this.#prepare(served, work));
        prepared = valid.prepared;
        if (work.client.isReadOnly && prepared.type === OperationTypeNode.MUTATION) {
          throw new MalformedRequest("A mutation is sent as a POST.", 405, { headers: { Allow: "POST" } });
        }
        const coerced = chargeTime(work.charge, () => coerceVariables(valid.prepared, work.request.variables));
        if (!isCounted) await this.#parts.rateLimits.countGuarded(prepared.guardedCalls, work.client.address);
        // If the database has changed, nothing was executed, and the schema that is served now may know the change.
        const outcome = await this.#run({ ...valid, served, coerced }, work).catch((error) => {
          if (!(error instanceof OutdatedSchema)) throw error;
        });
        if (outcome) return outcome;
      }
    } catch (error) {
      return this.#refused(error, work.client, work.principal, prepared);
    }
  }

  #prepare(
    { documents, limits }: ServedSchema,
    { client: { held }, principal: { tokenError }, request, isPersisted }: RequestInTurn,
  ): Pick<ValidOperation, "prepared" | "cost"> {
    if (!documents.has(request.query)) held.add(documentHeap(request.query));
    const prepared = preferError(tokenError, () =>
      documents.prepare(request.query, request.operationName, isPersisted),
    );
    if (tokenError && !prepared.isWithoutToken) throw tokenError;
    const applied = isPersisted ? { ...limits, ...unlimited } : limits;
    // Linear in the document's length, so before validation, which is not.
    const { cost, errors } = checkDocument(prepared, request.variables, applied);
    const invalid = errors.length > 0 ? errors : documents.validate(request.query, prepared);
    if (invalid.length > 0) throw new DocumentErrors(invalid);
    return { prepared, cost };
  }

  async #run(admitted: ValidOperation, work: RequestInTurn): Promise<Outcome> {
    const { prepared, coerced, cost } = admitted;
    const { client, principal, request, charge } = work;
    const { operation } = prepared;
    if (prepared.type === OperationTypeNode.SUBSCRIPTION) {
      const subscription = await this.#subscribe(admitted, work);
      return { isRequestError: false, subscription, operation, ...callerFields(principal) };
    }
    const { result, text, ...known }: Partial<Outcome> & OperationResult = prepared.isIntrospection
      ? {
          ...chargeTime(charge, () => ({ result: introspect(prepared, request.variables) })),
          ...(client.isCached && { cacheTags: [] }),
        }
      : await (client.isCached && !prepared.isNotStored
          ? this.#executeTagged(admitted, work)
          : this.#execute(admitted, work, principal.token));
    const executed = { result, text };
    this.#parts.reads?.add(() => countedReads(prepared, coerced, executed));
    // Clients ask with {"extensions": {"cost": true}} how close they are to the limits.
    const extensions = request.extensions["cost"] === true ? { cost } : undefined;
    // It counts: a large response keeps the event loop busy for long.
    client.heldResult.keep(chargeTime(charge, () => bytesOf(executed, extensions)));
    const { errors } = result;
    const isUnavailable = failedEntirely(result, isOfUnavailable);
    return { isRequestError: false, isUnavailable, errors, operation, ...callerFields(principal), ...known };
  }

  /** Executes a query of an anonymous client, and finds out what its result depends on. */
  async #executeTagged(
    admitted: ValidOperation,
    work: RequestInTurn,
  ): Promise<OperationResult & Pick<Outcome, "cacheTags">> {
    const tagged = chargeTime(work.charge, () => TaggedOperation.of(admitted.prepared));
    const { result } = await this.#execute({ ...admitted, prepared: tagged.prepared }, work, undefined);
    const cacheTags = chargeTime(work.charge, () => tagged.takeTags(result.data));
    return { result: { ...result }, cacheTags };
  }

  async #execute(
    admitted: ValidOperation,
    work: RequestInTurn,
    token: VerifiedToken | undefined,
  ): Promise<OperationResult & Pick<Outcome, "userId" | "readAfter">> {
    const { served, prepared, coerced } = admitted;
    const { client, request, charge } = work;
    const { ownWrites } = this.#parts;
    const userId = token?.userId;
    let readAfter: WalPosition | undefined;
    const caller = this.#callerOf(prepared, work, token);
    // Where replicas answer queries: what the caller has written, and who notes what it writes now.
    if (ownWrites && prepared.type !== OperationTypeNode.MUTATION) {
      caller.after = latest(client.readAfter, ownWrites.of(userId));
    } else if (ownWrites) {
      caller.wrote = (position) => {
        readAfter = latest(readAfter, position) as WalPosition;
        ownWrites.note(userId, position);
      };
    }
    const { variables } = request;
    const held = client.heldResult;
    const execution = { prepared, variables, coerced, executor: "compiled" as const, caller, held };
    const { operation, name } = prepared.operation;
    const attributes = { "graphql.operation.type": operation, "graphql.operation.name": name?.value };
    const executed = await traceStep(operation, attributes, () =>
      executeOperation(served, execution, this.#parts, charge),
    );
    if (isUnknownUser(executed.result)) {
      if (!prepared.isWithoutToken) throw new TokenError("TOKEN_INVALID");
      // The database refused the user before anything ran. Without a user, it refuses nobody.
      return this.#execute(admitted, work, undefined);
    }
    return { ...executed, userId, ...(readAfter && { readAfter }) };
  }

  #callerOf(
    { operation }: PreparedOperation,
    { client, principal }: RequestInTurn,
    token: VerifiedToken | undefined,
  ): RequestCaller {
    return {
      viewerId: token?.userId ?? "",
      credential: token,
      requestId: randomUUID(),
      address: client.address,
      quotaKey: principal.quotaKey,
      signal: client.signal,
      operation: this.#nameInStatements(operation),
    };
  }

  /** @returns `other` for a name that is rare or long; undefined without a name */
  #nameInStatements({ name }: OperationDefinitionNode): string | undefined {
    if (!name || name.value.length > longestNameInStatements) return name && "other";
    return this.#operationNames.count(name.value) ? name.value : "other";
  }

  async #subscribe({ served, prepared, coerced }: ValidOperation, work: RequestInTurn): Promise<OpenSubscription> {
    const { client, principal, request } = work;
    if (!client.canSubscribe) {
      throw new ApiError(
        "GRAPHQL_VALIDATION_FAILED",
        "A subscription needs WebSocket, or the header Accept: text/event-stream.",
      );
    }
    const query = eventQuery(prepared);
    const { variables } = request;
    const { viewerId, address, quotaKey, operation } = this.#callerOf(prepared, work, principal.token);
    const caller = { viewerId, address, quotaKey, operation };
    const { account } = client;
    const credential = client.openCredential?.();
    if (await credential?.hasEnded()) throw new TokenError("TOKEN_INVALID");
    try {
      const given = subscriptionArguments(query, wellFormedText(coerced) as Record<string, unknown>);
      const signal = client.stopped ? AbortSignal.any([client.signal, client.stopped]) : client.signal;
      return await OpenSubscription.open(
        this.#parts,
        { served, query, documentHeap: documentHeap(request.query), variables, coerced, caller, account, credential },
        given,
        signal,
      );
    } catch (error) {
      if (isAbort(error)) throw error;
      throw new GraphQLError("", { path: [query.responseName], originalError: error as Error });
    }
  }

  /** The response to a request of which nothing was executed, so it has no `data`. @param prepared if the document is valid */
  #refused(error: unknown, { heldResult }: Client, principal: Principal, prepared?: PreparedOperation): Outcome {
    const reason = isAbort(error) ? unavailable("The client has disconnected.") : error;
    const operation = prepared?.operation;
    const context = { operation: operation?.name?.value, role: undefined, viewerId: principal.userId };
    const errors = reason instanceof DocumentErrors ? reason.errors : [reason];
    const formatted = errors.map((one) => this.#parts.formatError(one, context));
    heldResult.keep(bytesOf({ result: { errors: formatted } }));
    return {
      isRequestError: true,
      errors: formatted,
      ...(operation && { operation }),
      ...callerFields(principal),
      ...(reason instanceof MalformedRequest && { malformed: reason }),
    };
  }
}

/** The part of an outcome that a principal determines. */
function callerFields({ userId, standing }: Principal): Pick<Outcome, "userId" | "standing"> {
  return { userId, ...(standing && { standing }) };
}

/**
 * Whether all of the operation failed because the token's user was deleted or banned, which only the database knows. Such
 * a token is refused like any other invalid one: once, for the whole request.
 */
function isUnknownUser(result: FormattedExecutionResult): boolean {
  return failedEntirely(result, reruns.unknownUser.isFor);
}

function isOfUnavailable(error: GraphQLFormattedError): boolean {
  return hasCode(error, "SERVICE_UNAVAILABLE") || hasCode(error, "OUTCOME_UNKNOWN");
}

/** Answers introspection by graphql-js, which needs no plan. */
function introspect(
  { schema, document, operation }: PreparedOperation,
  variableValues: Record<string, unknown>,
): FormattedExecutionResult {
  const operationName = operation.name?.value;
  return execute({ schema, document, operationName, variableValues }) as FormattedExecutionResult;
}
