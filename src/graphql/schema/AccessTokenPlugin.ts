import { unauthorized } from "@content-service/errors/ApiError.ts";
import { context, type FieldArgs, type FieldInfo, lambda, type Step, sideEffect } from "postgraphile/grafast";
import type { Build, Field, FieldContext, Fields, FieldsContext } from "postgraphile-compiled-preset/plugin";
import type { SignedToken, SignToken } from "../../identity/signToken.ts";

declare global {
  namespace Grafast {
    interface Context {
      /** Undefined when another service signs the tokens. */
      signToken?: SignToken | undefined;
    }
  }
}

/**
 * Adds the fields `accessToken` and `expiresIn` to a type with the smart tag `@accessToken user_id`. SQL authenticates
 * the user in column `user_id`, and says in the column of `@issuedAt` when; the service signs the token, because only the service has the
 * key (docs/decisions.md, "Identity").
 *
 * @throws UNAUTHORIZED when another service signs the tokens (JWT_JWKS_URL). Every mutation that returns such a type
 *   throws before its function runs, so that no session is created without a token for it.
 */
export const AccessTokenPlugin: GraphileConfig.Plugin = {
  name: "AccessTokenPlugin",
  schema: { hooks: { GraphQLObjectType_fields: addToken, GraphQLObjectType_fields_field: refuseWithoutSigner } },
};

type RowStep = Step & { get(attribute: string): Step<string> };

function addToken(fields: Fields, build: Build, { scope, fieldWithHooks }: FieldsContext): Fields {
  const { accessToken: user, issuedAt: time } = scope.pgCodec?.extensions?.tags ?? {};
  if (typeof user !== "string" || typeof time !== "string") return fields;
  const { GraphQLInt, GraphQLNonNull, GraphQLString } = build.graphql;
  const signed = ($row: RowStep) =>
    lambda([$row.get(user), $row.get(time), context().get("signToken")] as const, signFor);
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

function refuseWithoutSigner(field: Field, _build: unknown, { scope }: FieldContext): Field {
  const { plan } = field;
  const isTagged = scope.pgFieldResource?.codec.extensions?.tags?.["accessToken"] !== undefined;
  if (!scope.isRootMutation || !isTagged || !plan) return field;
  return {
    ...field,
    plan: ($root: Step, args: FieldArgs, info: FieldInfo) => {
      sideEffect(context().get("signToken"), requireSigner);
      return plan($root, args, info);
    },
  };
}

function requireSigner(signToken: SignToken | undefined): asserts signToken {
  if (!signToken) throw unauthorized("This service does not issue tokens.", "FORBIDDEN");
}

function signFor([userId, issuedAt, signToken]: readonly [
  string,
  string,
  SignToken | undefined,
]): Promise<SignedToken> {
  requireSigner(signToken);
  return signToken(userId, undefined, Number(issuedAt));
}

const tokenOf = ({ token }: SignedToken) => token;
const secondsOf = ({ expiresAt }: SignedToken) => Math.round((expiresAt.getTime() - Date.now()) / 1_000);
