/** Journeys through the web UI in a real browser, with each kind of key and as users. */
import { describe } from "vitest";
import { describePermissions } from "./permissions.ts";
import { describeSingleSignOn } from "./single-sign-on.ts";
import { useSetup } from "./use-setup.ts";

const setup = useSetup();

describe("permissions", () => {
  describePermissions(setup);
});

describe("single sign-on", () => {
  describeSingleSignOn(setup);
});
