import { beforeAll, describe, expect, test } from "@jest/globals";
import { type Person, useService } from "../support/service.ts";

/* Writing and publishing, as an editor's screens need it: no lost update, no post written twice. */
const service = useService();

interface Refusal {
  code: string;
  reason?: string;
  validationErrors?: { path: (string | number)[]; code: string }[];
}

/** The data of the only root field. */
async function done(query: string, variables: object = {}, as: Person = "ada"): Promise<any> {
  const { data, errors } = await service.ask(query, { variables: { ...variables }, as });
  expect(errors).toBeUndefined();
  return Object.values(data as object)[0];
}

async function refused(query: string, variables: object = {}, as: Person = "ada"): Promise<Refusal> {
  const { data, errors } = await service.ask(query, { variables: { ...variables }, as });
  expect(Object.values(data ?? { none: null })).toEqual([null]);
  return errors?.[0]?.extensions as unknown as Refusal;
}

const create = `mutation ($input: CreatePostInput!) {
  createPost(input: $input) { id title slug status updatedAt(format: DATE_TIME) }
}`;
const update = `mutation ($id: ID!, $input: UpdatePostInput!, $if: Timestamp) {
  updatePost(id: $id, input: $input, ifUpdatedAt: $if) { id title updatedAt(format: DATE_TIME) tags { name } }
}`;

describe("ifUpdatedAt", () => {
  let post: { id: string; updatedAt: string };
  beforeAll(async () => {
    post = await done(create, { input: { title: "One", content: "Text.", tags: ["a"] } });
  });
  const title = async () => (await done("query ($id: ID!) { post(id: $id) { title } }", { id: post.id })).title;

  test("is the updatedAt that was read: each change gives the next one", async () => {
    const second = await done(update, { id: post.id, input: { title: "Two" }, if: post.updatedAt });
    const third = await done(update, { id: post.id, input: { tags: ["b"] }, if: second.updatedAt });
    expect(third).toMatchObject({ title: "Two", tags: [{ name: "b" }] });
    // Another way to write the same moment.
    const sameMoment = third.updatedAt.replace("+00:00", "Z");
    post = await done(update, { id: post.id, input: { title: "Three" }, if: sameMoment });
    expect(await title()).toBe("Three");
  });

  test.each([
    ["the title", { title: "Other" }],
    ["tags only", { tags: ["c"] }],
    ["the status", { status: "PUBLISHED" }],
  ])("refuses with CONFLICT after a change of %s, and writes nothing", async (_what, input) => {
    const { updatedAt } = await done(update, { id: post.id, input: { title: "Read", status: "DRAFT", tags: ["x"] } });
    await done(update, { id: post.id, input }, "admin");
    const before = await service.database.query("select * from app_public.posts");
    expect(await refused(update, { id: post.id, input: { title: "Lost", tags: [] }, if: updatedAt })).toEqual({
      code: "CONFLICT",
      reason: "CHANGED",
    });
    expect(await service.database.query("select * from app_public.posts")).toEqual(before);
  });

  test("waits for a change that is under way, and then compares", async () => {
    const { updatedAt } = await done(update, { id: post.id, input: { title: "Read" } });
    const change = `update app_public.posts set title = 'Changed meanwhile' where id = ${post.id}`;
    const undone = await service.database.hold(change);
    const kept = done(update, { id: post.id, input: { title: "Mine" }, if: updatedAt });
    await undone.somebodyWaits();
    await undone.release();
    const { updatedAt: next } = await kept;
    const other = await service.database.hold(change);
    const lost = refused(update, { id: post.id, input: { title: "Lost" }, if: next });
    await other.somebodyWaits();
    await other.commit();
    expect(await lost).toEqual({ code: "CONFLICT", reason: "CHANGED" });
    expect(await title()).toBe("Changed meanwhile");
  });

  test("a clock that was set back gives a later updatedAt all the same", async () => {
    await service.database.query(
      `alter table app_public.posts disable trigger user;
       update app_public.posts set updated_at = '2999-01-01T00:00:00.5Z' where id = ${post.id};
       alter table app_public.posts enable trigger user`,
    );
    const { updatedAt } = await done(update, { id: post.id, input: { title: "Later" } });
    expect(updatedAt).toBe("2999-01-01T00:00:00.500001+00:00");
    const tagged = await done(update, { id: post.id, input: { tags: ["later"] } });
    expect(tagged.updatedAt > updatedAt).toBe(true);
  });

  test("a date, the default format of updatedAt, is a fault that names the argument", async () => {
    expect(await refused(update, { id: post.id, input: { title: "No" }, if: "2026-01-01" })).toMatchObject({
      code: "VALIDATION_ERROR",
      validationErrors: [{ path: ["ifUpdatedAt"], code: "FORMAT" }],
    });
  });

  test("tells nobody more than the update without it", async () => {
    const ifUpdatedAt = "2026-01-01T00:00:00.000001Z";
    await done(update, { id: post.id, input: { status: "PUBLISHED" } });
    expect(await refused(update, { id: post.id, input: {}, if: ifUpdatedAt }, "bob")).toMatchObject({
      code: "UNAUTHORIZED",
    });
    await done(update, { id: post.id, input: { status: "DRAFT" } });
    expect(await refused(update, { id: post.id, input: {}, if: ifUpdatedAt }, "bob")).toEqual({ code: "NOT_FOUND" });
  });
});
