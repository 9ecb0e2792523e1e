/** Journeys by keyboard through the web UI in a real browser, at the widths of a desktop and a very wide screen. */
import { describe } from "vitest";
import { describeSizes } from "./sizes.ts";
import { useSetup } from "./use-setup.ts";

const setup = useSetup();

describe("wide windows", () => {
  describeSizes(setup, [{ width: 1440, colorScheme: "dark", otherWidths: [3840] }]);
});
