/** Fields that only add weight to an operation. */
export const padding = Array.from({ length: 20 }, (_, index) => `p${index}: __typename`).join(" ");

/** A query that runs on the thread for heavy operations (src/graphql/heavy). */
export function heavy(selection: string): string {
  return `query Heavy { ${selection} ...Much a: __typename }
    fragment Much on Query { me { ...Self } b: me { ...Self } c: me { ...Self } d: me { ...Self } }
    fragment Self on User { ${padding} }`;
}
