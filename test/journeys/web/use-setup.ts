import { afterAll, beforeAll } from "vitest";
import { startSetup, stopSetup, type Setup } from "./setup.ts";

/** Starts one browser and one service for all tests of a file; returns a function that returns them. */
export function useSetup(): () => Setup {
  let setup: Setup | undefined;
  beforeAll(async () => {
    setup = await startSetup();
  });
  afterAll(async () => {
    if (setup !== undefined) await stopSetup(setup);
  });
  return () => {
    if (setup === undefined) throw new Error("browser and service are not started yet");
    return setup;
  };
}
