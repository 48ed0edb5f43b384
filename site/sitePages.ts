import { basename, dirname } from "node:path";

interface Sidebar {
  title: string;
  /** Files of the repository, by the heading of their group. */
  groups: Record<string, string[]>;
}

/** The sidebars of the site, one for each kind of reader. */
export const sidebars: Record<string, Sidebar> = {
  client: {
    title: "Build a client",
    groups: {
      Guide: [
        "docs/clients.md",
        "docs/sign-in.md",
        "docs/lists.md",
        "docs/writing.md",
        "docs/errors.md",
        "docs/libraries.md",
        "docs/chat.md",
        "examples/web/README.md",
        "docs/specification.md",
      ],
    },
  },
  database: {
    title: "Change the database",
    groups: {
      Guide: ["docs/database.md", "migrations/README.md", "docs/feature.md", "docs/er.md"],
      Conventions: ["docs/conventions.md", "docs/change-feed.md", "plugins/smartTags.md", "migrations/permissions.md"],
      "Inside the service": [
        "docs/architecture.md",
        "docs/decisions.md",
        "docs/parts.md",
        "packages/caller-pool/README.md",
        "packages/change-feed/README.md",
        "plugins/README.md",
        "plugins/compiled/README.md",
        "packages/errors/README.md",
        "packages/migration-review/README.md",
        "packages/support/README.md",
        "packages/testing/README.md",
        "src/commands/transfer/README.md",
      ],
      "Work on it": ["CONTRIBUTING.md", "test/README.md", "tools/README.md", "CHANGELOG.md"],
    },
  },
  operate: {
    title: "Operate",
    groups: {
      Guide: [
        "docs/operators.md",
        "docs/releases.md",
        "docs/settings.md",
        "docs/providers.md",
        "docs/monitoring.md",
        "docs/connections.md",
        "deploy/README.md",
        "docs/import.md",
      ],
      "Load and safety": ["docs/scaling.md", "docs/security.md", "bench/README.md", "bench/RESULTS.md"],
    },
  },
  analyse: { title: "Analyse", groups: { Guide: ["docs/analysts.md"] } },
};

const sitePages = new Map(
  Object.entries(sidebars).flatMap(([reader, { groups }]) =>
    Object.values(groups)
      .flat()
      .map((file) => [file, `${reader}/${nameOf(file)}`]),
  ),
);

/** The page of the site that shows a file: one of a sidebar, or a page without one. */
export function pageOf(file: string): string {
  if (file === "README.md") return "index";
  return sitePages.get(file) ?? `files/${file.replaceAll(".", "-")}`;
}

function nameOf(file: string): string {
  const name = basename(file, ".md");
  return (name === "README" ? dirname(file).replaceAll("/", "-") : name).toLowerCase();
}

/** The anchor of a heading, as GitHub makes it, so that a link works there and on the site. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");
}
