/**
 * Gives property tests the same values in every run, so that a change fails only for what it changes.
 * `RESTANTE_TEST_SEED` selects others: a number, or `random`.
 */
import fc from "fast-check";

const seed = process.env["RESTANTE_TEST_SEED"] ?? "20261122";
if (seed !== "random") fc.configureGlobal({ seed: Number(seed) });
