import { useSyncExternalStore } from "react";

/* Each screen has a path of its own. The web server sends index.html for every path that is no file, as Vite does. */

const listeners = new Set<() => void>();
let returned = false;

function moved(isReturn: boolean): void {
  returned = isReturn;
  for (const listener of listeners) listener();
}

/** Whether the reader came by the browser’s Back or Forward: then a screen is to look as it did. */
export const hasReturned = () => returned;

// The browser then scrolls to where the reader was: React has shown the screen by that time.
addEventListener("popstate", () => moved(true));

// So links are plain `<a href>`, and open in a new tab as any other. One with a type leads to a file.
addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link || link.origin !== location.origin || link.hash || link.type || event.defaultPrevented) return;
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  goToPath(link.pathname);
});

function goToPath(path: string): void {
  if (path === location.pathname) return;
  history.pushState(null, "", path);
  scrollTo(0, 0);
  moved(false);
}

/** The parts of the page’s path. */
export function useRoute(): string[] {
  const path = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => location.pathname,
  );
  return path.slice(1).split("/").map(decoded);
}

/** Anybody may write a link that is no UTF-8, such as `/%`. Its screen says that there is no such page. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function linkTo(...parts: string[]): string {
  return `/${parts.map(encodeURIComponent).join("/")}`;
}

export function goTo(...parts: string[]): void {
  goToPath(linkTo(...parts));
}
