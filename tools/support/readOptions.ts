import { parseArgs } from "node:util";

export interface Usage<Name extends string> {
  /** The npm script. */
  script: string;
  /** One sentence on the purpose of the tool. */
  purpose: string;
  /** Options that take a positive integer, with their defaults. */
  numbers?: Record<Name, number>;
  /** The positional arguments, as the usage line names them. Without this, there are none. */
  positionals?: string;
  /** The positional arguments that there are, where not every one is good. */
  known?: readonly string[];
}

/**
 * Reads the command line. `--help` prints the usage and ends the process; an invalid argument ends it with status 2.
 */
export function readOptions<Name extends string = never>({
  script,
  purpose,
  numbers = {} as Record<Name, number>,
  positionals,
  known,
}: Usage<Name>): Record<Name, number> & { positionals: string[] } {
  const names = Object.keys(numbers) as Name[];
  const given = [...names.map((name) => `[--${name} ${numbers[name]}]`), ...(positionals ? [positionals] : [])];
  const usage = `Usage: npm run ${script}${given.length > 0 ? ` -- ${given.join(" ")}` : ""}\n${purpose}`;
  try {
    const parsed = parseArgs({
      options: {
        help: { type: "boolean" },
        ...Object.fromEntries(names.map((name) => [name, { type: "string" }])),
      },
      allowPositionals: positionals !== undefined,
    });
    if (parsed.values.help) {
      console.log(usage);
      process.exit(0);
    }
    const values = parsed.values as Record<string, unknown>;
    const read = Object.fromEntries(
      names.map((name) => [name, name in values ? positiveInteger(name, String(values[name])) : numbers[name]]),
    );
    const unknown = parsed.positionals.filter((one) => known?.includes(one) === false);
    if (unknown.length > 0) throw new Error(`Unknown: ${unknown.join(", ")}.`);
    return { ...(read as Record<Name, number>), positionals: parsed.positionals };
  } catch (error) {
    console.error(`${(error as Error).message}\n${usage}`);
    process.exit(2);
  }
}

function positiveInteger(name: string, given: string): number {
  if (!/^[1-9]\d{0,8}$/.test(given)) throw new Error(`--${name} must be a positive integer, not ${given}.`);
  return Number(given);
}
