import { useProject } from "../support/project.ts";
import { onServer } from "../support/template.ts";

/* Streams of the change feed that a change breaks: db:check refuses it, and db:status names them with their repair. */
const project = useProject({ isMigrated: true });
const part = "migrations/current/990-change.sql";

const change = `-- Something else.
comment on column app_public.messages.text is 'The text.';
alter function app_private.chat_reading(bigint, bigint) rename to chat_readers;
alter table app_public.comments
  rename column post_id to article_id;
alter table app_public.notifications disable trigger _900_stream_user_id_insert;
comment on column app_public.comments.text is 'The text.';
`;

describe("db:check refuses a change that takes a stream", () => {
  let output: string;
  beforeAll(async () => {
    await project.write(part, change);
    ({ output } = await project.db("check", "--all"));
    await project.write(part, "");
    expect(output).toContain("Problems, since HEAD:");
  });

  test.each([
    ["the function that says who may read", "app_public.messages chat_id added", 3],
    ["its key column", "app_public.comments post_id deleted", 4],
    ["its trigger", "app_public.notifications user_id added", 6],
  ])("%s, and names the statement", (_, stream, line) => {
    const finding = output.split(`  refused    ${stream}: `)[1]?.split(/\n {2}\w/)[0];
    expect(finding).toContain(`Where: ${part}:${line}\n`);
    expect(output).toMatch(new RegExp(`^Refused: .*new-problem:${stream}`, "m"));
  });

  test("and finds nothing wrong with a stream that works on", () => {
    expect(output).not.toContain("refused    app_public.inbox_entries");
  });
});

test("db:status names a stream that cannot be followed, with its repair, and its exit status is 1", async () => {
  const url = project.environment.DATABASE_URL as string;
  await onServer(url, "select app_private.revoke_default_rights()");
  expect(await project.db("status")).toMatchObject({ status: 0 });
  await onServer(url, "alter table app_public.comments disable trigger _900_stream_post_id_insert");
  const { status, output } = await project.db("status");
  expect(output).toContain(
    "app_public.comments post_id added: app_public.comments has no enabled trigger after insert",
  );
  expect(output).toContain("\n  Repair: Call change_feed.stream('app_public.comments', 'post_id', …) again.\n");
  expect(status).toBe(1);
});
