-- Only a database with this comment is ever dropped for a review: packages/migration-review/ShadowServer.ts.
comment on database ":DATABASE_NAME" is 'The shadow database of content-service. The db: commands drop and rebuild it.';
