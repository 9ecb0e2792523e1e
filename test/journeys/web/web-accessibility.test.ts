/** Journeys through the web UI in a real browser: accessibility of every page and dialog. */
import { describe } from "vitest";
import { describeAccessibility } from "./accessibility.ts";
import { useSetup } from "./use-setup.ts";

const setup = useSetup();

describe("accessibility", () => {
  describeAccessibility(setup);
});
