/**
 * Bounds each typed array of the thread that loads this file, so that a small file that decompresses to gigabytes fails instead
 * of filling the memory. Imported by workers, before the code that decompresses.
 */
import { boundAllocations } from "./bounded-array.ts";

boundAllocations(globalThis);
