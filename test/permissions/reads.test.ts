import { useService } from "../support/service.ts";
import { resetContent } from "./outcome.ts";
import { actsBelow, ways } from "./ways.ts";

/* The permissions to read: migrations/permissions.md (docs/decisions.md, "Identity"). */
const service = useService();
beforeAll(() => resetContent(service));

describe.each(actsBelow("## Reading"))("$act", (act) => {
  test.each(ways(service, act))("%s, as %s", async (_way, person, see) => {
    expect(await see()).toBe(act.outcomes[person]);
  });
});
