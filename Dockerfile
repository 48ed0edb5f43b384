# The settings of npm and a certificate authority of yours are build secrets: deploy/README.md, "The image".
FROM node:24-slim AS packages
WORKDIR /srv/content-service
COPY package.json package-lock.json .npmrc ./
COPY packages packages
COPY plugins plugins
# Optional packages are an embedded PostgreSQL, and the linter of `npm run db:check`. Licences stay.
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc --mount=type=secret,id=ca \
  npm ci --omit=dev --omit=optional && \
  find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name bundleMeta.js \) -delete
# `npm sbom --omit=dev` leaves out each package that is also somebody's development dependency.
RUN npm pkg delete devDependencies --workspaces --include-workspace-root && npm sbom --sbom-format=cyclonedx > sbom.json

# Without npm, which a service does not need.
FROM debian:trixie-slim
RUN useradd --uid 1000 --user-group node
WORKDIR /srv/content-service
COPY --from=packages /usr/local/bin/node /usr/local/bin/
COPY --from=packages /srv/content-service/node_modules node_modules
COPY --from=packages /srv/content-service/sbom.json ./
COPY . .
USER node
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000
EXPOSE 4000
HEALTHCHECK CMD ["node", "-e", "fetch('http://127.0.0.1:4000/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Not npm start: docker's signals must reach the service itself.
CMD ["node", "src/start.js"]
