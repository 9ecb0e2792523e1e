/**
 * Fuzzes one target for a time, guided by the coverage of the sources; started by `main.ts`, in a process of its own because an
 * input may end it. Every input is written to a file before it runs, where `main.ts` finds it when this process has died.
 */
import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { inspect, parseArgs } from "node:util";
import { seededRandom } from "../../bench/realistic-mail.ts";
import { Coverage } from "./coverage.ts";
import { keepInput, readCorpus } from "./corpus-files.ts";
import { mutate } from "./mutate.ts";
import type { FuzzTarget, OpenTarget } from "./target.ts";
import { findTarget } from "./targets.ts";
import type { FuzzMessage } from "./messages.ts";

const { values } = parseArgs({
  options: {
    target: { type: "string", default: "" },
    seconds: { type: "string", default: "20" },
    seed: { type: "string", default: "1" },
    current: { type: "string", default: "" },
    keep: { type: "boolean", default: false },
  },
});

const batchSize = 64;
/** Inputs of the repository stay small and few: a run keeps so many of a target. */
const [keptBytesMax, keptCountMax] = [2048, 16];
/** CPU time that no input takes, and that each kilobyte may add, in milliseconds. */
const slowMs = { least: 400, perKilobyte: 20 };

class Fuzzing {
  readonly #target: FuzzTarget;
  readonly #open: OpenTarget;
  readonly #coverage: Coverage;
  readonly #random = seededRandom(Number(values.seed));
  readonly #current = openSync(values.current, "w");
  readonly #inputs: Buffer[] = [];
  #runCount = 0;
  #keptCount = 0;

  constructor(target: FuzzTarget, open: OpenTarget, coverage: Coverage) {
    this.#target = target;
    this.#open = open;
    this.#coverage = coverage;
  }

  async run(untilMs: number): Promise<void> {
    const first = [...this.#target.seeds, ...readCorpus(this.#target.name)];
    for (const input of first) await this.#runOne(input);
    this.#coverage.remember(await this.#coverage.takeNew());
    this.#inputs.push(...first);
    while (Date.now() < untilMs) {
      await this.#explore(Array.from({ length: batchSize }, () => this.#mutated()));
      this.#report({ kind: "progress", ...this.#figures() });
    }
    closeSync(this.#current);
    this.#report({ kind: "done", ...this.#figures() });
  }

  #figures(): { runs: number; blocks: number; inputs: number } {
    return { runs: this.#runCount, blocks: this.#coverage.blockCount, inputs: this.#inputs.length };
  }

  #mutated(): Buffer {
    const at = Math.floor(this.#random() * this.#inputs.length);
    const { tokens, repair } = this.#target;
    const input = mutate(this.#inputs[at] ?? Buffer.alloc(0), { random: this.#random, tokens, others: this.#inputs });
    return repair !== undefined && this.#random() < 0.9 ? repair(input) : input;
  }

  /** Runs inputs; where they reach new code together, finds those that do alone by halving. */
  async #explore(inputs: readonly Buffer[]): Promise<void> {
    for (const input of inputs) await this.#runOne(input);
    const found = await this.#coverage.takeNew();
    if (found.length === 0) return;
    const [only, ...more] = inputs;
    if (only !== undefined && more.length === 0) {
      this.#coverage.remember(found);
      this.#inputs.push(only);
      if (values.keep) this.#keep(only);
      return;
    }
    const half = Math.ceil(inputs.length / 2);
    await this.#explore(inputs.slice(0, half));
    await this.#explore(inputs.slice(half));
  }

  #keep(input: Buffer): void {
    if (input.length > keptBytesMax || this.#keptCount >= keptCountMax) return;
    this.#keptCount += 1;
    keepInput(this.#target.name, input);
  }

  async #runOne(input: Buffer): Promise<void> {
    ftruncateSync(this.#current);
    writeSync(this.#current, input, 0, input.length, 0);
    this.#runCount += 1;
    try {
      if (await this.#isSlow(input)) this.#report({ kind: "finding", reason: "slow", input: input.toString("base64") });
    } catch (error) {
      this.#report({ kind: "finding", reason: inspect(error), input: input.toString("base64") });
    }
  }

  /** Runs an input, three times when it takes long: the machine may be busy, and the first run compiles. */
  async #isSlow(input: Buffer): Promise<boolean> {
    const bound = slowMs.least + (slowMs.perKilobyte * input.length) / 1024;
    for (let run = 0; run < 3; run += 1) {
      const before = process.threadCpuUsage();
      await this.#open.run(input);
      const { user, system } = process.threadCpuUsage(before);
      if ((user + system) / 1000 < bound) return false;
    }
    return true;
  }

  #report(message: FuzzMessage): void {
    process.send?.(message);
  }
}

const target = findTarget(values.target);
using coverage = await Coverage.start();
await using open = await target.open();
await new Fuzzing(target, open, coverage).run(Date.now() + Number(values.seconds) * 1000);
process.disconnect?.();
