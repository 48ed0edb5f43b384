/**
 * What a reviewer says of a change. Refused: not as it stands. Dangerous: think of this, then go on. Safe: what it does,
 * said once.
 */
export type Level = "refused" | "dangerous" | "safe";

export interface Finding {
  level: Level;
  /** By which `--allow` waves it through: `Post.subtitle`. */
  name: string;
  /** One sentence. */
  what: string;
  /** A file and line, or a thing in the database. */
  where?: string | undefined;
  why?: string | undefined;
  todo?: string | undefined;
}
