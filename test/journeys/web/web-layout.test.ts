/** Journeys through the web UI in a real browser: phones, wide content, and drafts. */
import { describe } from "vitest";
import { describeLayout } from "./layout.ts";
import { useSetup } from "./use-setup.ts";

const setup = useSetup();

describe("layout and drafts", () => {
  describeLayout(setup);
});
