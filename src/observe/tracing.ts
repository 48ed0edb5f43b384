import type { IncomingHttpHeaders } from "node:http";
import { type Context, context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";

/* OpenTelemetry traces of requests. They contain no variables, and no text of operations or statements. */

/**
 * Sends traces to `OTEL_EXPORTER_OTLP_ENDPOINT` over OTLP/HTTP, configured by OpenTelemetry's environment variables. When
 * it is unset, the spans below are OpenTelemetry's own that do nothing.
 *
 * @returns sends the remaining traces
 */
export async function startTracing(environment: NodeJS.ProcessEnv): Promise<() => Promise<void>> {
  if (!environment.OTEL_EXPORTER_OTLP_ENDPOINT) return async () => {};
  const [sdk, exporter, resources] = await Promise.all([
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
  return () => provider.shutdown();
}

/** An HTTP request, as part of the trace in its `traceparent` header. */
export function traceRequest<T>(headers: IncomingHttpHeaders, work: () => Promise<T>): Promise<T> {
  const attributes = { "http.request.method": "POST", "http.route": "/graphql" };
  return span("POST /graphql", SpanKind.SERVER, attributes, work, propagation.extract(ROOT_CONTEXT, headers));
}

/** An operation on a WebSocket: a trace of its own. */
export function traceSocketOperation<T>(work: () => Promise<T>): Promise<T> {
  const attributes = { "network.protocol.name": "websocket", "http.route": "/graphql" };
  return span("WebSocket /graphql", SpanKind.SERVER, attributes, work, ROOT_CONTEXT);
}

/** A step of the current request. */
export function traceStep<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  return span(name, SpanKind.INTERNAL, attributes, work, context.active());
}

type Attributes = Record<string, string | undefined>;

function span<T>(name: string, kind: SpanKind, attributes: Attributes, work: () => Promise<T>, parent: Context) {
  const tracer = trace.getTracer("content-service");
  return tracer.startActiveSpan(name, { kind, attributes }, parent, async (active) => {
    try {
      return await work();
    } catch (error) {
      active.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      active.end();
    }
  });
}
