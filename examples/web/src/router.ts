import { useSyncExternalStore } from "react";

/* Screens are links to `#/name/argument`, so that any static web server can serve the page. */

function subscribe(listener: () => void) {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}

/** The parts of the page's URL after `#/`. */
export function useRoute(): string[] {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  return hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
}

export function linkTo(...parts: string[]): string {
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

export function goTo(...parts: string[]): void {
  location.hash = linkTo(...parts);
}
