import { changeConnection } from "@content-service/support/connectionString.ts";
import { withClient } from "@content-service/support/withClient.ts";
import { templateName } from "../../../test/support/template.ts";
import { readContent } from "../../support/readOperations.ts";

/** Copies the template of the tests, and fills the copy with the rows that the answers are about. */
export async function createTemplate(serverUrl: string, template: string): Promise<void> {
  await withClient(serverUrl, (client) => client.query(`create database ${template} template ${templateName}`));
  await withClient(changeConnection(serverUrl, { database: template }), (client) => client.query(readContent()));
}
