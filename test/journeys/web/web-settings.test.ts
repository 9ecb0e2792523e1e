/** Journeys through the web UI in a real browser: display, keys, account, settings, the API reference, and a reverse proxy. */
import { describe } from "vitest";
import { describeAccountAndSettings } from "./account-settings.ts";
import { describeApiReference } from "./api-reference.ts";
import { describeBelowPath } from "./below-path.ts";
import { describeDisplayKeysAndFilters } from "./display-keys-filters.ts";
import { useSetup } from "./use-setup.ts";

const setup = useSetup();

describe("display, keys and filters", () => {
  describeDisplayKeysAndFilters(setup);
});

describe("account and settings", () => {
  describeAccountAndSettings(setup);
});

describe("API reference", () => {
  describeApiReference(setup);
});

describe("below a path", () => {
  describeBelowPath(setup);
});
