import { parse } from "graphql";
import { selectOperation } from "../../src/graphql/request/Documents.ts";

const two = `query A { a } mutation B { b } fragment C on Query { c }`;
const unnamed = "The document has several operations: operationName must name one.";
const unknown = "The document has no operation of this name.";

test.each([
  ["the only one, unnamed", `{ a }`, undefined, undefined],
  ["the only one, by null", `query A { a }`, null, "A"],
  ["the only one, by an empty name, as some clients send", `query A { a }`, "", "A"],
  ["the one of the name", two, "B", "B"],
  ["the first of two of one name, which validation refuses", `query A { a } query A { b }`, "A", "A"],
])("finds %s", (_what, text, operationName, found) => {
  expect(selectOperation(parse(text), operationName).name?.value).toBe(found);
});

test.each([
  ["no name for several", two, undefined, unnamed],
  ["an empty name for several", two, "", unnamed],
  ["a name that there is not", two, "D", unknown],
  ["a name in other case", two, "a", unknown],
  ["a fragment's name", two, "C", unknown],
  ["a name for an operation that has none", `{ a }`, "A", unknown],
  ["a name that is one of Object's", two, "constructor", unknown],
  ["a document of fragments", `fragment C on Query { c }`, undefined, "The document has no operation."],
  ["a document of types", `type Query { a: Int }`, "Query", "The document has no operation."],
])("refuses %s", (_what, text, operationName, message) => {
  expect(() => selectOperation(parse(text), operationName)).toThrow(
    expect.objectContaining({ message, extensions: { code: "GRAPHQL_VALIDATION_FAILED" } }),
  );
});
