import { withClient } from "@content-service/support/withClient.ts";
import { useService } from "../support/service.ts";

/* The calls of migrations/README.md, on a table with a generated column and a default. */
const service = useService();

beforeAll(async () => {
  await service.database.query(`
    create table app_public.notes (
      id         bigint generated always as identity primary key,
      author_id  bigint not null references app_public.users,
      heading    text not null,
      stars      int not null default 3,
      secret     text,
      updated_at timestamptz not null default '2026-01-01 00:00Z',
      shout      text generated always as (upper(heading)) stored,
      constraint notes_heading_length_check check (char_length(heading) <= 10),
      constraint notes_stars_check check (stars between 1 and 5)
    );
    create index on app_public.notes (author_id);
    comment on column app_public.notes.heading is E'@listFilter\\nThe first line.';
    comment on column app_public.notes.stars is 'Out of five.';
    grant select on app_public.notes to api_member;
    grant insert (author_id) on app_public.notes to api_member;
    grant all on app_public.notes to public;
    select conventions.apply_to('app_public.notes', '{heading}');
    create policy select_all on app_public.notes for select to api_member using (true);
    create policy insert_own on app_public.notes for insert to api_member
      with check (author_id = (select app_hidden.viewer_id()));
    create policy update_own on app_public.notes for update to api_member
      using (author_id = (select app_hidden.viewer_id()));
    create type app_public.create_note_input as ();
    create type app_public.update_note_input as ();
    select conventions.allow_writing('app_public.notes', '{heading, stars}',
      on_insert => 'app_public.create_note_input', on_update => 'app_public.update_note_input');
    create function app_public.create_note(input app_public.create_note_input) returns app_public.notes
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
    declare
      v_note app_public.notes;
    begin
      return app_hidden.insert_row(v_note, to_jsonb(input) || jsonb_build_object('author_id', app_hidden.viewer_id()));
    end $$;
    create function app_public.update_note(id bigint, input app_public.update_note_input) returns app_public.notes
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
    declare
      v_note app_public.notes;
    begin
      return app_hidden.update_row(v_note, update_note.id, to_jsonb(input), 'note');
    end $$;
    grant execute on function app_public.create_note(app_public.create_note_input),
      app_public.update_note(bigint, app_public.update_note_input) to api_member;
    insert into app_public.notes (author_id, heading) values (1, 'Ada’s'), (2, 'Bob’s')`);
  await service.app.rebuild();
});

/** The rows of a statement of Ada's, in the database itself, or the SQLSTATE of its refusal. Rolled back. */
async function asAda(sql: string): Promise<unknown> {
  return withClient(service.database.ownerUrl, async (client) => {
    await client.query("begin; set local role api_member; set local app.viewer_id = '1'");
    return client.query(sql).then(
      ({ rows }) => rows,
      ({ code }) => code,
    );
  });
}

describe("protect", () => {
  test("enables row-level security and revokes what everybody may do", async () => {
    expect(
      await service.database.query(
        "select relrowsecurity, exists (select from aclexplode(relacl) where grantee = 0) as is_public from pg_class where oid = 'app_public.notes'::regclass",
      ),
    ).toEqual([{ relrowsecurity: true, is_public: false }]);
  });

  test("leaves the same triggers when it is called twice, and can leave out the audit trail", async () => {
    const triggers = () =>
      service.database.query("select tgname from pg_trigger where tgrelid = 'app_public.notes'::regclass order by 1");
    const before = await triggers();
    await service.database.query("select conventions.apply_to('app_public.notes', '{heading}')");
    expect(await triggers()).toEqual(before);
    await service.database.query(`
      create table app_public.plain (id int primary key);
      select conventions.apply_to('app_public.plain', is_audited => false)`);
    expect(await service.database.query("select from pg_trigger where tgrelid = 'app_public.plain'::regclass")).toEqual(
      [],
    );
  });

  test("sets updated_at when another column changes, and only then", async () => {
    const change = (set: string) =>
      service.database.query(
        `update app_public.notes set ${set} where id = 2 returning updated_at > '2026-02-02' as changed`,
      );
    expect(await change("heading = heading")).toEqual([{ changed: false }]);
    expect(await change("secret = 'new'")).toEqual([{ changed: true }]);
    expect(await change("updated_at = '2026-01-01'")).toEqual([{ changed: false }]);
  });

  test("reports all faults of a row at once, by argument", async () => {
    const mutation = `mutation { createNote(input: { heading: "longer than ten", stars: 6 }) { id } }`;
    const { errors } = await service.ask(mutation, { as: "ada" });
    expect(errors?.[0]?.extensions).toMatchObject({
      validationErrors: [
        { path: ["input", "heading"], code: "TOO_LONG" },
        { path: ["input", "stars"], code: "OUT_OF_RANGE" },
      ],
    });
  });
});

