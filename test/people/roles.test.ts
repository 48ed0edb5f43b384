import { readFileSync } from "node:fs";
import { type Person, useService } from "../support/service.ts";
import { until } from "../support/until.ts";

/* What a role may do is data: a DBA adds roles and moves rights by inserts. test/permissions has what each right allows. */
const service = useService();
const { database } = service;
const roles = readFileSync(new URL("../permissions/roles.sql", import.meta.url), "utf8");

beforeAll(async () => {
  // Ids 5 to 7: the editor is 6, and the moderator 7.
  await database.query("insert into app_public.users (name) values ('Carol'), ('Edith'), ('Mona')");
  await database.query(
    "insert into app_private.accounts (user_id, email) select id, id || '@example.com' from app_public.users where id > 4",
  );
  await database.query(`${roles}; notify schema_changed`);
  await until(
    async () =>
      (await service.ask(`{ __type(name: "UserRole") { enumValues { name } } }`)).data?.["__type"]?.enumValues
        .length === 4,
  );
});
beforeEach(async () => {
  await database.query(`
    update app_public.users set role = case id when 3 then 'ADMIN' when 6 then 'EDITOR' when 7 then 'MODERATOR' else 'USER' end::app_public.user_role;
    delete from app_public.bans`);
});
afterEach(() =>
  database.query(
    "delete from app_hidden.role_rights where role not in ('ADMIN', 'EDITOR', 'MODERATOR') and may <> 'PUBLISH'",
  ),
);

const give = (role: string, may: string) =>
  database.query("insert into app_hidden.role_rights (role, may) values ($1, $2) on conflict do nothing", [role, may]);
const take = (role: string, may: string) =>
  database.query("delete from app_hidden.role_rights where role = $1 and may = $2", [role, may]);
const setRole = async (userId: string, role: string, as: Person) => {
  const { data, errors } = await service.ask(`mutation { setUserRole(userId: ${userId}, role: ${role}) { role } }`, {
    as,
  });
  return errors?.[0]?.extensions.code ?? data?.["setUserRole"].role;
};
const rightsOf = async (as: Person) => (await service.ask("{ me { rights } }", { as })).data?.["me"].rights;

test("clients read what they may, and a right that moves counts at once", async () => {
  expect(await rightsOf("ada")).toEqual(["PUBLISH"]);
  expect(await rightsOf("editor")).toEqual(["EDIT_ANY_POST", "PUBLISH"]);
  expect(await rightsOf("admin")).toEqual([
    "EDIT_ANY_POST",
    "MODERATE",
    "READ_REPORTS",
    "BAN",
    "READ_ACCOUNTS",
    "GRANT_ROLES",
    "PUBLISH",
  ]);
  const email = () => service.ask(`{ user(id: 1) { email } }`, { as: "moderator" });
  expect((await email()).errors?.[0]?.extensions.code).toBe("UNAUTHORIZED");
  await give("MODERATOR", "READ_ACCOUNTS");
  expect((await email()).data).toEqual({ user: { email: "ada@example.com" } });
  await take("MODERATOR", "READ_ACCOUNTS");
  expect((await email()).errors?.[0]?.extensions.code).toBe("UNAUTHORIZED");
});

test("nobody gives or takes a right that they do not have", async () => {
  expect(await setRole("1", "EDITOR", "editor")).toBe("UNAUTHORIZED");
  await give("EDITOR", "GRANT_ROLES");
  expect(await setRole("1", "EDITOR", "editor")).toBe("EDITOR");
  expect(await setRole("1", "USER", "editor")).toBe("USER");
  // The editor has not all of a moderator's rights.
  expect(await setRole("1", "MODERATOR", "editor")).toBe("UNAUTHORIZED");
  expect(await setRole("7", "USER", "editor")).toBe("UNAUTHORIZED");
  expect(await setRole("1", "ADMIN", "editor")).toBe("UNAUTHORIZED");
  expect(await setRole("3", "USER", "editor")).toBe("UNAUTHORIZED");
  expect(await setRole("6", "ADMIN", "editor")).toBe("VALIDATION_ERROR");
  await take("EDITOR", "GRANT_ROLES");
});

test("who bans has the rights of those whom they ban, and nobody bans who may ban", async () => {
  const ban = async (userId: string, as: Person) => {
    const { errors } = await service.ask(`mutation { banUser(userId: ${userId}, reason: "Spam.") { id } }`, { as });
    return errors?.[0]?.extensions.code ?? "done";
  };
  expect(await ban("5", "moderator")).toBe("done");
  expect(await ban("6", "moderator")).toBe("VALIDATION_ERROR");
  expect(await ban("3", "moderator")).toBe("VALIDATION_ERROR");
  expect(await ban("7", "admin")).toBe("VALIDATION_ERROR");
  expect(await ban("6", "admin")).toBe("done");
});

test("a banned user gets no rights", async () => {
  await service.ask(`mutation { banUser(userId: 5, reason: "Spam.") { id } }`, { as: "admin" });
  const { errors } = await service.ask(`mutation { setUserRole(userId: 5, role: EDITOR) { id } }`, { as: "admin" });
  expect(errors?.[0]?.extensions).toMatchObject({ code: "VALIDATION_ERROR", validationErrors: [{ code: "BANNED" }] });
});

test("somebody who may grant roles always remains", async () => {
  await expect(take("ADMIN", "GRANT_ROLES")).rejects.toThrow("Nobody could grant roles any more");
  await expect(
    database.query("update app_hidden.role_rights set role = 'USER' where role = 'ADMIN' and may = 'BAN'"),
  ).resolves.toEqual([]);
  await database.query("update app_hidden.role_rights set role = 'ADMIN' where role = 'USER' and may = 'BAN'");
  await give("EDITOR", "GRANT_ROLES");
  await take("ADMIN", "GRANT_ROLES");
  await expect(take("EDITOR", "GRANT_ROLES")).rejects.toThrow("Nobody could grant roles any more");
  await give("ADMIN", "GRANT_ROLES");
  await take("EDITOR", "GRANT_ROLES");
});

test("a right is given to a role that there is, once, and the audit trail has it", async () => {
  await expect(give("EDITRO", "BAN")).rejects.toMatchObject({
    message: "There is no role EDITRO",
    hint: expect.stringContaining("add_value"),
  });
  await expect(give("EDITOR", "BANN")).rejects.toThrow(/invalid input value for enum/);
  await give("USER", "BAN");
  const [entry] = await database.query(
    "select action, table_name, changes from app_public.audit_trail order by id desc limit 1",
  );
  expect(entry).toMatchObject({
    action: "INSERT",
    table_name: "app_hidden.role_rights",
    changes: { role: { new: "USER" }, may: { new: "BAN" } },
  });
});
