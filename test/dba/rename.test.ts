import { expect, test } from "@jest/globals";
import { useProject } from "../support/project.ts";

const project = useProject();

test("the review calls the rename of a published column safe when its comment has the former name", async () => {
  const rename = (tags: string) => `
    alter table app_public.users rename column bio to about;
    comment on column app_public.users.about is E'${tags}The user’s description of themselves.';`;
  await project.write("migrations/current/990-rename.sql", rename("@formerly bio\\n"));
  const kept = await project.db("check");
  expect(kept.output).toContain("safe       User.bio: String is now deprecated: Use about.");
  expect(kept.output).toContain("safe       User.about: String is new.");
  expect(kept.output).not.toContain("Refused:");
  expect(kept.status).toBe(0);

  await project.write("migrations/current/990-rename.sql", rename(""));
  expect((await project.db("check")).output).toMatch(/Refused: .*User\.bio/);
});
