/** Journeys through the web UI in a real browser. One file, so that one browser serves them all. */
import { afterAll, beforeAll, describe } from "vitest";
import { answering } from "./web/answering.ts";
import { accessible } from "./web/accessible.ts";
import { startBench, stopBench, type Bench } from "./web/bench.ts";
import { hostile } from "./web/hostile.ts";
import { large } from "./web/large.ts";
import { looking } from "./web/looking.ts";
import { owning } from "./web/owning.ts";
import { reference } from "./web/reference.ts";
import { signingIn } from "./web/signing-in.ts";
import { working } from "./web/working.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await startBench();
});
afterAll(async () => stopBench(bench));

describe("signing in", () => {
  signingIn(() => bench);
});

describe("messages", () => {
  working(() => bench);
});

describe("display, keys and filters", () => {
  looking(() => bench);
});

describe("sending", () => {
  answering(() => bench);
});

describe("account and settings", () => {
  owning(() => bench);
});

describe("hostile mail", () => {
  hostile(() => bench);
});

describe("API reference", () => {
  reference(() => bench);
});

describe("accessibility", () => {
  accessible(() => bench);
});

describe("100,000 messages", () => {
  large(() => bench);
});
