/** With these, the server notices a vanished client, too. Behind a pooler, the server's client is the pooler. */
export const keepAlives = { tcp_keepalives_idle: "10", tcp_keepalives_interval: "5", tcp_keepalives_count: "3" };

/** Settings of a session, as the start-up parameter `options`. */
export function startupOptions(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(/[\\\s]/g, "\\$&")}`)
    .join(" ");
}
