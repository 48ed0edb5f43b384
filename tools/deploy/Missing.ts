/** The machine lacks something that a trial needs. */
export class Missing extends Error {
  constructor(remedies: readonly string[]) {
    super(`This needs:\n${remedies.map((remedy) => `- ${remedy}`).join("\n")}`);
  }
}
