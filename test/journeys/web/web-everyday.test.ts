/** Journeys through the web UI in a real browser: place in the list, keyboard and focus. */
import { describe } from "vitest";
import { describePlaceAndFocus } from "./place-and-focus.ts";
import { useSetup } from "./use-setup.ts";

const setup = useSetup();

describe("place and focus", () => {
  describePlaceAndFocus(setup);
});
