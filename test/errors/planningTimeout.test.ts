import { useService } from "../support/service.ts";

// The engine plans all operations.
const service = useService({ compileQueries: false });

test("a planning timeout is TIMEOUT, and the next request is planned again", async () => {
  const { grafast } = service.app.pipeline.served.resolvedPreset as { grafast: { timeouts: { planning: number } } };
  const usual = grafast.timeouts.planning;
  const query = "{ posts(limit: 1) { title author { name } tags { name } } }";
  grafast.timeouts.planning = 0.001;
  const { errors } = await service.ask(query);
  expect(errors).toMatchObject([{ extensions: { code: "TIMEOUT" } }]);
  grafast.timeouts.planning = usual;
  expect(await service.ask(query)).toEqual({ data: { posts: [] } });
});
