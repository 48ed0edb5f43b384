FROM node:24-slim
WORKDIR /srv/content-service
COPY package.json package-lock.json .npmrc ./
COPY packages packages
COPY plugins plugins
RUN npm ci --omit=dev
COPY . .
USER node
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000
EXPOSE 4000
HEALTHCHECK CMD ["node", "-e", "fetch('http://127.0.0.1:4000/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Not npm start: docker's signals must reach the service itself.
CMD ["node", "src/main.ts"]
