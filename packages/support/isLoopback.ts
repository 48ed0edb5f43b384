import { isIP } from "node:net";

/** Whether the host name of a URL is this machine's. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || (isIP(hostname) === 4 && hostname.startsWith("127."));
}
