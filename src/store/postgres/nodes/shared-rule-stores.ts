import type { Clock } from "../../../core/clock.ts";
import type { Store } from "../../store.ts";
import type { Database } from "../connection/database.ts";
import { Faults } from "../faults/faults.ts";
import { Scans } from "../scans/scans.ts";

/** Creates the stores of rules for mail that arrives, which every node keeps in memory: fault rules and link scanners. */
export function createSharedRuleStores(database: Database, clock: Clock): Pick<Store, "faults" | "scanners"> {
  return { faults: new Faults(database, clock), scanners: new Scans(database, clock) };
}
