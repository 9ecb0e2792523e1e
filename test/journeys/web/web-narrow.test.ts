/** Journeys by keyboard through the web UI in a real browser, at the widths of a phone and a tablet. */
import { describe } from "vitest";
import { describeSizes } from "./sizes.ts";
import { useSetup } from "./use-setup.ts";

const setup = useSetup();

describe("narrow windows", () => {
  describeSizes(setup, [
    { width: 390, colorScheme: "light" },
    { width: 820, colorScheme: "dark" },
  ]);
});
