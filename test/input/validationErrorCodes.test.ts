import { useService } from "../support/service.ts";

/* Each rule has a fault code, so that clients can translate messages: that of its comment, else one that follows from the rule. */
const service = useService();
const rules = (table: string) => `
  create table app_public.${table} (
    id bigint generated always as identity primary key, label text, level int, unit text, top int, owner text unique,
    constraint ${table}_label_check check (label ~ '^[a-z]*$'),
    constraint ${table}_level_check check (level between 1 and 9),
    constraint ${table}_unit_check check (unit <> 'ell'),
    constraint ${table}_top_check check (top <> level));
  comment on constraint ${table}_label_check on app_public.${table} is 'A label has small letters.';
  comment on constraint ${table}_level_check on app_public.${table} is E'@code LEVEL_UNKNOWN\\nA level is 1 to 9.';
  comment on constraint ${table}_unit_check on app_public.${table} is E'@name other\\n@code OLD_UNIT\\nNobody uses ells.';
  comment on constraint ${table}_owner_key on app_public.${table} is E'@code TAKEN\\nSomebody has this one.';
  create function app_public.add_${table}(label text default null, level int default null, unit text default null, top int default null,
    owner text default null) returns boolean language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
    begin
      insert into app_public.${table} (label, level, unit, top, owner) values (label, level, unit, top, owner);
      return true;
    end $$;
  grant execute on function app_public.add_${table}(text, int, text, int, text) to api_anonymous;`;

beforeAll(async () => {
  await service.database.query(`
    ${rules("dials")} ${rules("gauges")}
    select conventions.validate('app_public.gauges');
    select conventions.renew_validators()`);
  await service.app.rebuild();
});

async function faultsOf(call: string): Promise<unknown> {
  const { errors } = await service.ask(`mutation { ${call} }`);
  return errors?.[0]?.extensions.validationErrors;
}

describe.each([
  ["that reports one fault", "addDials", {}],
  ["that reports all faults", "addGauges", { params: { min: 1, max: 9 } }],
])("a table %s", (_which, mutation, params) => {
  test.each([
    ["label", `"A1"`, { code: "FORMAT", message: "A label has small letters." }],
    ["level", "10", { code: "LEVEL_UNKNOWN", message: "A level is 1 to 9.", ...params }],
    ["unit", `"ell"`, { code: "OLD_UNIT", message: "Nobody uses ells." }],
  ])("gives %s: %s its code", async (field, value, fault) => {
    expect(await faultsOf(`${mutation}(${field}: ${value})`)).toEqual([{ path: [field], field, ...fault }]);
  });

  test("has INVALID for a rule that says nothing else", async () => {
    const faults = await faultsOf(`${mutation}(level: 2, top: 2)`);
    expect(faults).toContainEqual(expect.objectContaining({ code: "INVALID", message: "This value is not allowed." }));
  });

  test("has a unique constraint's code", async () => {
    expect(await faultsOf(`${mutation}(owner: "Ada")`)).toBeUndefined();
    expect(await faultsOf(`${mutation}(owner: "Ada")`)).toEqual([
      { path: ["owner"], field: "owner", code: "TAKEN", message: "Somebody has this one." },
    ]);
  });
});

test("an email without its shape has one code, and one that is too short another", async () => {
  const signUp = (email: string) => faultsOf(`createUser(name: "Eve", email: "${email}") { id }`);
  expect(await signUp("no-at-sign")).toMatchObject([{ path: ["email"], code: "FORMAT" }]);
  expect(await signUp("a")).toMatchObject([{ path: ["email"], code: "TOO_SHORT", params: { min: 3 } }]);
});
