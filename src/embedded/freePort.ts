import { createServer } from "node:net";

/** The port wished for if it is free, so that a connection string goes on working; else any other. */
export function freePort(wish: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error) => (wish === 0 ? reject(error) : resolve(freePort(0))));
    probe.listen(wish, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
