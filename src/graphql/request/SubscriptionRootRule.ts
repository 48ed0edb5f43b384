import { fragmentsOf } from "@content-service/support/fragmentsOf.ts";
import {
  type ASTVisitor,
  type DirectiveNode,
  GraphQLError,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  Kind,
  OperationTypeNode,
  type SelectionSetNode,
  SingleFieldSubscriptionsRule,
  type ValidationContext,
} from "graphql";

const conditional = [GraphQLSkipDirective.name, GraphQLIncludeDirective.name];

/**
 * A subscription has one root field, and it is there whatever the variables are (GraphQL specification of September 2025, 5.2.4.1). In
 * place of graphql-js 16's rule, which has no variables and so throws for `@include(if: $i)`; version 17 has both.
 */
export function SubscriptionRootRule(context: ValidationContext): ASTVisitor {
  const { OperationDefinition: single } = SingleFieldSubscriptionsRule(context) as {
    OperationDefinition(...visited: unknown[]): void;
  };
  return {
    OperationDefinition(node, ...rest) {
      if (node.operation !== OperationTypeNode.SUBSCRIPTION) return;
      const nodes = rootDirectives(context, node.selectionSet).filter(({ name }) => conditional.includes(name.value));
      if (nodes.length === 0) return single(node, ...rest);
      const subscription = node.name ? `Subscription "${node.name.value}"` : "Anonymous Subscription";
      const message = `${subscription} must not use \`@skip\` or \`@include\` directives in the top level selection.`;
      context.reportError(new GraphQLError(message, { nodes }));
    },
  };
}

/** The directives of root fields and of the fragments around them, each selection set read once. The document need not be valid. */
function rootDirectives(context: ValidationContext, root: SelectionSetNode): DirectiveNode[] {
  const fragments = fragmentsOf(context.getDocument());
  const sets = new Set<SelectionSetNode | undefined>([root]);
  const directives: DirectiveNode[] = [];
  // A set visits what is added during the iteration.
  for (const set of sets) {
    for (const selection of set?.selections ?? []) {
      directives.push(...(selection.directives ?? []));
      if (selection.kind === Kind.INLINE_FRAGMENT) sets.add(selection.selectionSet);
      if (selection.kind === Kind.FRAGMENT_SPREAD) sets.add(fragments.get(selection.name.value)?.selectionSet);
    }
  }
  return directives;
}
