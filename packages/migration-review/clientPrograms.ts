import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { changeConnection } from "@content-service/support/connectionString.ts";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { parse } from "pg-connection-string";

/** The programs of PostgreSQL that work on any server. The embedded PostgreSQL has none of them. */
type Program = "psql" | "pg_dump" | "pg_restore";

/**
 * Checks that this machine has a program.
 *
 * @param oldest the oldest major version that fits
 * @throws OperatorError that says what to install, followed by `instead`
 */
export function requireProgram(program: Program, environment: NodeJS.ProcessEnv, oldest = 0, instead = ""): void {
  const { stdout } = spawnSync(program, ["--version"], { encoding: "utf8", env: environment });
  const version = Number(/\(PostgreSQL\) (\d+)/.exec(stdout ?? "")?.[1] ?? Number.NaN);
  if (version >= oldest) return;
  const problem = Number.isNaN(version)
    ? `This machine has no ${program}.`
    : `${program} is of version ${version}, and the server of version ${oldest}: it must not be older.`;
  const packages = oldest > 0 ? `postgresql-client-${oldest}` : "postgresql-client";
  throw new OperatorError(
    `${problem} Install PostgreSQL's client programs (Debian and Ubuntu: apt install ${packages}, from ` +
      `https://apt.postgresql.org for newer versions; macOS: brew install libpq), and see that ${program} is in the PATH.${instead}`,
  );
}

/**
 * Runs a program on a database, with this process's input and output. The password is given in the environment, because
 * all users of a machine see the arguments of a process.
 *
 * @returns the exit status
 */
export async function runProgram(
  program: Program,
  environment: NodeJS.ProcessEnv,
  url: string,
  args: string[],
): Promise<number> {
  const { password } = parse(url);
  const database = withoutPassword(url);
  const child = spawn(program, [`--dbname=${database}`, ...args], {
    stdio: "inherit",
    env: { ...environment, ...(password ? { PGPASSWORD: password } : null) },
  });
  // Ctrl-C is for the program: psql cancels a statement with it and goes on.
  const ignore = () => {};
  process.on("SIGINT", ignore);
  try {
    const [status] = await once(child, "exit");
    return status ?? 1;
  } finally {
    process.off("SIGINT", ignore);
  }
}

function withoutPassword(url: string): string {
  return forLibpq(changeConnection(url, { password: "" }));
}

/** The connection string without node-postgres's own parameter, which libpq would refuse. */
export function forLibpq(url: string): string {
  return url.replace(/(?<=[?&])uselibpqcompat=[^&]*&?/, "");
}

/** psql's arguments for a file that runs whole or not at all, without a word. */
export function scriptArguments(file: string): string[] {
  return [
    "--no-psqlrc",
    "--quiet",
    "--single-transaction",
    "--set=ON_ERROR_STOP=1",
    "--output=/dev/null",
    `--file=${file}`,
  ];
}
