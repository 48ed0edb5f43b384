import { useDatabase } from "../support/database.ts";

/* Validators are written from the check constraints: nothing depends on their being current. */
const database = useDatabase();

beforeAll(async () => {
  await database.query(`
    create table app_public.notes (
      id bigint generated always as identity primary key,
      heading text not null,
      stars int not null default 1,
      constraint notes_heading_check check (char_length(heading) <= 5),
      constraint notes_stars_check check (stars between 1 and 5)
    );
    select conventions.apply_to('app_public.notes', '{heading}')`);
});
beforeEach(() => database.query("select conventions.renew_validators()"));

/** The columns that the refusal of this row names. */
async function faultsOf(row: string): Promise<string[]> {
  try {
    await database.query(`insert into app_public.notes (heading, stars) values (${row})`);
    return [];
  } catch (error) {
    const { code, detail, column, constraint } = error as Record<string, string>;
    if (code !== "FAULT") return [`${code} ${column ?? constraint}`];
    return JSON.parse(detail ?? "[]").map((fault: { column: string }) => fault.column);
  }
}

test("finds all faults at once, and writes what has none", async () => {
  expect(await faultsOf("'Short', 5")).toEqual([]);
  expect(await faultsOf("'Too long', 6")).toEqual(["heading", "stars"]);
  expect(await faultsOf("e'A\\uFDD0', 1")).toEqual(["heading"]);
  // Too long, and too many marks.
  expect(await faultsOf("'A' || repeat(U&'\\0300', 40), 1")).toEqual(["heading", "heading"]);
});

test("a check that is newer than the validator holds", async () => {
  await database.query("alter table app_public.notes add constraint notes_even_check check (stars % 2 = 1)");
  expect(await faultsOf("'Short', 2")).toEqual(["23514 notes_even_check"]);
  await database.query("select conventions.renew_validators()");
  expect(await faultsOf("'Too long', 2")).toEqual(["stars", "heading"].sort());
});

test("a check that has been dropped does not hold", async () => {
  await database.query(
    "alter table app_public.notes drop constraint if exists notes_even_check, drop constraint notes_stars_check",
  );
  expect(await faultsOf("'Short', 8")).toEqual([]);
});

test("a renamed column is written and checked", async () => {
  await database.query("alter table app_public.notes rename column heading to title");
  const write = (title: string) => database.query(`insert into app_public.notes (title) values ('${title}')`);
  await write("Short");
  await expect(write("Too long")).rejects.toMatchObject({ code: "FAULT" });
});
