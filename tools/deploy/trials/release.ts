import { join } from "node:path";
import { commitTo } from "../../../test/support/migrationsFolder.ts";
import { post } from "../../support/post.ts";
import { must, seconds, startLoad, type Trial } from "../Stage.ts";

const migration = `
create function app_public.posts_reading_minutes(posts app_public.posts) returns int
language sql stable as $$ select ceil(char_length(posts.content) / 1000.0)::int $$;
comment on function app_public.posts_reading_minutes(app_public.posts) is $$How many minutes the post takes to read.$$;
grant execute on function app_public.posts_reading_minutes(app_public.posts) to :API_ANONYMOUS, :API_MEMBER;
`;

/** A second image with a migration takes the place of the first one under load, as deploy/README.md says. */
export const release: Trial = async (stage) => {
  const { checkout, composition, tunnel, build } = stage;
  const images = async () =>
    Promise.all(["content-1", "content-2"].map(async (service) => (await composition.container(service))?.Image));
  const before = await images();
  await commitTo(join(checkout.directory, "migrations"), migration);
  const next = `${composition.release}-next`;
  await build(next);
  const load = await startLoad(stage);
  const from = performance.now();
  composition.release = next;
  await composition.compose("run", "--rm", "migrate");
  await composition.replace("content-1");
  await composition.replace("content-2");
  await load.untilWell();
  const took = performance.now() - from;
  const { requests, messages, failed, refused, lost, reasons } = await load.stop();
  must(failed + refused + lost === 0, `${failed} failed, ${refused} refused, ${lost} lost: ${reasons.join("; ")}`);
  const after = await images();
  must(
    after.every((image) => image && !before.includes(image)),
    "The instances have the former image",
  );
  const read = await post(tunnel.url, "{ feed(limit: 1) { readingMinutes } }");
  must(read.data?.feed !== undefined && !read.errors, `The new field has the response ${JSON.stringify(read)}`);
  return `migrated and replaced in ${seconds(took)}: ${requests} requests, none failed; ${messages} messages, none lost; the migration's field is served`;
};
