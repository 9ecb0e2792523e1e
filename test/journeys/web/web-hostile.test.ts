/** Journeys through the web UI in a real browser: hostile emails, and a server of 20,000 messages. */
import { describe } from "vitest";
import { describeHostileEmails } from "./hostile-emails.ts";
import { describeLargeServer } from "./large-server.ts";
import { useSetup } from "./use-setup.ts";

const setup = useSetup();

describe("hostile mail", () => {
  describeHostileEmails(setup);
});

describe("20,000 messages", () => {
  describeLargeServer(setup);
});
