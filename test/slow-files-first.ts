/** Order of test files: those of a project together, long ones first, so that none of them runs alone at the end. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take more than some ten seconds, about the longest first within each project. A stale list only makes a run longer. */
const slowFiles: readonly string[] = [
  "src/store/postgres/text-index/indexed-store.test.ts",
  "test/journeys/web/web-messages.test.ts",
  "test/journeys/web/web-accessibility.test.ts",
  "test/journeys/web/web-hostile.test.ts",
  "test/journeys/web/web-settings.test.ts",
  "src/store/postgres/postgres-store.test.ts",
  "src/previews/renderer.test.ts",
  "test/snippets/snippets.test.ts",
  "src/store/sqlite/indexed-store.test.ts",
  "src/store/postgres/text-index/text-index.test.ts",
  "src/store/sqlite/sqlite-store.test.ts",
  "src/store/sqlite/text-index/index-memory.test.ts",
  "test/package/package.test.ts",
  "test/journeys/disk-full.test.ts",
  "test/journeys/outbound.test.ts",
  "test/transfer/mailboxes.test.ts",
  "test/journeys/callback-delivery.test.ts",
  "src/operations/services/inspection/inspector.test.ts",
  "test/transfer/broken-off.test.ts",
  "compat/node/clients.test.ts",
  "test/journeys/backup-and-check.test.ts",
  "test/journeys/lifecycle.test.ts",
  "src/mime/structured-growth.test.ts",
  "src/operations/services/reading/read-email.test.ts",
  "test/journeys/scheduled-mail.test.ts",
  "test/transfer/round-trip.test.ts",
  "test/journeys/nodes.test.ts",
  "src/http/routes/messages/create-email.test.ts",
  "test/journeys/hostile-recipients.test.ts",
  "src/store/sqlite/search/candidates.test.ts",
  "test/journeys/memory.test.ts",
  "test/journeys/outages.test.ts",
  "test/journeys/webhooks.test.ts",
  "test/journeys/relay.test.ts",
  "test/transfer/hostile.test.ts",
  "test/journeys/sms.test.ts",
  "src/store/sqlite/text-index/index-crash.test.ts",
  "test/journeys/crash.test.ts",
  "test/transfer/command-line.test.ts",
  "test/journeys/operator.test.ts",
  "test/journeys/senders.test.ts",
  "src/store/sqlite/damage.test.ts",
  "src/store/signatures/signatures.test.ts",
  "src/operations/services/templates/template-renderer.test.ts",
  "src/http/routes/previews/previews.test.ts",
  "src/http/listeners.test.ts",
  "src/store/sqlite/crash.test.ts",
  "test/journeys/unreachable-database.test.ts",
  "src/store/sqlite/limits.test.ts",
];

/**
 * Projects in the order in which they run. A worker runs further files of its project without loading their modules again,
 * and is replaced when the next file is of another one. The last has the most short files, so no worker is idle at the end.
 */
const projects: readonly string[] = [
  "journeys",
  "web with replaced modules",
  "PostgreSQL",
  "sharing journeys",
  "web",
  "units",
];

/** Sorts by project, then the slow files first, then by Vitest's own order (larger files first). */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted(
      (a, b) => projects.indexOf(a.project.name) - projects.indexOf(b.project.name) || rank(a) - rank(b),
    );
  }
}

function rank({ moduleId }: TestSpecification): number {
  const place = slowFiles.findIndex((path) => moduleId.endsWith(`/${path}`));
  return place === -1 ? slowFiles.length : place;
}
