/** Bounds of WebSockets (DECISIONS.md, "Limits"). The largest that still passes. */
export interface SocketLimits {
  /** Bytes of one message. */
  messageBytes: number;
  /** Operations that run on one socket at once. */
  operations: number;
  /** How long a client may take to say connection_init, in ms. */
  initWithinMs: number;
  /** How often a client is asked whether it is still there, in ms. */
  pingEveryMs: number;
  /** Bytes that may wait for a client that does not read. */
  waitingBytes: number;
  /** Sockets open at once, in all and from one address. */
  sockets: number;
  socketsPerAddress: number;
}

export const defaultSocketLimits: SocketLimits = {
  messageBytes: 65_536,
  operations: 20,
  initWithinMs: 3_000,
  pingEveryMs: 12_000,
  waitingBytes: 1_048_576,
  sockets: 10_000,
  socketsPerAddress: 5_000,
};
