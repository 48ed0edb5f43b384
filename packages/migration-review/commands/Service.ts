import type { GraphQLFormattedError, GraphQLSchema } from "graphql";

/** A statement that an operation ran, with what EXPLAIN says of it. */
export interface Explained {
  text: string;
  /** The lines of EXPLAIN, or the error that the statement ended with. */
  plan: string;
}

/** The statements that an operation ran. */
export interface Explanation {
  statements: Explained[];
  /** The errors of the result. */
  errors: readonly GraphQLFormattedError[];
}

/** Something in the database that the API has no place for: its name in SQL, and one sentence each. */
interface LeftOut {
  name: string;
  message: string;
  reason: string;
  advice: string;
}

/** The service whose migrations the commands run and review. */
export interface Service {
  /** Builds the schema that it would serve from this database. @returns leftOut: what is not in it, or under another name */
  readSchema(
    apiDatabaseUrl: string,
    ...plugins: GraphileConfig.Plugin[]
  ): Promise<{ schema: GraphQLSchema; leftOut: readonly LeftOut[] }>;
  /**
   * Runs an operation under the role and policies of a request, explains each of its statements, and rolls everything back.
   *
   * @param viewerId empty for an anonymous caller
   * @throws StartError that says what is wrong with the document
   */
  explainOperation(
    apiDatabaseUrl: string,
    query: string,
    variables: Record<string, unknown>,
    viewerId: string,
  ): Promise<Explanation>;
  /** Its embedded database, whether it runs or not, until it is given back. */
  borrowEmbeddedPostgres(dataDir: string): Promise<{ url: string; giveBack(): Promise<void> }>;
  /** The file of its sample content in a checkout. */
  sampleContentFile: string;
  /** Loads sample content into a database that has no users yet, from this file or its own. */
  loadSampleContent(ownerUrl: string, file?: string): Promise<void>;
}
