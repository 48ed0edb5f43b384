import { relationOf } from "./support/fields.ts";
import { version } from "./support/version.ts";

/**
 * Short names: a column keeps its name (`id` stays `id`), a list is the plural of its table (`posts`), its Relay
 * connection ends in Connection (`postsConnection`), a foreign key has the name of its column without `_id`
 * (`author_id` becomes `author`), and its reverse is the plural of the referencing table (`User.posts`).
 *
 * The smart tag `@listName staff` names a list that has no plural; else it is `fishList`.
 *
 * ClashingNamesPlugin gives a name to the second of two foreign keys between the same tables; `@fieldName` and `@foreignFieldName` choose it.
 */
export const NamesPlugin: GraphileConfig.Plugin = {
  name: "NamesPlugin",
  version,
  description: "Gives tables, columns, relations and functions short names.",
  inflection: {
    replace: {
      _attributeName(previous, _options, details) {
        return previous?.({ ...details, skipRowId: true }) ?? details.attributeName;
      },
      // The name of a composite type for arguments already ends in Input.
      inputType: (previous, _options, typeName) =>
        typeName.endsWith("InputRecord") ? typeName.replace(/Record$/, "") : (previous?.(typeName) ?? typeName),
      // A function and a table may have the same name. Two resources may not.
      functionResourceName(previous, _options, details) {
        return `${previous?.(details)}_function`;
      },
      computedAttributeField(previous, _options, details) {
        const name = details.resource.extensions?.tags?.name;
        return typeof name === "string" ? this.camelCase(name) : (previous?.(details) ?? details.resource.name);
      },
      _functionName(_previous, _options, { resource }) {
        const { tags, pg } = resource.extensions ?? {};
        return typeof tags?.name === "string" ? tags.name : (pg?.name ?? resource.name);
      },
      connectionField: (_previous, _options, name) => `${name}Connection`,
      listField: (_previous, _options, name) => name,
      _allRows(_previous, _options, resource) {
        const { listName } = resource.extensions?.tags ?? {};
        if (typeof listName === "string") return listName;
        return this.camelCase(this.pluralize(this._singularizedResourceName(resource)));
      },
      allRowsList(previous, _options, resource) {
        const name = previous?.(resource) ?? "";
        const row = resource.codec.attributes ? this.tableType(resource.codec as never) : "";
        return name === this.camelCase(row) ? `${name}List` : name;
      },
      rowByUnique(previous, _options, details) {
        const { unique, resource } = details;
        if (unique.extensions?.tags?.fieldName) return previous?.(details) ?? "";
        const row = this.tableType(resource.codec);
        const key = unique.isPrimary
          ? ""
          : `-by-${this._joinAttributeNames(resource.codec as never, unique.attributes)}`;
        return this.camelCase(row + key);
      },
      _singleRelationRaw(previous, _options, details) {
        const relation = relationOf(details);
        const [column, ...others] = relation?.localAttributes ?? [];
        const named = relation?.extensions?.tags?.fieldName;
        if (named || column === undefined || others.length > 0) return previous?.(details) ?? "";
        return column.replace(/_id$/, "");
      },
      _singleRelationBackwardsRaw(previous, _options, details) {
        const relation = relationOf(details);
        const { foreignSingleFieldName, foreignFieldName } = relation?.extensions?.tags ?? {};
        if (!relation || foreignSingleFieldName || foreignFieldName) return previous?.(details) ?? "";
        return this.tableType(relation.remoteResource.codec);
      },
      _manyRelationRaw(previous, _options, details) {
        const relation = relationOf(details);
        if (!relation || relation.extensions?.tags?.foreignFieldName) return previous?.(details) ?? "";
        return this.pluralize(this.tableType(relation.remoteResource.codec));
      },
    },
  },
};
