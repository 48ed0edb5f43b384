import { defineConfig, type Plugin, type PreviewServer, type ViteDevServer } from "vite";
import { rssOf } from "./src/rss.ts";

/** The service. The page calls its own origin, so that the service needs no CORS settings. */
const target = process.env["SERVICE_URL"] ?? "http://127.0.0.1:4000";

/** `/feed.xml`. In production it is a route of the web server. */
const rss: Plugin = { name: "rss", configureServer: serveRss, configurePreviewServer: serveRss };

function serveRss({ middlewares }: ViteDevServer | PreviewServer): void {
  middlewares.use("/feed.xml", async (request, response) => {
    try {
      const feed = await rssOf(target, `http://${request.headers.host}`);
      response.writeHead(200, { "content-type": "application/rss+xml; charset=utf-8", "cache-control": "max-age=300" });
      response.end(feed);
    } catch {
      response.writeHead(502).end();
    }
  });
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [rss],
  server: { proxy: { "/graphql": { target, ws: true } } },
});
