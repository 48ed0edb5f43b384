import "postgraphile";

/**
 * Names as a person would give them: a column keeps its name (`id` stays `id`), a list is the plural of its table
 * (`posts`), its Relay twin ends in Connection (`postsConnection`), a foreign key is named for what it points to
 * (`author_id` becomes `author`), and what points back is the plural of the other table (`User.posts`).
 *
 * A list whose name is no plural says it with `@listName`: `@listName auditTrail`.
 *
 * Two foreign keys between the same two tables would get one name; the second says its own with the smart tags
 * `@fieldName` and `@foreignFieldName`. Such a clash fails the build, with both named.
 */
export const NamesPlugin: GraphileConfig.Plugin = {
  name: "NamesPlugin",
  version: "1.0.0",
  inflection: {
    replace: {
      _attributeName(previous, _options, details) {
        return previous?.({ ...details, skipRowId: true }) ?? details.attributeName;
      },
      // A composite type that a function takes is named as an input already.
      inputType: (previous, _options, typeName) =>
        typeName.endsWith("InputRecord") ? typeName.replace(/Record$/, "") : (previous?.(typeName) ?? typeName),
      // A function and a table may share a name; as resources they must not.
      functionResourceName(previous, _options, details) {
        return `${previous?.(details)}_function`;
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
      rowByUnique(previous, _options, details) {
        const { unique, resource } = details;
        if (!unique.isPrimary || unique.extensions?.tags?.fieldName) return previous?.(details) ?? "";
        return this.camelCase(this.tableType(resource.codec));
      },
      _singleRelationRaw(previous, _options, details) {
        const relation = details.registry.pgRelations[details.codec.name]?.[details.relationName];
        const [column, ...others] = relation?.localAttributes ?? [];
        const named = relation?.extensions?.tags?.fieldName;
        if (named || column === undefined || others.length > 0) return previous?.(details) ?? "";
        return column.replace(/_id$/, "");
      },
      _singleRelationBackwardsRaw(previous, _options, details) {
        const relation = details.registry.pgRelations[details.codec.name]?.[details.relationName];
        const { foreignSingleFieldName, foreignFieldName } = relation?.extensions?.tags ?? {};
        if (!relation || foreignSingleFieldName || foreignFieldName) return previous?.(details) ?? "";
        return this.tableType(relation.remoteResource.codec);
      },
      _manyRelationRaw(previous, _options, details) {
        const relation = details.registry.pgRelations[details.codec.name]?.[details.relationName];
        if (!relation || relation.extensions?.tags?.foreignFieldName) return previous?.(details) ?? "";
        return this.pluralize(this.tableType(relation.remoteResource.codec));
      },
    },
  },
};
