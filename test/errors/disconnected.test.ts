import { clientAt } from "../support/client.ts";
import { useService } from "../support/service.ts";

const service = useService();
const codeOf = async (receive: () => unknown, controller: AbortController) => {
  const { errors } = await service.app.pipeline.handle(receive, clientAt("", { signal: controller.signal }));
  return errors?.[0]?.extensions?.["code"];
};

test("a request whose client has disconnected does not start", async () => {
  const controller = new AbortController();
  controller.abort();
  expect(await codeOf(() => ({ query: "{ postsCount }" }), controller)).toBe("SERVICE_UNAVAILABLE");
});

test("an internal error is logged, even if the client has disconnected meanwhile", async () => {
  const controller = new AbortController();
  const fail = () => {
    controller.abort();
    throw new Error("unforeseen");
  };
  expect(await codeOf(fail, controller)).toBe("INTERNAL_SERVER_ERROR");
  expect(service.logged).toContainEqual(expect.objectContaining({ msg: "unforeseen error" }));
});
