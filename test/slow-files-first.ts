/** Order of test files: long ones first, so that none of them runs alone at the end, and those of a project together. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take more than some seconds, about the longest first within each project. A stale list only makes a run longer. */
const slowFiles: readonly string[] = [
  "test/snippets/snippets.test.ts",
  "test/journeys/disk-full.test.ts",
  "test/package/package.test.ts",
  "compat/node/clients.test.ts",
  "test/journeys/web/web-permissions.test.ts",
  "test/journeys/web/web-narrow.test.ts",
  "test/journeys/web/web-accessibility.test.ts",
  "test/journeys/web/web-everyday.test.ts",
  "src/store/postgres/postgres-store.test.ts",
  "test/journeys/web/web-messages.test.ts",
  "test/journeys/web/web-hostile.test.ts",
  "test/journeys/web/web-settings.test.ts",
  "test/journeys/web/web-wide.test.ts",
  "src/store/postgres/text-index/indexed-store.test.ts",
  "src/store/sqlite/sqlite-store.test.ts",
  "test/journeys/quarantine.test.ts",
  "src/catchers/large-mails.test.ts",
  "src/store/sqlite/indexed-store.test.ts",
  "src/previews/renderer.test.ts",
  "test/journeys/nodes.test.ts",
  "test/journeys/outbound.test.ts",
  "test/journeys/web/web-firefox.test.ts",
  "test/fuzz/fuzz.test.ts",
  "src/store/sqlite/text-index/index-memory.test.ts",
  "src/operations/services/worker-kinds.test.ts",
  "test/journeys/callback-delivery.test.ts",
  "src/operations/services/templates/render-memory.test.ts",
  "test/journeys/web/web-layout.test.ts",
  "test/journeys/growth.test.ts",
  "test/journeys/memory.test.ts",
  "src/providers/conformance/conformance.test.ts",
  "src/mime/charset-repertoire.test.ts",
  "test/journeys/request-examples.test.ts",
  "test/journeys/request-bodies.test.ts",
  "src/store/postgres/text-index/text-index.test.ts",
  "src/app/background/rendered-visits.test.ts",
  "test/journeys/webhooks.test.ts",
  "src/http/route-table.test.ts",
  "test/journeys/sms.test.ts",
  "src/store/signatures/signatures.test.ts",
  "test/transfer/broken-off.test.ts",
  "test/journeys/scheduled-mail.test.ts",
  "test/journeys/hostile-recipients.test.ts",
  "test/journeys/crash.test.ts",
  "test/journeys/outages.test.ts",
  "test/transfer/round-trip.test.ts",
  "src/operations/services/reading/read-email.test.ts",
  "src/mime/structured-growth.test.ts",
  "test/journeys/lifecycle.test.ts",
  "src/operations/services/inspection/inspector.test.ts",
  "src/store/sqlite/crash.test.ts",
  "src/store/postgres/connection/connection.test.ts",
  "test/journeys/relay.test.ts",
  "src/store/sqlite/backup/recover.test.ts",
  "src/operations/services/templates/template-renderer.test.ts",
  "src/store/sqlite/damage.test.ts",
  "test/hostile/allocations.test.ts",
  "test/journeys/backup-and-check.test.ts",
  "src/store/postgres/caches.test.ts",
  "src/store/postgres/messages/distributed-store.test.ts",
  "src/store/sqlite/text-index/index-crash.test.ts",
  "test/journeys/operator.test.ts",
  "src/store/postgres/connection/database.test.ts",
  "web/webhooks/webhooks-page.test.tsx",
  "src/store/signatures/segment-filter.test.ts",
  "web/mail/mail-marks.test.tsx",
  "src/mime/growth.test.ts",
  "test/journeys/previews.test.ts",
  "web/list/search-panel.test.tsx",
  "test/journeys/unreachable-database.test.ts",
  "web/faults/faults-page.test.tsx",
  "src/store/sqlite/maintenance/purge.test.ts",
  "test/concurrent-builds.test.ts",
  "src/operations/services/reading/reading-growth.test.ts",
  "src/mime/compose/round-trip.test.ts",
  "test/journeys/worker-processes.test.ts",
  "test/journeys/senders.test.ts",
  "src/store/sqlite/caches.test.ts",
  "test/journeys/stopping.test.ts",
  "test/journeys/dates.test.ts",
  "test/journeys/provider-replies.test.ts",
  "test/journeys/link-scanners.test.ts",
  "test/transfer/hostile.test.ts",
  "src/store/postgres/search/text-search.test.ts",
];

/**
 * Projects in the order in which they run. A worker runs further files of its project without loading their modules again,
 * and is replaced when the next file is of another one. The last has the most short files, so no worker is idle at the end.
 */
const projects: readonly string[] = ["web with replaced modules", "web", "PostgreSQL", "isolated", "units"];

/**
 * Files that run before the projects. Each takes a worker for long, which leaves one or two for the component tests: those
 * load more modules than others, and each further worker would load them again.
 */
const firstFiles: readonly string[] = slowFiles.slice(0, 4);

/** Sorts by project, then the slow files first, then by Vitest's own order (larger files first). */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted(
      (a, b) =>
        place(firstFiles, a) - place(firstFiles, b) ||
        projects.indexOf(a.project.name) - projects.indexOf(b.project.name) ||
        place(slowFiles, a) - place(slowFiles, b),
    );
  }
}

/** Returns the index of the file in the list; the length of the list if it is not in it. */
function place(list: readonly string[], { moduleId }: TestSpecification): number {
  const index = list.findIndex((path) => moduleId.endsWith(`/${path}`));
  return index === -1 ? list.length : index;
}
