import { useService } from "../support/service.ts";
import { keepContent, resetContent } from "./outcome.ts";
import { actsBelow, ways } from "./ways.ts";

/* The permissions to write: migrations/permissions.md (docs/decisions.md, "Identity"). */
const service = useService();
let restore: () => Promise<void>;
beforeAll(async () => {
  await resetContent(service);
  restore = await keepContent(service);
});

describe.each(actsBelow("## Writing"))("$act", (act) => {
  test.each(ways(service, act))("%s, as %s", async (way, person, see) => {
    const seen = await see();
    if (seen === "done" && way === "through the API") await restore();
    expect(seen).toBe(act.outcomes[person]);
  });
});
