import type { Finding } from "./finding.ts";
import type { ServicePart } from "./readServiceParts.ts";

/**
 * Refuses changes that instances of the running version cannot live with: during a roll-out they go on serving after the
 * migration, and may start again.
 *
 * @param places where the running version's TypeScript names each part
 */
export function compareServiceParts(
  before: ServicePart[],
  after: ServicePart[],
  places: Map<string, string>,
): Finding[] {
  return before.flatMap((old) => {
    const now = after.find((one) => one.name === old.name && accepts(one, old));
    const added = after.filter(
      ({ name, signature }) => name === old.name && !before.some((one) => one.signature === signature),
    );
    const faults = now ? faultsOf(old, now, added) : [`is no longer there${replacement(added)}`];
    return faults.map(
      (fault): Finding => ({
        level: "refused",
        name: old.name,
        message: `${old.signature} ${fault}. The running version of the service uses it (${places.get(old.name)}).`,
        reason: "During a roll-out, its instances serve on the changed database, and may start again.",
        advice:
          "Add what is new beside it, and take the old away in a later release, when no instance needs it any more " +
          `(migrations/README.md, “Releases side by side”). If none runs: npm run db:check -- --allow ${old.name}`,
      }),
    );
  });
}

/** Whether calls of the old one are calls of the new one: further arguments have defaults. */
function accepts(now: ServicePart, old: ServicePart): boolean {
  if (!now.inputs || !old.inputs) return now.inputs === old.inputs;
  const required = ({ inputs, defaults }: ServicePart) => (inputs?.length ?? 0) - defaults;
  return old.inputs.every((type, index) => now.inputs?.[index] === type) && required(now) <= required(old);
}

function faultsOf(old: ServicePart, now: ServicePart, added: ServicePart[]): string[] {
  const columns = Object.entries(old.columns).flatMap(([column, type]) => {
    const other = now.columns[column];
    if (other === type) return [];
    const title = column === "result" ? "its result" : `its column ${column}`;
    return [
      other ? `has another type: ${title} is ${other}, and was ${type}` : `has lost a column: ${column}, ${type}`,
    ];
  });
  const rival = added.find((one) => one !== now && accepts(one, old));
  return [
    ...columns,
    ...(rival ? [`can no longer be told from ${rival.signature}: a call fits both`] : []),
    ...(old.isAllowed && !now.isAllowed ? ["can no longer be used by the service's login: a right is revoked"] : []),
  ];
}

function replacement([first]: ServicePart[]): string {
  return first ? `, only ${first.signature}` : "";
}
