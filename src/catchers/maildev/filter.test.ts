import { expect, test } from "vitest";
import { meetsFilter } from "./email.ts";

const email = {
  subject: "Welcome",
  read: false,
  to: [{ address: "a@b.test" }, { address: "c@d.test" }],
  envelope: { remoteAddress: "::1" },
};

test.each([
  [{}, true],
  [{ subject: "Welcome" }, true],
  [{ subject: "welcome" }, false],
  [{ read: "false" }, true],
  [{ "to.address": "c@d.test" }, true],
  [{ "to.1.address": "c@d.test" }, true],
  [{ "to.0.address": "c@d.test" }, false],
  [{ "envelope.remoteaddress": "::1" }, true],
  [{ "to.address": "a@b.test", subject: "no" }, false],
  [{ "constructor.name": "Object" }, false],
  [{ "": "" }, false],
])("filter %j: %s", (filter, meets) => {
  expect(meetsFilter(email, new Map(Object.entries(filter)))).toBe(meets);
});
