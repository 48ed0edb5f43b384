/** Refused: the change must not be committed as it is. Dangerous: the author decides. Safe: for information. */
export type Level = "refused" | "dangerous" | "safe";

export interface Finding {
  level: Level;
  /** The name that `--allow` takes, for example `Post.subtitle`. */
  name: string;
  /** One sentence. */
  message: string;
  /** A file and line. */
  location?: string | undefined;
  reason?: string | undefined;
  /** The next step for the author. */
  advice?: string | undefined;
}
