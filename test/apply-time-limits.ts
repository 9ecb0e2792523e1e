/** Applies the time limits of a test file before it is loaded. */
import { relative } from "node:path";
import { expect } from "vitest";
import { applyTimeLimits, timeLimitsOf } from "./time-limits.ts";

applyTimeLimits(timeLimitsOf(relative(`${import.meta.dirname}/..`, expect.getState().testPath ?? "")));
