import "./environment.js";

// JavaScript, as environment.js is: what they import is kept without its types, so a start does not load Node's compiler of TypeScript.
await import("./main.ts");