describe("accept", () => {
  test("makes a field of each type, with the column's comment; required where the column needs a value", async () => {
    const fields = `inputFields { name description type { kind name } }`;
    const { data } = await service.ask(
      `{ in: __type(name: "CreateNoteInput") { ${fields} } up: __type(name: "UpdateNoteInput") { ${fields} } }`,
    );
    const stars = { name: "stars", description: "Out of five.", type: { kind: "SCALAR", name: "Int" } };
    const heading = { name: "heading", description: "The first line." };
    expect(data.in.inputFields).toEqual([{ ...heading, type: { kind: "NON_NULL", name: null } }, stars]);
    expect(data.up.inputFields).toEqual([{ ...heading, type: { kind: "SCALAR", name: "String" } }, stars]);
  });

  test.each([
    ["a column that is missing", "'{nowhere}', 'app_public.create_note_input'", "42703"],
    ["a field of another type than the column", "'{stars}', 'app_public.create_post_input'", "42804"],
  ])("refuses %s", async (_what, given, code) => {
    const accept = withClient(service.database.ownerUrl, (client) =>
      client.query(`begin; alter type app_public.create_post_input add attribute stars text;
        select conventions.allow_writing('app_public.notes', ${given})`),
    );
    await expect(accept).rejects.toMatchObject({ code });
  });

  test("grants no more than these columns", async () => {
    expect(await asAda("update app_public.notes set secret = 'mine' where id = 1")).toBe("42501");
    expect(await asAda("insert into app_public.notes (author_id, heading, secret) values (1, 'a', 'b')")).toBe("42501");
  });
});

describe("insert_row and update_row", () => {
  test("write what is given: null is the default, or leaves the column as it is", async () => {
    expect(await asAda(`select heading, stars, shout from app_public.create_note(row('New', null))`)).toEqual([
      { heading: "New", stars: 3, shout: "NEW" },
    ]);
    expect(await asAda(`select heading, stars from app_public.update_note(1, row(null, 5))`)).toEqual([
      { heading: "Ada’s", stars: 5 },
    ]);
    expect(await asAda(`select heading, stars from app_public.update_note(1, row(null, null))`)).toEqual([
      { heading: "Ada’s", stars: 3 },
    ]);
  });

  test.each([
    ["a field that is no column", `{"heading": "a", "nowhere": 1}`, "42703"],
    ["a column that is not granted", `{"heading": "a", "secret": "b"}`, "42501"],
    ["a generated column", `{"heading": "a", "shout": "b"}`, "428C9"],
    ["another author", `{"heading": "a", "author_id": 2}`, "42501"],
    ["no field", "{}", "22004"],
  ])("refuse %s", async (_what, fields, code) => {
    expect(await asAda(`select app_hidden.insert_row(null::app_public.notes, '${fields}')`)).toBe(code);
    expect(await asAda(`select app_hidden.update_row(null::app_public.notes, 1, '${fields}', 'note')`)).toBe(code);
  });

  test("insert_row survives another column, and a lost statement, in the same session", async () => {
    await withClient(service.database.ownerUrl, async (client) => {
      const insert = async () =>
        (
          await client.query(
            `select to_jsonb(app_hidden.insert_row(null::app_public.notes, '{"heading": "a", "author_id": 1}')) as note`,
          )
        ).rows[0].note;
      await client.query("begin");
      expect(await insert()).not.toHaveProperty("mood");
      await client.query("alter table app_public.notes add column mood text default 'calm'");
      expect(await insert()).toMatchObject({ heading: "a", mood: "calm", shout: "A" });
      await client.query("deallocate all");
      expect(await insert()).toMatchObject({ heading: "a", mood: "calm", shout: "A" });
      await client.query("rollback; begin");
      expect(await insert()).not.toHaveProperty("mood");
      await client.query("rollback");
    });
  });

  test("take a name of a column for a name only", async () => {
    const field = `{"heading\\" = (select 1); --": "a"}`;
    expect(await asAda(`select app_hidden.insert_row(null::app_public.notes, '${field}')`)).toBe("42703");
    expect(await asAda(`select app_hidden.update_row(null::app_public.notes, 1, '${field}', 'note')`)).toBe("42703");
  });

  test("refuse the row of another user before the faults of the input, even without a change", async () => {
    for (const fields of ["'too long a heading', 9", "null, null"]) {
      expect(await asAda(`select app_public.update_note(2, row(${fields}))`)).toBe("42501");
      expect(await asAda(`select app_public.update_note(99, row(${fields}))`)).toBe("NTFND");
    }
  });
});

test("add_value adds a value once, and describes it anew each time", async () => {
  await service.database.query(`
    create type app_public.mood as enum ('CALM');
    comment on type app_public.mood is E'@name temper\\n@describe CALM At ease.\\nHow one feels.'`);
  const add = (description: string) =>
    service.database.query("select app_hidden.add_value('app_public.mood', 'WILD', $1)", [description]);
  await add("Not at ease.");
  await add("Anything but calm.");
  expect(
    await service.database.query(
      "select enum_range(null::app_public.mood)::text as values, obj_description('app_public.mood'::regtype) as comment",
    ),
  ).toEqual([
    {
      values: "{CALM,WILD}",
      comment: "@describe WILD Anything but calm.\n@name temper\n@describe CALM At ease.\nHow one feels.",
    },
  ]);
});
