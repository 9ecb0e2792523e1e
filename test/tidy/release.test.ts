/** Static checks of the release workflow. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

const root = join(import.meta.dirname, "..", "..");
const workflow = parse(readFileSync(join(root, ".github", "workflows", "release.yml"), "utf8"), {
  strict: true,
  uniqueKeys: true,
}) as Workflow;

interface Step {
  readonly id?: string;
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly needs?: string;
  readonly "timeout-minutes"?: number;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly on: unknown;
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const jobs = Object.entries(workflow.jobs);
const scriptsOf = ({ steps }: Job): string => steps.map(({ run }) => run ?? "").join("\n");

describe("the release workflow", () => {
  test("runs for version tags, with read-only permissions by default", () => {
    expect(workflow.on).toEqual({ push: { tags: ["v*.*.*"] } });
    expect(workflow.permissions).toEqual({ contents: "read" });
  });

  test("publishes only after the tests pass", () => {
    const publishing = jobs.filter(([, job]) => "id-token" in (job.permissions ?? {}));
    expect(publishing.map(([name, { needs }]) => [name, needs])).toEqual([
      ["npm", "test"],
      ["image", "test"],
    ]);
    expect(scriptsOf(workflow.jobs["test"] as Job)).toMatch(/GITHUB_REF_NAME[^]*npm ci\nnpm test/);
  });

  test("publishes the package with provenance", () => {
    const scripts = scriptsOf(workflow.jobs["npm"] as Job);
    expect(scripts).toMatch(/npm pkg set [^]*repository\.url=git\+[^]*npm publish --provenance --access public/);
  });

  test("builds the image from an existing file, and attests the pushed digest", () => {
    const { steps } = workflow.jobs["image"] as Job;
    const push = steps.find(({ id }) => id === "push");
    expect(push?.with).toMatchObject({ push: true, file: "deploy/Dockerfile" });
    expect(existsSync(join(root, String(push?.with?.["file"])))).toBe(true);
    const attest = steps.find(({ uses }) => uses?.startsWith("actions/attest-build-provenance@"));
    expect(attest?.with?.["subject-digest"]).toBe("${{ steps.push.outputs.digest }}");
  });

  test.each(jobs)("%s has a timeout, and each step runs one thing", (_, job) => {
    expect(job["timeout-minutes"]).toBeGreaterThan(0);
    for (const { uses, run } of job.steps) {
      expect((uses === undefined) !== (run === undefined)).toBe(true);
      expect(uses ?? "actions/x@v1").toMatch(/^[\w-]+\/[\w-]+@v\d+$/);
    }
  });
});
