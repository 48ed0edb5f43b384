import { defineConfig } from "vite";

/** The service. The page calls its own origin, so that the service needs no CORS settings. */
const target = process.env["SERVICE_URL"] ?? "http://127.0.0.1:4000";

export default defineConfig({
  root: import.meta.dirname,
  server: { proxy: { "/graphql": { target, ws: true } } },
});
