import "postgraphile";
import { version } from "./support/version.ts";

type Behavior = GraphileBuild.Build["behavior"];

interface Resolved {
  behaviorString: string;
  stack: readonly unknown[];
}

/** The methods that the engine calls on the object itself, typed without the names of entities. */
interface Methods {
  behaviorRegistry: Record<string, { entities: Record<string, unknown> }>;
  entityMatches(entityType: string, entity: unknown, filter: string): boolean | undefined;
  getBehaviorForEntity(entityType: string, entity: unknown): Resolved;
  getPreferencesAppliedBehaviors(entityType: string, inferred: Resolved, override: Resolved): Resolved;
  stringMatches(behaviorString: string, filter: string): boolean | undefined;
  validateBehavior(entityType: string | null, source: string, behaviorString: string): void;
}

/**
 * Whether an entity has a behavior depends on nothing but its behavior string. The engine parses this string, and compares the behavior with all
 * registered ones, at each of tens of thousands of calls: more than half of the time of a build.
 */
export const BehaviorCachePlugin: GraphileConfig.Plugin = {
  name: "BehaviorCachePlugin",
  version,
  description: "Reads each behavior string once.",
  schema: {
    hooks: {
      build(build) {
        let behavior: Behavior | undefined;
        // The engine sets it after these hooks, and freezes it at once.
        Object.defineProperty(build, "behavior", {
          get: () => behavior,
          set(made: Behavior) {
            cacheMatches(made as unknown as Methods);
            behavior = made;
          },
          enumerable: true,
          configurable: true,
        });
        return build;
      },
    },
  },
};

function cacheMatches(behavior: Methods): void {
  const { entityMatches, getPreferencesAppliedBehaviors, validateBehavior } = behavior;
  /** By the type of the entity and the texts that it is made of. */
  const applied = new Map<string, Resolved>();
  behavior.getPreferencesAppliedBehaviors = (entityType, inferred, override) => {
    const key = [entityType, inferred.behaviorString, override.behaviorString].join("\n");
    const made = applied.get(key) ?? getPreferencesAppliedBehaviors.call(behavior, entityType, inferred, override);
    applied.set(key, made);
    return made;
  };

  const results = new Map<Resolved, Map<string, boolean | undefined>>();
  const checked = new Set<string>();
  behavior.entityMatches = (entityType, entity, filter) => {
    const isRegistered = behavior.behaviorRegistry[filter]?.entities[entityType] !== undefined;
    const key = `${entityType} ${filter}`;
    if (!isRegistered && !checked.has(key)) {
      checked.add(key);
      // Registers a behavior that nobody has registered, and warns of one that is registered for other types of entities.
      return entityMatches.call(behavior, entityType, entity, filter);
    }
    const resolved = behavior.getBehaviorForEntity(entityType, entity);
    const known = results.get(resolved) ?? new Map<string, boolean | undefined>();
    results.set(resolved, known);
    if (!known.has(filter)) known.set(filter, behavior.stringMatches(resolved.behaviorString, filter));
    return known.get(filter);
  };

  const valid = new Set<string>();
  behavior.validateBehavior = (entityType, source, behaviorString) => {
    if (valid.has(behaviorString)) return;
    validateBehavior.call(behavior, entityType, source, behaviorString);
    valid.add(behaviorString);
  };
}
