import { connect } from "node:net";

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * Sends bytes as they are, which no HTTP client would, and answers with what came back until the connection ended; a
 * status of 0 when that was nothing.
 *
 * @param parts are sent one after the other; what is left open is for the server to end
 */
export function sendRaw(url: string, ...parts: (string | Buffer)[]): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const received: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => {
      for (const part of parts) socket.write(part);
    });
    socket.on("data", (chunk) => received.push(chunk));
    socket.on("error", (error: NodeJS.ErrnoException) => {
      // The server may hang up on what is still being sent to it.
      if (!["ECONNRESET", "EPIPE"].includes(error.code ?? "")) reject(error);
    });
    socket.on("close", () => resolve(parse(Buffer.concat(received).toString())));
  });
}

/** A whole request in one string; `Connection: close`, so that its end can be seen. */
export function rawPost(body: string | Buffer, headers: string[] = []): string {
  return [
    "POST /graphql HTTP/1.1",
    "Host: localhost",
    "Connection: close",
    ...(headers.some((header) => /^content-type:/i.test(header)) ? [] : ["Content-Type: application/json"]),
    ...(headers.some((header) => /^(content-length|transfer-encoding):/i.test(header))
      ? []
      : [`Content-Length: ${Buffer.byteLength(body)}`]),
    ...headers,
    "",
    body,
  ].join("\r\n");
}

function parse(received: string): RawAnswer {
  // What comes first where the client has asked whether to go on.
  const text = received.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, "");
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const [first = "", ...lines] = head.split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  return { status: Number(first.split(" ")[1] ?? 0), headers, body: rest.join("\r\n\r\n") };
}
