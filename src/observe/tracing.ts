import type { IncomingHttpHeaders } from "node:http";

type Attributes = Record<string, string | number | undefined>;

/** Where the time of a request went, for whoever collects OpenTelemetry traces. */
export interface Tracing {
  /** A request that came over HTTP, as part of the trace that its `traceparent` header names. */
  request<T>(headers: IncomingHttpHeaders, work: () => Promise<T>): Promise<T>;
  /** An operation that came over a WebSocket: a trace of its own. */
  socketOperation<T>(work: () => Promise<T>): Promise<T>;
  /** A step of the request that is under way. */
  step<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T>;
  /** Sends what has not been sent yet. */
  stop(): Promise<void>;
}

/** Nobody collects. */
export const noTracing: Tracing = {
  request: (_headers, work) => work(),
  socketOperation: (work) => work(),
  step: (_name, _attributes, work) => work(),
  stop: async () => {},
};

/**
 * Traces to `OTEL_EXPORTER_OTLP_ENDPOINT` over OTLP/HTTP, by OpenTelemetry's own environment variables. Where it is not
 * set, nothing of OpenTelemetry is even loaded. Neither variables nor the text of operations and statements are told.
 */
export async function startTracing(environment: NodeJS.ProcessEnv): Promise<Tracing> {
  if (!environment.OTEL_EXPORTER_OTLP_ENDPOINT) return noTracing;
  const [api, sdk, exporter, resources] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/sdk-trace-node"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
  ]);
  const provider = new sdk.NodeTracerProvider({
    resource: resources.resourceFromAttributes({
      "service.name": environment.OTEL_SERVICE_NAME ?? "content-service",
    }),
    spanProcessors: [new sdk.BatchSpanProcessor(new exporter.OTLPTraceExporter())],
  });
  provider.register();
  const tracer = provider.getTracer("content-service");

  function span<T>(
    name: string,
    kind: number,
    attributes: Attributes,
    work: () => Promise<T>,
    parent = api.context.active(),
  ) {
    return tracer.startActiveSpan(name, { kind, attributes }, parent, async (active) => {
      try {
        return await work();
      } catch (error) {
        active.setStatus({ code: api.SpanStatusCode.ERROR });
        throw error;
      } finally {
        active.end();
      }
    });
  }

  return {
    request: (headers, work) =>
      span(
        "POST /graphql",
        api.SpanKind.SERVER,
        { "http.request.method": "POST", "http.route": "/graphql" },
        work,
        api.propagation.extract(api.ROOT_CONTEXT, headers),
      ),
    socketOperation: (work) =>
      span(
        "WebSocket /graphql",
        api.SpanKind.SERVER,
        { "network.protocol.name": "websocket", "http.route": "/graphql" },
        work,
        api.ROOT_CONTEXT,
      ),
    step: (name, attributes, work) => span(name, api.SpanKind.INTERNAL, attributes, work),
    stop: () => provider.shutdown(),
  };
}
