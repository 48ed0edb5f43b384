/**
 * For those who write plugins that stand beside the preset's.
 *
 * @packageDocumentation
 */
export {
  amendSource,
  describeSource,
  type FieldSource,
  type RowsSource,
  sourceOf,
  type ValueSource,
} from "./compiled/fieldSource.ts";
export { writeNodeId } from "./NodeIdPlugin.ts";
export { describeEventRow } from "./support/eventRow.ts";
export {
  amendRows,
  type Build,
  descriptionsOf,
  type Field,
  type FieldContext,
  type Fields,
  type FieldsContext,
  functionOf,
  isListField,
  relationOf,
  smartTag,
  wrapPlan,
} from "./support/fields.ts";
export { presentRow } from "./support/presentRow.ts";
