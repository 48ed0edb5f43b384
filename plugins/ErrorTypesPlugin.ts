import { errorCodes, errorReasons, validationErrorCodes } from "@content-service/errors/codes.ts";
import type {} from "./ConstraintErrorsPlugin.ts";
import { type Build, linesOf, resourcesOf } from "./support/fields.ts";
import { version } from "./support/version.ts";

/**
 * Enums of what `extensions` of an error can have, for code generators: ErrorCode, ErrorReason and ValidationErrorCode. No field has
 * these types. They have the preset's own values, those of its options, the reasons of `@unauthorizedWhenNull`, the codes of constraints (`@code`), and those
 * that a function names: `@errorCode NESTED_REPLY It is a reply itself.`
 */
export const errorTypesPlugin = (furtherReasons: Record<string, string>): GraphileConfig.Plugin => ({
  name: "ErrorTypesPlugin",
  version,
  description: "Adds enums of what errors can say.",
  gather: {
    hooks: {
      pgTables_PgResourceOptions(_info, { pgClass, resourceOptions }) {
        const constraints = pgClass.getConstraints().map((constraint) => {
          const { tags, description } = constraint.getTagsAndDescription();
          const code = typeof tags.code === "string" ? tags.code : undefined;
          const columns = (constraint.getAttributes() ?? []).map((attribute) => {
            const { name } = attribute.getTagsAndDescription().tags;
            return typeof name === "string" ? name : attribute.attname;
          });
          return [constraint.conname, { columns, message: description, code }] as const;
        });
        resourceOptions.extensions = { ...resourceOptions.extensions, constraints: Object.fromEntries(constraints) };
      },
    },
  },
  schema: {
    hooks: {
      init(init, partialBuild) {
        const build = partialBuild as Build;
        for (const [name, { description, values }] of Object.entries(enumsOf(build, furtherReasons))) {
          const described = Object.entries(values).map(([value, text]) => [value, { value, description: text }]);
          build.registerEnumType(
            name,
            {},
            () => ({ description, values: Object.fromEntries(described) }),
            "ErrorTypesPlugin",
          );
        }
        return init;
      },
      GraphQLSchema: (config, build) => ({
        ...config,
        types: [
          ...(config.types ?? []),
          ...Object.keys(enumsOf(build, furtherReasons)).map((name) => build.getTypeByName(name) as never),
        ],
      }),
    },
  },
});

function enumsOf(build: Pick<Build, "pgResources">, furtherReasons: Record<string, string>) {
  const resources = resourcesOf(build);
  const reasons = resources.flatMap((resource) => {
    const [, reason, message = ""] =
      /^\S+ ([A-Z_]+): (.*)$/.exec(String(resource.extensions?.tags?.unauthorizedWhenNull)) ?? [];
    return reason === undefined ? [] : [[reason, message] as const];
  });
  const named = resources.flatMap((resource) =>
    (resource.parameters ? linesOf(resource.extensions?.tags, "errorCode") : []).map((line) => {
      const [code = "", ...words] = line.split(" ");
      return [code, words.join(" ")] as const;
    }),
  );
  const ofConstraints = resources.flatMap(({ extensions }) =>
    Object.values(extensions?.constraints ?? {}).flatMap(({ code, message = "" }) => (code ? [[code, message]] : [])),
  );
  return {
    ErrorCode: { description: "The values of `extensions.code` of an error.", values: errorCodes },
    ErrorReason: {
      description:
        "The values of `extensions.reason` of an error. New ones can be added: treat an unknown one as FORBIDDEN.",
      values: { ...Object.fromEntries(reasons), ...errorReasons, ...furtherReasons },
    },
    ValidationErrorCode: {
      description: "The values of `code` in `extensions.validationErrors`. New ones can be added: show the message.",
      values: { ...Object.fromEntries(ofConstraints), ...Object.fromEntries(named), ...validationErrorCodes },
    },
  };
}
