import { parseArgs } from "node:util";

/**
 * Reads `--name 5` for each of the names from the command line. Ends the process, with what would be right, for anything
 * else.
 *
 * @param command as one types it: `npm run fuzz --`
 * @param defaults what holds where nothing is given
 */
export function numberOptions<Name extends string>(
  command: string,
  defaults: Record<Name, number>,
): Record<Name, number> {
  const names = Object.keys(defaults) as Name[];
  const usage = `${command} ${names.map((name) => `[--${name} ${defaults[name]}]`).join(" ")}`;
  try {
    const options = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
    const { values } = parseArgs({ options: { ...options, help: { type: "boolean" } } }) as {
      values: Record<string, unknown>;
    };
    if (values["help"]) {
      console.log(usage);
      process.exit(0);
    }
    return Object.fromEntries(
      names.map((name) => [
        name,
        values[name] === undefined ? defaults[name] : wholeNumber(name, String(values[name])),
      ]),
    ) as Record<Name, number>;
  } catch (error) {
    console.error(`${(error as Error).message}\n${usage}`);
    process.exit(2);
  }
}

function wholeNumber(name: string, given: string): number {
  if (!/^[1-9]\d{0,8}$/.test(given)) throw new Error(`--${name} is a whole number from 1, not ${given}.`);
  return Number(given);
}
