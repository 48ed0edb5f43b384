import type { IncomingHttpHeaders } from "node:http";

type Attributes = Record<string, string | number | undefined>;

/** OpenTelemetry traces of requests. */
export interface Tracing {
  /** An HTTP request, as part of the trace in its `traceparent` header. */
  request<T>(headers: IncomingHttpHeaders, work: () => Promise<T>): Promise<T>;
  /** An operation on a WebSocket: a trace of its own. */
  socketOperation<T>(work: () => Promise<T>): Promise<T>;
  /** A step of the current request. */
  step<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T>;
  /** Sends the remaining traces. */
  stop(): Promise<void>;
}

/** Without a collector. */
export const noTracing: Tracing = {
  request: (_headers, work) => work(),
  socketOperation: (work) => work(),
  step: (_name, _attributes, work) => work(),
  stop: async () => {},
};

/**
 * Sends traces to `OTEL_EXPORTER_OTLP_ENDPOINT` over OTLP/HTTP, configured by OpenTelemetry's environment variables. When
 * it is unset, OpenTelemetry is not loaded. Traces contain no variables, and no text of operations or statements.
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
