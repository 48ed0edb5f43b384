import { startMachinePostgres } from "../../tools/support/machinePostgres.ts";
import { serverPrograms } from "./machine.ts";

/** For tests that need the machine's PostgreSQL. Skipped where Debian's or Ubuntu's package `postgresql` is not installed. */
export function describeWithMachineServer(name: string, define: () => void): void {
  (serverPrograms ? describe : describe.skip)(name, define);
}

export interface MachineServer {
  /** Connection string of the superuser, to the database `postgres`. */
  url: string;
  /** The directory of the programs. */
  bin: string;
}

/** Starts a throw-away server of the machine's own PostgreSQL for the tests of the surrounding block. */
export function useMachineServer(settings: Record<string, string> = {}): MachineServer {
  const machine = { bin: serverPrograms } as MachineServer;
  let stop: (() => Promise<void>) | undefined;

  beforeAll(async () => {
    if (!serverPrograms) return;
    const fast = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", autovacuum: "off" };
    const server = await startMachinePostgres(serverPrograms, { ...fast, ...settings });
    stop = server.stop;
    machine.url = server.url;
  });
  afterAll(() => stop?.());
  return machine;
}
