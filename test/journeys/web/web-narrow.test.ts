/** Journeys by keyboard through the web UI in a real browser, at the width of a phone. */
import { describe } from "vitest";
import { describeSizes } from "./sizes.ts";
import { useSetup } from "./use-setup.ts";

const setup = useSetup();

// Widths between a phone and a desktop have the layouts of both: the journey of accessibility inspects every page at 820 px.
describe("narrow windows", () => {
  describeSizes(setup, [{ width: 390, colorScheme: "light" }]);
});
