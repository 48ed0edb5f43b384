/** How much one request may ask for in its document and variables (DECISIONS.md, "Limits"). The largest that still passes. */
export interface Limits {
  /** The query's text, in bytes of UTF-8. */
  queryBytes: number;
  /**
   * Names, punctuators and values of the query's text. They also bound how deep it nests and how long validation compares
   * its fields with each other: 46 ms at worst with 1,000, 85 ms with 5,000. Beyond 2,000, nesting may outgrow the stack.
   */
  tokens: number;
  /** Fields one inside the other, the root field and the leaf included. Introspection has its own limit. */
  depth: number;
  /** Aliases that the operation and its fragments write down. */
  aliases: number;
  /** Fields of Query, Mutation or Subscription, those of fragments included. */
  rootFields: number;
  /** Directives that the operation and its fragments write down. */
  directives: number;
  /** Fields, spreads and inline fragments; what is in a fragment counts each time that the fragment is spread. */
  selections: number;
  /** Objects that the answer can hold: the product of the list sizes down each path, summed up. */
  nodes: number;
  /** Introspection's values in the answer, as a multiple of what the standard introspection query is answered with. */
  introspection: number;
  /** Values in the variables: each variable, each item of a list and each field of an object. */
  variableValues: number;
  /** Lists and objects of the variables one inside the other; a variable that is neither is at level 0. */
  variableDepth: number;
  /** What one request may get from the database, and about what its answer may have as JSON, in bytes. */
  answerBytes: number;
  /** Errors that one answer tells of a document or of its variables. */
  errors: number;
  /** Items of a list that takes `limit`, `first` or `last`: what is asked beyond it, the field itself refuses. */
  listSize: number;
  /** Items that a list counts as when neither the query nor the schema says how many it has. */
  defaultListSize: number;
}

export const defaultLimits: Limits = {
  queryBytes: 20 * 1024,
  tokens: 1_000,
  depth: 10,
  aliases: 30,
  rootFields: 20,
  directives: 50,
  selections: 2_000,
  nodes: 10_000,
  introspection: 2,
  variableValues: 10_000,
  variableDepth: 20,
  answerBytes: 8 * 1024 * 1024,
  errors: 10,
  listSize: 100,
  defaultListSize: 20,
};
