/** Journeys through the web UI in a real browser: phones, wide content, drafts, and searching. */
import { describe } from "vitest";
import { describeLayout } from "./layout.ts";
import { describeSearching } from "./searching.ts";
import { describeTagsAndFacts } from "./tags-and-facts.ts";
import { useSetup } from "./use-setup.ts";

const setup = useSetup();

describe("layout and drafts", () => {
  describeLayout(setup);
});

describe("searching", () => {
  describeSearching(setup);
});

describe("tags and facts", () => {
  describeTagsAndFacts(setup);
});
