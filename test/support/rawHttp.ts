import { connect } from "node:net";

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * Sends bytes that may be invalid HTTP, and reads the response until the server closes the connection. The status is 0
 * without a response.
 *
 * @param parts are sent one after the other
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
      // The server may close the connection while the client still sends.
      if (!["ECONNRESET", "EPIPE"].includes(error.code ?? "")) reject(error);
    });
    socket.on("close", () => resolve(parse(Buffer.concat(received).toString())));
  });
}

/** A complete request as one string. `Connection: close` marks the end of the response. */
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
  // The interim response to `Expect: 100-continue`.
  const text = received.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, "");
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const [first = "", ...lines] = head.split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  return { status: Number(first.split(" ")[1] ?? 0), headers, body: rest.join("\r\n\r\n") };
}
