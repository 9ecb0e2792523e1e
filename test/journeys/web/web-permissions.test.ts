/** Journeys through the web UI in a real browser, with each kind of key. */
import { describe } from "vitest";
import { describePermissions } from "./permissions.ts";
import { useSetup } from "./use-setup.ts";

const setup = useSetup();

describe("permissions", () => {
  describePermissions(setup);
});
