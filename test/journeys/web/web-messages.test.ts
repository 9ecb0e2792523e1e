/** Journeys through the web UI in a real browser: signing in, messages and sending. */
import { describe } from "vitest";
import { describeMessages } from "./messages.ts";
import { describeSending } from "./sending.ts";
import { describeSignIn } from "./sign-in.ts";
import { useSetup } from "./use-setup.ts";

const setup = useSetup();

describe("signing in", () => {
  describeSignIn(setup);
});

describe("messages", () => {
  describeMessages(setup);
});

describe("sending", () => {
  describeSending(setup);
});
