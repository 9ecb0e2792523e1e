/** Journeys by keyboard through the web UI in a real browser, at the widths of a phone and a tablet. */
import { describe } from "vitest";
import { describeSizes } from "./sizes.ts";
import { useSetup } from "./use-setup.ts";

const setup = useSetup();

describe("narrow windows", () => {
  describeSizes(setup, [
    [390, "light"],
    [820, "dark"],
  ]);
});
