/** Text for HTML, also in an attribute. Slashes stay: in links, programs look for them. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
