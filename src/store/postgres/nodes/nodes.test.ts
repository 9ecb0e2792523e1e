import { describeNodes } from "./nodes-contract.test-aid.ts";
import { migratedDatabaseUrl } from "../postgres.test-aid.ts";

describeNodes(migratedDatabaseUrl);
