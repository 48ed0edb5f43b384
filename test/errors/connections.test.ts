import { useService } from "../support/service.ts";

const service = useService();
beforeAll(() =>
  service.database.query(`
    insert into app_public.posts (author_id, title, content, status) values (1, 'Public', 'Text.', 'PUBLISHED');
    insert into app_public.comments (post_id, author_id, text) values (1, 1, 'One'), (1, 2, 'Two')`),
);

test.each([
  ["first: 101", "first", "OUT_OF_RANGE"],
  ["first: -1", "first", "OUT_OF_RANGE"],
  ["first: 1, last: 101", "last", "OUT_OF_RANGE"],
  ["first: 1, last: 1", "last", "NOT_EXACTLY_ONE"],
  ['after: "nonsense"', "after", "CURSOR"],
  ['before: "WyJuYXR1cmFsIiwgNF0="', "before", "CURSOR"],
])("a nested connection with %s fails alone, with its own path", async (args, field, code) => {
  const query = `{ post(id: 1) { title bad: commentsConnection(${args}) { totalCount } comments { text } } }`;
  expect(await service.ask(query)).toEqual({
    data: { post: { title: "Public", bad: null, comments: [{ text: "One" }, { text: "Two" }] } },
    errors: [
      {
        message: "Input failed validation",
        path: ["post", "bad"],
        locations: [expect.anything()],
        extensions: {
          code: "VALIDATION_ERROR",
          validationErrors: [expect.objectContaining({ path: [field], field, code })],
        },
      },
    ],
  });
});
