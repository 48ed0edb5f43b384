import { Queue } from "./Queue.ts";

export interface EventStream {
  response: Response;
  /** The events and comments, as they arrive: `next {"data":…}`, `complete`, `:`. */
  events: Queue<string>;
  /** Resolves when the stream has ended: true after a clean end, false when the connection broke. */
  ended: Promise<boolean>;
  /** Disconnects. */
  close(): void;
}

/** Sends a request that accepts an event stream, and reads its answer. */
export async function readEvents(url: string, { headers, ...options }: RequestInit = {}): Promise<EventStream> {
  const controller = new AbortController();
  const response = await fetch(url, {
    ...options,
    headers: { accept: "text/event-stream", ...headers },
    signal: controller.signal,
  });
  const events = new Queue<string>();
  const read = async () => {
    let rest = "";
    for await (const text of (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
      const blocks = `${rest}${text}`.split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks)
        events.add(
          block
            .replace(/^event: /, "")
            .replace(/\ndata: ?/, " ")
            .trim(),
        );
    }
    return rest === "";
  };
  return { response, events, ended: read().catch(() => false), close: () => controller.abort() };
}
