import { useProject } from "../support/project.ts";

const project = useProject();

test("the review calls the rename of a published column safe when its comment has the former name", async () => {
  const rename = (tags: string) => `
    alter table app_public.chats rename column created_at to opened_at;
    comment on column app_public.chats.opened_at is E'${tags}The time when the chat was created.';`;
  await project.write("migrations/current/990-rename.sql", rename("@formerly created_at\\n"));
  const kept = await project.db("check");
  expect(kept.output).toContain("safe       Chat.createdAt: Timestamp! is now deprecated: Use openedAt.");
  expect(kept.output).toContain("safe       Chat.openedAt: Timestamp! is new.");
  expect(kept.output).not.toContain("Refused:");
  expect(kept.status).toBe(0);

  await project.write("migrations/current/990-rename.sql", rename(""));
  expect((await project.db("check")).output).toMatch(/Refused: .*Chat\.createdAt/);
});
