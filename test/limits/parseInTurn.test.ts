import { setImmediate } from "node:timers/promises";
import { clientAt } from "../support/client.ts";
import { useService } from "../support/service.ts";

/* A body is parsed in its caller's turn, and the time counts against the caller. */
const service = useService({ rateLimitAddress: 1_000 });

const query = "{ __typename }";

function send(address: string, parse: () => unknown) {
  return service.app.pipeline.handle(async () => parse, clientAt(address));
}

test("the bodies of one caller are parsed one after the other, and another's in between", async () => {
  const order: string[] = [];
  const parse = (caller: string) => () => {
    order.push(caller);
    return { query };
  };
  const burst = Array.from({ length: 50 }, () => send("192.0.2.1", parse("one")));
  await setImmediate();
  await send("192.0.2.2", parse("other"));
  expect(order.indexOf("other")).toBeLessThan(10);
  const outcomes = await Promise.all(burst);
  expect(outcomes.map(({ errors }) => errors)).toEqual(outcomes.map(() => undefined));
});

test("a caller whose bodies take long to parse is refused before the next one is parsed, and others are not", async () => {
  const { now } = performance;
  let passed = 0;
  performance.now = () => now.call(performance) + passed;
  let parsed = 0;
  const slow = () => {
    parsed++;
    passed += 1_500;
    return [];
  };
  await send("192.0.2.3", slow);
  expect((await send("192.0.2.4", () => ({ query }))).errors).toBeUndefined();
  const { errors, isRequestError } = await send("192.0.2.3", slow);
  performance.now = now;
  expect(isRequestError).toBe(true);
  expect(errors).toMatchObject([{ extensions: { code: "RATE_LIMITED", retryAfter: expect.any(Number) } }]);
  expect(parsed).toBe(1);
});
