import { holdLock } from "../../tools/support/holdLock.ts";
import { people, useService } from "../support/service.ts";

/* A row that is deleted while somebody writes to it is not there for them. */
const { database, ask } = useService();
const deletePost = "delete from app_public.posts where id = 1";
const deleteMallory = `delete from app_public.users where id = ${people.mallory}`;

beforeEach(() =>
  database.query(`
    insert into app_public.posts (id, author_id, title, content, status) overriding system value
      values (1, ${people.ada}, 'A post', 'Text.', 'PUBLISHED')`),
);

test.each([
  ['createComment(input: { postId: "1", text: "Hello" }) { id }', deletePost],
  ['reportPost(postId: "1", reason: "Spam") { success }', deletePost],
  [`followUser(userId: "${people.mallory}") { user { id } }`, `${deletePost}; ${deleteMallory}`],
])("%s is NOT_FOUND after %s", async (act, meanwhile) => {
  const deletion = await holdLock(database.ownerUrl, meanwhile);
  const asked = ask(`mutation { ${act} }`, { as: "bob" });
  await deletion.somebodyWaits();
  await deletion.commit();
  expect((await asked).errors).toMatchObject([{ extensions: { code: "NOT_FOUND" } }]);
});
