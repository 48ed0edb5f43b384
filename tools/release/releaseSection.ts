const heading = "## Unreleased\n";

/**
 * Moves what stands below "Unreleased" in a changelog to a section of the version. An empty "Unreleased" stays above it.
 *
 * @param day as `2026-11-26`
 * @param whenEmpty the text of a version for which nothing was written
 * @throws where that section is not the first one, or is empty and there is no `whenEmpty`
 */
export function releaseSection(changelog: string, version: string, day: string, whenEmpty = ""): string {
  const [title, unreleased = "", ...releases] = changelog.split(/^(?=## )/m);
  if (!unreleased.startsWith(heading)) throw new Error("The first section of the changelog is not “Unreleased”.");
  const changes = unreleased.slice(heading.length).trim() || whenEmpty;
  if (!changes) throw new Error("Nothing stands below “Unreleased” in the changelog.");
  const sections = [title, `${heading}\n`, `## ${version} - ${day}\n\n${changes}\n\n`, ...releases];
  return `${sections.join("").trimEnd()}\n`;
}
