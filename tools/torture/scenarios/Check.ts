/** The result of a scenario without a crowd: how often each thing that must not happen has happened. */
export interface Check {
  title: string;
  note: string;
  faults: Record<string, number>;
  isGood: boolean;
}

export function check(title: string, note: string, faults: Record<string, number>): Check {
  return { title, note, faults, isGood: Object.values(faults).every((count) => count === 0) };
}
