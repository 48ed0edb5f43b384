import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Queue } from "./Queue.ts";

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export interface FrameShape {
  opcode?: number;
  isLast?: boolean;
  /** The three reserved bits, as a number from 0 to 7. */
  reserved?: number;
  isMasked?: boolean;
  /** A false length to announce. */
  announced?: bigint;
}

/** The bytes of one WebSocket frame (RFC 6455, 5.2), valid or not. */
export function frame(payload: string | Uint8Array, shape: FrameShape = {}): Buffer {
  const { opcode = opcodes.text, isLast = true, reserved = 0, isMasked = true } = shape;
  const bytes = Buffer.from(payload as string);
  const length = shape.announced ?? BigInt(bytes.length);
  const head = [(isLast ? 128 : 0) | (reserved << 4) | opcode];
  const maskBit = isMasked ? 128 : 0;
  if (length < 126n) head.push(maskBit | Number(length));
  else if (length < 65_536n) head.push(maskBit | 126, Number(length >> 8n), Number(length & 255n));
  else head.push(maskBit | 127, ...Array.from({ length: 8 }, (_, i) => Number((length >> BigInt(56 - 8 * i)) & 255n)));
  const mask = isMasked ? randomBytes(4) : Buffer.alloc(0);
  return Buffer.concat([Buffer.from(head), mask, isMasked ? bytes.map((byte, i) => byte ^ (mask[i % 4] ?? 0)) : bytes]);
}

export interface Handshake {
  path?: string;
  protocol?: string | undefined;
  headers?: Record<string, string>;
  /** By default it does, as every client. The service ends a connection whose pings are not answered. */
  answersPings?: boolean;
}

/** A WebSocket client that writes its own frames, so that it can send invalid ones. */
export class RawSocket {
  readonly socket: Socket;
  /** The parsed JSON of each text frame from the service. */
  readonly messages = new Queue<any>();
  /** The HTTP status of the handshake; 0 without a response. */
  readonly status: Promise<number>;
  /** The close code; 1006 when the connection ended without a close frame. */
  readonly closed: Promise<number>;
  /** The reason in the close frame. */
  reason = "";
  #received: Buffer = Buffer.alloc(0);
  #isOpen = false;
  readonly #answersPings: boolean;
  readonly #setStatus: (status: number) => void;
  readonly #setClosed: (code: number) => void;

  /** Opens a socket to the endpoint at `url`, and waits for the response to its handshake. */
  static async open(url: string, handshake: Handshake = {}): Promise<RawSocket> {
    const raw = new RawSocket(url, handshake);
    await raw.status;
    return raw;
  }

  private constructor(url: string, { path = "/graphql", protocol, headers = {}, answersPings = true }: Handshake) {
    this.#answersPings = answersPings;
    const { hostname, port, host } = new URL(url);
    const status = Promise.withResolvers<number>();
    const closed = Promise.withResolvers<number>();
    [this.status, this.#setStatus] = [status.promise, status.resolve];
    [this.closed, this.#setClosed] = [closed.promise, closed.resolve];
    this.socket = connect({ port: Number(port), host: hostname, noDelay: true });
    this.socket.on("data", (bytes) => this.#receive(bytes));
    this.socket.on("error", () => {});
    this.socket.on("close", () => {
      this.#setStatus(0);
      this.#setClosed(1006);
    });
    const lines = {
      Host: host,
      Connection: "Upgrade",
      Upgrade: "websocket",
      "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": randomBytes(16).toString("base64"),
      ...(protocol === undefined ? null : { "Sec-WebSocket-Protocol": protocol }),
      ...headers,
    };
    const text = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
    this.socket.write(`GET ${path} HTTP/1.1\r\n${text.join("")}\r\n`);
  }

  write(bytes: Uint8Array): void {
    this.socket.write(bytes);
  }

  /** Sends messages of the sub-protocol in one write. */
  say(...messages: unknown[]): void {
    this.write(Buffer.concat(messages.map((message) => frame(JSON.stringify(message)))));
  }

  /** Sends bytes, and waits while the service does not read them. */
  async pour(bytes: Uint8Array): Promise<void> {
    if (!this.socket.destroyed && !this.socket.write(bytes)) {
      await Promise.race([once(this.socket, "drain"), this.closed]).catch(() => {});
    }
  }

  destroy(): void {
    this.socket.destroy();
  }

  #receive(bytes: Buffer): void {
    this.#received = Buffer.concat([this.#received, bytes]);
    if (!this.#isOpen) {
      const end = this.#received.indexOf("\r\n\r\n");
      if (end < 0) return;
      this.#isOpen = true;
      this.#setStatus(Number(this.#received.toString("latin1", 9, 12)));
      this.#received = this.#received.subarray(end + 4);
    }
    for (let length = this.#takeFrame(); length > 0; length = this.#takeFrame()) {
      this.#received = this.#received.subarray(length);
    }
  }

  /** Reads one complete frame, if there is one. @returns its length, or 0 */
  #takeFrame(): number {
    const received = this.#received;
    if (received.length < 2) return 0;
    const short = received.readUInt8(1) & 127;
    const start = short === 126 ? 4 : short === 127 ? 10 : 2;
    if (received.length < start) return 0;
    const length =
      short === 126 ? received.readUInt16BE(2) : short === 127 ? Number(received.readBigUInt64BE(2)) : short;
    if (received.length < start + length) return 0;
    const payload = received.subarray(start, start + length);
    const opcode = received.readUInt8(0) & 15;
    if (opcode === opcodes.text) this.messages.add(JSON.parse(payload.toString()));
    if (opcode === opcodes.ping && this.#answersPings) this.write(frame(payload, { opcode: opcodes.pong }));
    if (opcode === opcodes.close) {
      this.reason = payload.subarray(2).toString();
      this.#setClosed(length >= 2 ? payload.readUInt16BE(0) : 1005);
      this.socket.end();
    }
    return start + length;
  }
}
