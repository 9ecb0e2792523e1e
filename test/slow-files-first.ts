/** Order of test files: long ones first, so that none of them runs alone at the end. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take more than some ten seconds, longest first. A stale list only makes a run longer. */
const slowFiles: readonly string[] = [
  "test/journeys/web/web-hostile.test.ts",
  "test/journeys/web/web-messages.test.ts",
  "src/previews/renderer.test.ts",
  "test/journeys/web/web-settings.test.ts",
  "src/store/sqlite/indexed-store.test.ts",
  "src/store/postgres/text-index/indexed-store.test.ts",
  "src/store/postgres/postgres-store.test.ts",
  "test/journeys/disk-full.test.ts",
  "test/snippets/snippets.test.ts",
  "src/store/sqlite/text-index/index-memory.test.ts",
  "src/store/sqlite/sqlite-store.test.ts",
  "test/transfer/broken-off.test.ts",
  "test/package/package.test.ts",
  "test/journeys/lifecycle.test.ts",
  "test/journeys/memory.test.ts",
  "test/journeys/backup-and-check.test.ts",
  "test/journeys/web/web-accessibility.test.ts",
  "test/transfer/hostile.test.ts",
  "compat/node/clients.test.ts",
  "test/journeys/hostile-recipients.test.ts",
  "test/journeys/outbound.test.ts",
  "test/transfer/round-trip.test.ts",
  "test/journeys/relay.test.ts",
  "test/journeys/operator.test.ts",
  "test/journeys/nodes.test.ts",
  "test/journeys/outages.test.ts",
];

/** Sorts the slow files first, then journeys, then units by Vitest's own order (larger files first). */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

function rank({ moduleId, project }: TestSpecification): number {
  const place = slowFiles.findIndex((path) => moduleId.endsWith(`/${path}`));
  if (place !== -1) return place;
  return project.name === "units" ? slowFiles.length + 1 : slowFiles.length;
}
