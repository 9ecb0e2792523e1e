/** Journeys through the web UI in a real browser: place in the list, keyboard, focus, and unusual states. */
import { describe } from "vitest";
import { describeCodesAndCounts } from "./codes-and-counts.ts";
import { describeMarks } from "./marks.ts";
import { describePlaceAndFocus } from "./place-and-focus.ts";
import { describeStates } from "./states.ts";
import { useSetup } from "./use-setup.ts";

const setup = useSetup();

describe("place and focus", () => {
  describePlaceAndFocus(setup);
});

describe("marks", () => {
  describeMarks(setup);
});

describe("codes and counts", () => {
  describeCodesAndCounts(setup);
});

describe("states", () => {
  describeStates(setup);
});
