/** What a pool reports, such as to pino: details, then a message. */
export interface Log {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

export const silent: Log = { info() {}, warn() {} };
