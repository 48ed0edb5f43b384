import "postgraphile";
import { context, lambda, type Step } from "postgraphile/grafast";
import { Refusal } from "../src/errors.ts";
import type { SignedToken, SignToken } from "../src/identity/signToken.ts";
import type { Build, Fields, FieldsContext } from "./support/fields.ts";

declare global {
  namespace Grafast {
    interface Context {
      /** Undefined where tokens are signed by somebody else. */
      signToken?: SignToken | undefined;
    }
  }
}

/**
 * A type with the smart tag `@accessToken user_id` says who has just proved who they are; the service, which alone holds
 * the key, adds the access token to it (DECISIONS.md, "Identity").
 *
 * @throws UNAUTHORIZED where tokens are signed by somebody else (JWT_JWKS_URL)
 */
export const AccessTokenPlugin: GraphileConfig.Plugin = {
  name: "AccessTokenPlugin",
  version: "1.0.0",
  schema: { hooks: { GraphQLObjectType_fields: addToken } },
};

type RowStep = Step & { get(attribute: string): Step<string> };

function addToken(fields: Fields, build: Build, { scope, fieldWithHooks }: FieldsContext): Fields {
  const column = scope.pgCodec?.extensions?.tags?.["accessToken"];
  if (typeof column !== "string") return fields;
  const { GraphQLInt, GraphQLNonNull, GraphQLString } = build.graphql;
  const signed = ($row: RowStep) => lambda([$row.get(column), context().get("signToken")] as const, signFor);
  build.extend(
    fields,
    {
      accessToken: fieldWithHooks({ fieldName: "accessToken" }, () => ({
        type: new GraphQLNonNull(GraphQLString),
        description: "Send it as “Authorization: Bearer …”, on WebSocket as authToken.",
        plan: ($row: RowStep) => lambda(signed($row), tokenOf, true),
      })),
      expiresIn: fieldWithHooks({ fieldName: "expiresIn" }, () => ({
        type: new GraphQLNonNull(GraphQLInt),
        description: "For how many seconds the access token is good.",
        plan: ($row: RowStep) => lambda(signed($row), secondsOf, true),
      })),
    },
    "the access token",
  );
  return fields;
}

function signFor([userId, signToken]: readonly [string, SignToken | undefined]): Promise<SignedToken> {
  if (!signToken) throw new Refusal("UNAUTHORIZED", "This service does not issue tokens.");
  return signToken(userId);
}

const tokenOf = ({ token }: SignedToken) => token;
const secondsOf = ({ expiresAt }: SignedToken) => Math.round((expiresAt.getTime() - Date.now()) / 1_000);
