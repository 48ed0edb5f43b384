/** A question, the section that answers it, and what people type into the search to find that section. */
export interface Question {
  ask: string;
  /** A file of the repository, with the anchor of the section. */
  at: string;
  words: string[];
}

/** How the search weighs the words of questions against those of pages. */
export const searchFields = {
  fields: ["title", "titles", "text", "aliases"],
  boost: { aliases: 10, title: 4, text: 2, titles: 1 },
};

/** What people ask, by the reader of `sidebars`. The site lists them on a page, and finds their sections by their words. */
export const questions: Record<string, Question[]> = {
  client: [
    { ask: "How do I send my first request?", at: "docs/clients.md#a-request", words: ["first query", "curl"] },
    {
      ask: "How do I get types for my queries?",
      at: "docs/libraries.md#a-typed-query-in-a-new-vite-project",
      words: ["typescript", "codegen", "code generator", "types"],
    },
    {
      ask: "How do I paginate?",
      at: "docs/lists.md#lists-and-pages",
      words: ["pagination", "paginate", "cursor", "infinite scroll", "load more", "first after", "limit offset"],
    },
    {
      ask: "How do I filter and sort a list?",
      at: "docs/lists.md#lists-and-pages",
      words: ["filter", "sort", "orderBy", "where"],
    },
    {
      ask: "How do I sign in?",
      at: "docs/sign-in.md#signing-in",
      words: [
        "authentication",
        "auth",
        "JWT",
        "login",
        "log in",
        "token",
        "bearer",
        "refresh token",
        "logout",
        "session",
      ],
    },
    {
      ask: "How does a user reset a forgotten password?",
      at: "docs/sign-in.md#accounts-and-moderation",
      words: ["forgot password", "reset password", "verify email", "moderation", "ban user"],
    },
    {
      ask: "How does a user delete the account?",
      at: "docs/sign-in.md#accounts-and-moderation",
      words: ["delete account", "delete user", "close account"],
    },
    {
      ask: "How do I search the texts of posts?",
      at: "docs/lists.md#search",
      words: ["full-text search", "fulltext", "highlight", "typo", "relevance"],
    },
    {
      ask: "How do I update a list when something happens?",
      at: "docs/chat.md#subscriptions",
      words: ["realtime", "real-time", "subscription", "live updates", "push"],
    },
    {
      ask: "How do I connect by WebSocket?",
      at: "docs/chat.md#by-websocket",
      words: ["websocket", "ws", "graphql-ws", "connection_init"],
    },
    {
      ask: "Are there server-sent events?",
      at: "docs/chat.md#by-server-sent-events",
      words: ["SSE", "EventSource", "server-sent events"],
    },
    {
      ask: "How does a user upload an image?",
      at: "docs/libraries.md#pictures",
      words: ["upload", "image", "file", "S3", "avatar", "photo"],
    },
    { ask: "How do I set up Apollo Client?", at: "docs/libraries.md#with-apollo-client", words: ["apollo", "react"] },
    { ask: "How do I set up urql?", at: "docs/libraries.md#with-urql", words: ["urql", "graphcache"] },
    { ask: "How do I set up Relay?", at: "docs/libraries.md#with-relay", words: ["relay"] },
    {
      ask: "Which error codes are there?",
      at: "docs/errors.md#errors",
      words: ["error codes", "error handling", "exceptions"],
    },
    {
      ask: "Which HTTP status has an error?",
      at: "docs/errors.md#statuses",
      words: ["http status", "status code", "415", "429"],
    },
    {
      ask: "How do I show errors beside the fields of a form?",
      at: "docs/errors.md#codes-of-validation-errors",
      words: ["form validation", "field errors", "translate messages"],
    },
    {
      ask: "How much may a request ask for?",
      at: "docs/errors.md#limits",
      words: ["rate limit", "throttling", "too many requests", "query depth", "complexity", "query cost"],
    },
    {
      ask: "How do two editors not overwrite each other?",
      at: "docs/writing.md#writing-without-losing-changes",
      words: ["optimistic locking", "concurrency", "lost update", "idempotency", "retry mutation", "etag version"],
    },
    {
      ask: "How do I save changes of a published post without publishing them?",
      at: "docs/writing.md#unpublished-changes-of-a-published-post",
      words: ["working copy", "autosave", "unpublished changes"],
    },
    {
      ask: "How do I schedule a post?",
      at: "docs/writing.md#publishing-at-a-time",
      words: ["schedule", "publish later", "draft"],
    },
    {
      ask: "How do I use persisted queries?",
      at: "docs/clients.md#persisted-operations",
      words: ["persisted queries", "APQ", "trusted documents", "allowlist"],
    },
    {
      ask: "Why does the browser block my request?",
      at: "docs/clients.md#get",
      words: ["CORS", "cross-origin", "preflight", "CSRF"],
    },
    {
      ask: "Can I send several queries in one request?",
      at: "docs/clients.md#what-is-not-supported",
      words: ["batching", "batch", "multipart", "defer"],
    },
    {
      ask: "How are breaking changes announced?",
      at: "docs/clients.md#deprecation",
      words: ["deprecated", "breaking change", "API version"],
    },
    {
      ask: "How does a user export their data?",
      at: "docs/libraries.md#ones-own-data",
      words: ["export my data", "data portability", "takeout"],
    },
  ],
  database: [
    {
      ask: "How do I add a table or a column?",
      at: "migrations/README.md#a-first-migration-in-ten-minutes",
      words: ["add a table", "add a column", "new field", "alter table", "first migration"],
    },
    {
      ask: "How do I add a mutation?",
      at: "docs/feature.md#the-table",
      words: ["add a mutation", "create a table", "new type", "crud"],
    },
    {
      ask: "How do I rename or remove a column?",
      at: "migrations/README.md#how-to-change-what-others-use",
      words: ["rename a column", "drop a column", "remove a field"],
    },
    {
      ask: "How do I change the API's names?",
      at: "plugins/smartTags.md#smart-tags",
      words: ["smart tags", "rename a field", "hide a table", "omit"],
    },
    {
      ask: "How do I add a value to an enum?",
      at: "migrations/README.md#add-an-enum-value",
      words: ["enum value", "add enum"],
    },
    {
      ask: "How do I add an index?",
      at: "migrations/README.md#an-index-on-a-large-table",
      words: ["create index", "concurrently", "add an index"],
    },
    {
      ask: "How do I undo a migration?",
      at: "docs/database.md#undo-a-migration",
      words: ["rollback", "down migration", "revert"],
    },
    {
      ask: "Who may do what?",
      at: "migrations/permissions.md#grants",
      words: ["permissions", "grants", "row-level security", "RLS", "authorization", "access control"],
    },
    {
      ask: "How do I add a role for users?",
      at: "migrations/README.md#roles-and-rights",
      words: ["add a role", "custom role", "make admin", "editor role"],
    },
    {
      ask: "How do I run something every night?",
      at: "migrations/README.md#jobs",
      words: ["cron", "background job", "scheduled job"],
    },
    {
      ask: "How do I make a subscription?",
      at: "migrations/README.md#subscriptions",
      words: ["add a subscription", "stream a table", "change_feed.stream"],
    },
    {
      ask: "How do I tell another service of changes?",
      at: "docs/change-feed.md#webhooks",
      words: ["webhook", "CDC", "outgoing events", "standard webhooks"],
    },
    {
      ask: "Is there an N+1 problem?",
      at: "docs/architecture.md#a-request",
      words: ["N+1", "dataloader", "resolvers", "how it works"],
    },
    {
      ask: "Why is a query slow?",
      at: "docs/database.md#what-an-operation-costs",
      words: ["slow query", "explain", "query plan", "performance"],
    },
    {
      ask: "How is the service tested?",
      at: "test/README.md#a-map-of-the-tests",
      words: ["run tests", "jest", "test suite"],
    },
  ],
  operate: [
    {
      ask: "How do I run it in a container?",
      at: "docs/operators.md#in-a-container",
      words: ["docker", "dockerfile", "container", "image size"],
    },
    {
      ask: "How do I deploy with Compose?",
      at: "deploy/README.md#compose",
      words: ["docker compose", "compose", "deploy"],
    },
    {
      ask: "How do I deploy to Kubernetes?",
      at: "deploy/README.md#kubernetes",
      words: ["kubernetes", "k8s", "helm", "kustomize"],
    },
    {
      ask: "Which settings does production need?",
      at: "docs/operators.md#before-the-first-start",
      words: ["production", "install", "requirements"],
    },
    {
      ask: "Which environment variables are there?",
      at: "docs/settings.md#the-service",
      words: ["environment variables", "configuration", "env", "config"],
    },
    {
      ask: "How do I back up and restore?",
      at: "docs/database.md#back-up-and-restore",
      words: ["backup", "restore", "pg_dump", "disaster recovery"],
    },
    {
      ask: "How do I upgrade PostgreSQL?",
      at: "docs/database.md#upgrade-postgresql",
      words: ["upgrade postgres", "pg_upgrade", "new version of PostgreSQL"],
    },
    {
      ask: "How do I release without a stop?",
      at: "docs/operators.md#releases-side-by-side",
      words: ["zero downtime", "rolling update", "blue-green"],
    },
    {
      ask: "How do I put it behind nginx or a load balancer?",
      at: "docs/operators.md#behind-a-proxy",
      words: ["nginx", "reverse proxy", "load balancer", "TLS", "https"],
    },
    { ask: "Can a CDN cache responses?", at: "docs/operators.md#caches", words: ["cache", "CDN", "varnish", "purge"] },
    { ask: "How do I send mail?", at: "docs/operators.md#send-mail", words: ["SMTP", "email", "mail templates"] },
    {
      ask: "What may an admin do?",
      at: "docs/sign-in.md#rights",
      words: ["admin", "moderator", "user rights"],
    },
    {
      ask: "Which database roles are there?",
      at: "docs/operators.md#roles",
      words: ["role", "database user", "api_login", "least privilege"],
    },
    {
      ask: "How do I erase a person's data?",
      at: "docs/operators.md#erase-a-users-data",
      words: ["GDPR", "erase user", "right to be forgotten", "privacy"],
    },
    {
      ask: "How do people sign in with Google, Keycloak or Auth0?",
      at: "docs/providers.md#what-to-set",
      words: ["OAuth", "OpenID Connect", "OIDC", "SSO", "Keycloak", "Auth0", "social login"],
    },
    {
      ask: "How do I monitor it?",
      at: "docs/monitoring.md#metrics",
      words: ["prometheus", "metrics", "grafana", "alerts"],
    },
    {
      ask: "Where are logs and traces?",
      at: "docs/monitoring.md#logs",
      words: ["logging", "logs", "tracing", "opentelemetry"],
    },
    {
      ask: "Which health checks are there?",
      at: "docs/monitoring.md#probes",
      words: ["health check", "readiness", "liveness", "healthz"],
    },
    {
      ask: "Does it work with PgBouncer?",
      at: "docs/connections.md#pgbouncer",
      words: ["pgbouncer", "pooler", "connection pool"],
    },
    {
      ask: "Can it read from replicas?",
      at: "docs/connections.md#read-replicas",
      words: ["replica", "standby", "read replica"],
    },
    {
      ask: "What happens in a failover?",
      at: "docs/connections.md#several-servers",
      words: ["failover", "high availability", "HA", "patroni"],
    },
    {
      ask: "How far does it scale?",
      at: "docs/scaling.md#how-far-each-part-goes",
      words: ["scaling", "sharding", "million users", "capacity"],
    },
    { ask: "How fast is it?", at: "bench/RESULTS.md#results", words: ["benchmark", "requests per second", "latency"] },
    {
      ask: "How do I move from WordPress or Ghost?",
      at: "docs/import.md#wordpress-and-ghost",
      words: ["wordpress", "ghost", "migrate content", "import posts"],
    },
    {
      ask: "How do I report a vulnerability?",
      at: "docs/security.md#report-a-vulnerability",
      words: ["vulnerability", "security report", "CVE"],
    },
  ],
  analyse: [
    {
      ask: "How do I query the numbers?",
      at: "docs/analysts.md#connect",
      words: ["analytics", "BI", "metabase", "reporting"],
    },
    {
      ask: "Can I use dbt or Parquet?",
      at: "docs/analysts.md#files-dbt-and-notebooks",
      words: ["dbt", "parquet", "CSV", "jupyter", "notebook"],
    },
    {
      ask: "Who changed a row?",
      at: "docs/analysts.md#who-changed-what",
      words: ["audit log", "audit trail", "history"],
    },
  ],
};
