import { describeNodes } from "./nodes-contract.test-aid.ts";
import { testDatabaseUrl } from "../postgres.test-aid.ts";

describeNodes(testDatabaseUrl);
