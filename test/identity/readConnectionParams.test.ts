import { readConnectionParams } from "../../src/identity/readToken.ts";
import { outcome, tokenInvalid } from "./outcome.ts";

test.each([
  ["no parameters", undefined, undefined],
  ["null for parameters", null, undefined],
  ["no known parameter", { locale: "de" }, undefined],
  ["null as authToken", { authToken: null }, undefined],
  ["authToken missing in a prototype", JSON.parse('{"__proto__": {"authToken": "a.b.c"}}'), undefined],
  ["authToken", { authToken: "a.b.c" }, "a.b.c"],
  ["authToken with its scheme", { authToken: "Bearer a.b.c" }, "a.b.c"],
  ["Authorization", { Authorization: "Bearer a.b.c" }, "a.b.c"],
  ["Authorization without a scheme", { Authorization: "a.b.c" }, "a.b.c"],
  ["authorization in small letters", { authorization: "bearer a.b.c" }, "a.b.c"],
  ["null as authToken beside Authorization", { authToken: null, Authorization: "Bearer a.b.c" }, "a.b.c"],
  ["the same token twice", { authToken: "a.b.c", Authorization: "Bearer a.b.c" }, "a.b.c"],
])("takes %s", async (_, params, expected) => {
  expect(await outcome(() => readConnectionParams(params))).toBe(expected);
});

test.each([
  ["an empty authToken", { authToken: "" }],
  ["an authToken of spaces", { authToken: "  " }],
  ["a number", { authToken: 1 }],
  ["false", { authToken: false }],
  ["a list", { authToken: ["a.b.c"] }],
  ["an object", { authToken: { token: "a.b.c" } }],
  ["Bearer alone", { authToken: "Bearer" }],
  ["Bearer and a space", { Authorization: "Bearer " }],
  ["an empty Authorization", { Authorization: "" }],
  ["Basic", { Authorization: "Basic YWRhOnNlY3JldA==" }],
  ["a space inside", { authToken: "a.b c" }],
  ["a line end behind", { authToken: "a.b.c\n" }],
  ["two tokens that differ", { authToken: "a.b.c", Authorization: "Bearer d.e.f" }],
  ["a good one beside an empty one", { authToken: "a.b.c", authorization: "" }],
  ["text for parameters", "a.b.c"],
  ["a list for parameters", ["a.b.c"]],
  ["true for parameters", true],
])("refuses %s", async (_, params) => {
  expect(await outcome(() => readConnectionParams(params))).toEqual(tokenInvalid);
});
